"""What is asked of Exa, and what is made of its answers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from fathom.browsing import SearchHit, WebQuery
from fathom.errors import ConfigurationError, ProviderError
from fathom.search.exa import Exa
from fathom.settings import Settings
from fathom_testing.search_server import SearchServer
from tests.contracts.searches import CORPUS, DEEP, hold
from tests.search.replying import SEVERAL, replied, searched, values

ANY = values("results", "costDollars", "total", "url", "title", "publishedDate", "score", "text", "highlights")


async def test_the_rules_of_the_query_are_sent() -> None:
    query = WebQuery(
        text="deep sea", limit=7, since="2024-01-01", language="de", allow=("*.a.org",), deny=("b.org", "no host")
    )
    with SearchServer(CORPUS) as server:
        await searched(server, "exa", query)
        (seen,) = server.seen

    assert seen.json == {
        "query": "deep sea",
        "type": "auto",
        "numResults": 7,
        "contents": {"highlights": {"maxCharacters": 500}, "text": {"maxCharacters": 4_000}},
        "includeDomains": ["a.org"],
        "excludeDomains": ["b.org"],
        "startPublishedDate": "2024-01-01T00:00:00.000Z",
    }


async def test_a_hit_has_its_highlights_as_snippet_and_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    hit = {
        "url": "https://a.org/x",
        "title": None,
        "publishedDate": "2023-11-16T01:36:32.547Z",
        "score": 0.46,
        "text": "The sea is deep. It is salt.",
        "highlights": ["The sea is deep.", "It is salt."],
    }
    bare = {"url": "https://b.org/", "publishedDate": None, "highlights": None}
    plain = {"url": "https://c.org/", "text": "sea " * 300}

    found = await replied(monkeypatch, "exa", {"results": [hit, bare, plain]}, DEEP)

    assert found.hits == (
        SearchHit(
            url="https://a.org/x",
            snippet="The sea is deep. … It is salt.",
            published="2023-11-16",
            score=0.46,
            text="The sea is deep. It is salt.",
        ),
        SearchHit(url="https://b.org/"),
        SearchHit(url="https://c.org/", snippet=("sea " * 125).strip(), text=("sea " * 300).strip()),
    )


@pytest.mark.parametrize(
    ("told", "cost"),
    [
        ({"total": 0.012}, 0.012),
        ({"total": 0}, 0.0),
        (None, 0.5),
        ({"total": "much"}, 0.5),
        ([], 0.5),
        ({"total": -1}, 0.0),
    ],
)
async def test_the_price_that_it_tells_counts_for_more_than_the_one_that_is_set(
    monkeypatch: pytest.MonkeyPatch, told: Any, cost: float
) -> None:
    reply = {"results": [], "costDollars": told}

    assert (await replied(monkeypatch, "exa", reply, DEEP, search_costs={"exa": 0.5})).cost_usd == cost


async def test_a_search_for_more_pages_costs_what_exa_says() -> None:
    with SearchServer(CORPUS) as server:
        found = await searched(server, "exa", DEEP.model_copy(update={"limit": 20}))

    assert found.cost_usd == pytest.approx(0.017)


def test_without_a_key_it_is_refused_and_its_own_variable_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="exa_api_key") as raised:
        Exa(Settings())
    assert "EXA_API_KEY" in str(raised.value)

    monkeypatch.setenv("EXA_API_KEY", "k")
    assert Exa(Settings()).address == "https://api.exa.ai"
    with pytest.raises(ConfigurationError):
        Exa(Settings(exa_base_url="https://elsewhere.example"))


@SEVERAL
@given(reply=ANY)
async def test_any_reply_is_hits_or_a_typed_error(monkeypatch: pytest.MonkeyPatch, reply: Any) -> None:
    try:
        found = await replied(monkeypatch, "exa", reply, DEEP)
    except ProviderError as error:
        assert "\n" not in str(error)
    else:
        hold(found, DEEP)
