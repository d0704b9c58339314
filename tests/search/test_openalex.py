"""What is asked of OpenAlex, and what is made of its answers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.browsing import SearchHit, WebQuery
from fathom.errors import ProviderError, RateLimited
from fathom.search.openalex import in_order
from fathom_testing.search_server import Fault, SearchServer
from fathom_testing.search_server.wires import parameters
from tests.contracts.searches import CORPUS, DEEP, hold
from tests.search.replying import SEVERAL, replied, searched, values

WORK = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.1000/x",
    "display_name": "The <i>deep</i> sea",
    "publication_date": "2024-03-09",
    "abstract_inverted_index": {"sea": [1], "The": [0], "is": [2], "salt.": [3]},
    "best_oa_location": {"pdf_url": "https://a.org/x.pdf", "landing_page_url": "https://a.org/x", "is_oa": True},
    "primary_location": {"pdf_url": None, "landing_page_url": "https://b.org/x"},
}
ANY = values(
    "results",
    "id",
    "doi",
    "display_name",
    "publication_date",
    "abstract_inverted_index",
    "best_oa_location",
    "primary_location",
    "pdf_url",
    "landing_page_url",
)


async def test_words_limit_date_and_contact_are_sent_and_the_key_in_a_header() -> None:
    query = WebQuery(text='how "deep" is the sea?', limit=7, since="2024-03-09", language="de")
    with SearchServer(CORPUS) as server:
        await searched(server, "openalex", query, contact="me@example.org")
        (seen,) = server.seen

    given = dict(parameters(seen.asked))
    assert given.pop("select").startswith("id,doi,display_name")
    assert given == {
        "search": "how deep is the sea",
        "per-page": "7",
        "filter": "from_publication_date:2024-03-09",
        "mailto": "me@example.org",
    }


async def test_without_contact_and_key_none_is_sent() -> None:
    with SearchServer(CORPUS) as server:
        await searched(server, "openalex", DEEP, openalex_api_key=None)
        (seen,) = server.seen

    assert "mailto" not in parameters(seen.asked)
    assert "authorization" not in seen.asked.headers


@pytest.mark.parametrize(
    ("changes", "url"),
    [
        ({}, "https://a.org/x.pdf"),
        ({"best_oa_location": {"pdf_url": None, "landing_page_url": "https://a.org/x"}}, "https://a.org/x"),
        ({"best_oa_location": None}, "https://b.org/x"),
        ({"best_oa_location": None, "primary_location": None}, "https://doi.org/10.1000/x"),
        ({"best_oa_location": None, "primary_location": None, "doi": None}, "https://openalex.org/W1"),
    ],
)
async def test_the_address_is_the_one_that_can_be_read_best(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], url: str
) -> None:
    found = await replied(monkeypatch, "openalex", {"results": [WORK | changes]}, DEEP)

    assert found.hits == (
        SearchHit(
            url=url,
            title="The deep sea",
            snippet="The sea is salt.",
            published="2024-03-09",
            text="The sea is salt.",
        ),
    )


async def test_a_day_whose_searches_are_used_up_is_said_to_be_so() -> None:
    spent = Fault("status", status=429, retry_after="40000")
    with SearchServer(CORPUS, faults=[spent]) as server, pytest.raises(RateLimited, match="openalex_api_key"):
        await searched(server, "openalex", DEEP)


@given(st.lists(st.text("abc", min_size=1, max_size=2), max_size=30))
def test_a_text_comes_back_from_the_places_of_its_words(words: list[str]) -> None:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)

    assert in_order(places).split() == words


@SEVERAL
@given(reply=ANY)
async def test_any_reply_is_hits_or_a_typed_error(monkeypatch: pytest.MonkeyPatch, reply: Any) -> None:
    try:
        found = await replied(monkeypatch, "openalex", reply, DEEP)
    except ProviderError as error:
        assert "\n" not in str(error)
    else:
        hold(found, DEEP)
