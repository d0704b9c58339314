"""What is asked of Semantic Scholar, and what is made of its answers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from fathom.browsing import SearchHit, WebQuery
from fathom.errors import ProviderError
from fathom_testing.search_server import SearchServer
from fathom_testing.search_server.wires import parameters
from tests.contracts.searches import CORPUS, DEEP, hold
from tests.search.replying import SEVERAL, replied, searched, values

PAPER = {
    "paperId": "649def34",
    "title": "Attention",
    "abstract": "We propose the Transformer.",
    "url": "https://www.semanticscholar.org/paper/649def34",
    "publicationDate": "2017-06-12",
    "openAccessPdf": {"url": "https://a.org/attention.pdf", "status": "GREEN", "license": None},
    "externalIds": {"ArXiv": "1706.03762", "DOI": "10.1000/x", "CorpusId": 13756489},
}
ANY = values(
    "total", "data", "title", "abstract", "url", "publicationDate", "openAccessPdf", "externalIds", "ArXiv", "DOI"
)


async def test_words_limit_and_date_are_sent() -> None:
    with SearchServer(CORPUS) as server:
        await searched(server, "semantic_scholar", WebQuery(text="deep-sea currents", limit=7, since="2024-03-09"))
        (seen,) = server.seen

    assert dict(parameters(seen.asked)) == {
        "query": "deep sea currents",
        "fields": "title,abstract,url,publicationDate,openAccessPdf,externalIds",
        "limit": "7",
        "publicationDateOrYear": "2024-03-09:",
    }


async def test_without_a_key_none_is_sent() -> None:
    with SearchServer(CORPUS) as server:
        await searched(server, "semantic_scholar", DEEP, semantic_scholar_api_key=None)
        (seen,) = server.seen

    assert "x-api-key" not in seen.asked.headers


@pytest.mark.parametrize(
    ("changes", "url"),
    [
        ({}, "https://a.org/attention.pdf"),
        ({"openAccessPdf": {"url": ""}}, "https://arxiv.org/pdf/1706.03762"),
        ({"openAccessPdf": None, "externalIds": {"DOI": "10.1000/x"}}, "https://doi.org/10.1000/x"),
        ({"openAccessPdf": {"url": "ftp://a.org/x"}, "externalIds": None}, PAPER["url"]),
        ({"openAccessPdf": {"url": "https://denied.org/x.pdf"}}, "https://arxiv.org/pdf/1706.03762"),
    ],
)
async def test_the_address_is_the_one_that_can_be_read_best(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], url: str
) -> None:
    reply = {"total": 1, "offset": 0, "data": [PAPER | changes]}

    found = await replied(monkeypatch, "semantic_scholar", reply, WebQuery(text="sea", deny=("denied.org",)))

    assert found.hits == (
        SearchHit(
            url=url,
            title="Attention",
            snippet="We propose the Transformer.",
            published="2017-06-12",
            text="We propose the Transformer.",
        ),
    )


@SEVERAL
@given(reply=ANY)
async def test_any_reply_is_hits_or_a_typed_error(monkeypatch: pytest.MonkeyPatch, reply: Any) -> None:
    try:
        found = await replied(monkeypatch, "semantic_scholar", reply, DEEP)
    except ProviderError as error:
        assert "\n" not in str(error)
    else:
        hold(found, DEEP)
