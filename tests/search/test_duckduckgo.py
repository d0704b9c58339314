"""What is asked of DuckDuckGo, and what is made of its page."""

from __future__ import annotations

import re
import sys
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.browsing import SearchHit, WebQuery
from fathom.errors import ConfigurationError, MalformedReply, RateLimited
from fathom.search import describe_provider
from fathom.search.duckduckgo import DuckDuckGo, page_format, read_page
from fathom.search.hits import cleaned
from fathom.settings import Settings
from fathom_testing.search_server import SearchServer
from fathom_testing.search_server.wires import form, wire_of
from fathom_testing.search_server.wires.duckduckgo import ADVERTISEMENT, CHALLENGE
from tests.contracts.searches import CORPUS, DEEP
from tests.search.opening import open_at
from tests.search.replying import replied, searched

RESULT = (
    '<div class="result web-result"><div class="links_main result__body"><h2 class="result__title">'
    '<a class="result__a" href="{0}">C <b>Sharp</b></a></h2><a class="result__snippet" href="{0}">A <b>language</b> '
    "&amp; more</a></div></div>"
)
PIECES = st.sampled_from(
    "<div class='result__body'>|</div>|<h2>|</h2>|<a href='https://a.org/'>|<a href='//x/l/?uddg=%'>|</a>|<!--|]]>|"
    "&lt;|<?xml version='1.0' encoding='x'?>|\x00|<svg>|https://[|</html>".split("|")
)


def page(*results: str) -> str:
    """A page of results."""
    return f'<!DOCTYPE html><html><body><div id="links">{"".join(results)}</div></body></html>'


async def test_the_query_is_sent_as_the_form_of_the_page() -> None:
    query = WebQuery(text="deep sea", since="2024-03-09", language="de", allow=("a.org",), deny=("c.org",))
    with SearchServer(CORPUS) as server:
        await searched(server, "duckduckgo", query)
        (seen,) = server.seen

    sent = dict(form(seen.asked))
    assert re.fullmatch(r"2024-03-09\.\.\d{4}-\d{2}-\d{2}", sent.pop("df"))
    assert sent == {"q": "deep sea site:a.org -site:c.org", "l": "de-de"}
    assert seen.asked.headers["user-agent"].startswith("Mozilla/5.0 (compatible; Fathom/")


async def test_a_language_without_a_region_is_searched_everywhere() -> None:
    with SearchServer(CORPUS) as server:
        await searched(server, "duckduckgo", WebQuery(text="sea", language="eo"))
        (seen,) = server.seen

    assert form(seen.asked)["l"] == "wt-wt"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("https://en.wikipedia.org/wiki/C%23", "https://en.wikipedia.org/wiki/C%23"),
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.org%2Fx%3Fq%3D1%2526&amp;rut=abc", "https://a.org/x?q=1%26"),
        ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.org%2F", "https://a.org/"),
    ],
)
async def test_a_result_leads_where_its_page_is(monkeypatch: pytest.MonkeyPatch, href: str, url: str) -> None:
    found = await replied(monkeypatch, "duckduckgo", page(ADVERTISEMENT, RESULT.format(href)), DEEP)

    assert found.hits == (SearchHit(url=url, title="C Sharp", snippet="A language & more"),)


async def test_a_page_of_advertisements_alone_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await replied(monkeypatch, "duckduckgo", page(ADVERTISEMENT), DEEP)).hits == ()


async def test_after_a_challenge_it_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_of("duckduckgo"), "answer", lambda *_: CHALLENGE)
    with SearchServer([]) as server:
        provider = open_at(server, "duckduckgo")
        for _ in range(2):
            with pytest.raises(RateLimited) as raised:
                await provider.search(DEEP)
            assert raised.value.retry_after is not None
            assert 100 < raised.value.retry_after <= 120
        await provider.close()

        assert len(server.seen) == 1


async def test_a_result_that_speaks_of_challenges_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    result = RESULT.format("https://a.org/").replace("more", "anomaly-modal")

    assert len((await replied(monkeypatch, "duckduckgo", page(result), DEEP)).hits) == 1


@pytest.mark.parametrize(
    "text", [page("<p>We have moved.</p>"), page(RESULT.format("https://a.org/"))[:-7], " " * 300_001]
)
async def test_another_page_is_no_lack_of_results(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    with pytest.raises(MalformedReply):
        await replied(monkeypatch, "duckduckgo", text, DEEP)


async def test_the_client_of_the_library_is_never_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("primp.Client")
    with SearchServer(CORPUS) as server:
        found = await searched(server, "duckduckgo", DEEP)

        assert [seen.asked.path for seen in server.seen] == ["/html/"]
    assert found.hits


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.search.duckduckgo.find_spec", lambda _: None)

    with pytest.raises(ConfigurationError, match=r"pip install 'fathom-research\[duckduckgo\]'"):
        DuckDuckGo(Settings())
    told = describe_provider("duckduckgo", Settings())
    assert not told.ready
    assert "fathom-research[duckduckgo]" in told.missing


def test_a_library_that_cannot_be_used_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ddgs.engines.duckduckgo", None)

    with pytest.raises(ConfigurationError, match=r"fathom-research\[duckduckgo\]"):
        DuckDuckGo(Settings())


@given(st.lists(PIECES | st.text(max_size=10), max_size=30).map("".join) | st.text(max_size=60))
def test_any_page_is_results_or_none(text: str) -> None:
    cleaned(read_page(text, page_format()), DEEP)


@given(st.text(max_size=40))
def test_any_address_of_a_result_is_taken_or_left(href: str) -> None:
    cleaned(read_page(page(RESULT.format(escape(href))), page_format()), DEEP)
