"""What is asked of Serper, and what is made of its answers."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.browsing import SearchHit, WebQuery
from fathom.errors import ProviderError
from fathom.search.hits import iso_date
from fathom.search.serper import day_of
from fathom_testing.search_server import SearchServer
from tests.contracts.searches import CORPUS, DEEP, hold
from tests.search.replying import SEVERAL, replied, searched, values

TODAY = date(2024, 3, 1)


async def test_hosts_are_sent_as_operators_and_the_date_as_a_range() -> None:
    query = WebQuery(text="deep sea", since="2024-03-09", language="de", allow=("a.org", "b.org"), deny=("c.org",))
    with SearchServer(CORPUS) as server:
        await searched(server, "serper", query)
        (seen,) = server.seen

    assert seen.json == {
        "q": "deep sea (site:a.org OR site:b.org) -site:c.org",
        "num": 10,
        "hl": "de",
        "tbs": "cdr:1,cd_min:3/9/2024",
    }


async def test_what_is_no_date_and_no_language_is_not_sent() -> None:
    with SearchServer(CORPUS) as server:
        await searched(server, "serper", WebQuery(text="sea", since="soon", language="xx-evil", limit=30))
        (seen,) = server.seen

    assert seen.json == {"q": "sea", "num": 30}


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("3 days ago", "2024-02-27"),
        ("1 day ago", "2024-02-29"),
        ("5 hours ago", "2024-03-01"),
        ("12 mins ago", "2024-03-01"),
        ("Mar 4, 2023", "2023-03-04"),
        ("4 Mar 2023", "2023-03-04"),
        ("2023-03-04", "2023-03-04"),
        ("2 months ago", ""),
        ("vor 3 Tagen", ""),
        ("Mar 2023", ""),
        ("", ""),
    ],
)
def test_a_date_is_read_where_it_is_exact(written: str, day: str) -> None:
    assert iso_date(day_of(written, today=TODAY)) == day


@given(st.one_of(st.text(max_size=30), st.from_regex(r"\A\d{1,6} (day|hour)s? ago\Z")))
def test_any_text_in_place_of_a_date_is_a_date_or_none(written: str) -> None:
    assert len(iso_date(day_of(written, today=TODAY))) in (0, 10)


async def test_credits_are_told_as_dollars(monkeypatch: pytest.MonkeyPatch) -> None:
    hit = {"title": "Sea", "link": "https://a.org/", "snippet": "deep", "date": "Mar 4, 2024", "position": 1}
    reply = {"organic": [hit], "credits": 2, "knowledgeGraph": {"title": "Sea"}}

    found = await replied(monkeypatch, "serper", reply, DEEP, search_costs={"serper": 0.0003})

    assert found.hits == (SearchHit(url="https://a.org/", title="Sea", snippet="deep", published="2024-03-04"),)
    assert found.cost_usd == pytest.approx(0.0006)


@SEVERAL
@given(reply=values("organic", "link", "title", "snippet", "date", "credits"))
async def test_any_reply_is_hits_or_a_typed_error(monkeypatch: pytest.MonkeyPatch, reply: Any) -> None:
    try:
        found = await replied(monkeypatch, "serper", reply, DEEP)
    except ProviderError as error:
        assert "\n" not in str(error)
    else:
        hold(found, DEEP)
