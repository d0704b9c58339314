"""Pages that Tavily reads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from fathom.browsing import WebRules
from fathom.errors import (
    ConfigurationError,
    MalformedReply,
    NoEvidence,
    PageRefused,
    ProviderError,
    RateLimited,
    TimedOut,
    Unauthorized,
)
from fathom.pages.tavily import TavilyReader
from fathom.ports.web import Page
from fathom.settings import Settings
from fathom_testing.search_server import Entry, Fault, SearchServer

KEY = "tvly-secret-42"
SEA = "The deep sea is the part of the ocean below two hundred metres, where the light of the sun begins to fade. " * 5
PAGES = [Entry(f"https://site{n}.example.org/page", f"Page {n}", f"{SEA} This is page {n}.") for n in range(45)]
FIRST = PAGES[0].url


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer([*PAGES, Entry("https://short.example.org/", "Short", "Nothing.")]) as server:
        yield server


def reader_at(server: SearchServer, *, rules: WebRules | None = None, **changes: Any) -> TavilyReader:
    given: dict[str, Any] = {
        "tavily_base_url": server.base("tavily"),
        "tavily_api_key": SecretStr(KEY),
        "search_rates": {"tavily": 1_000.0},
    }
    return TavilyReader(Settings(**{**given, **changes}), rules or WebRules(), first_wait=0.001)


async def read(reader: TavilyReader, *urls: str) -> list[Page | BaseException | None]:
    try:
        return await asyncio.gather(*(reader.read(url) for url in urls), return_exceptions=True)
    finally:
        await reader.close()


async def test_a_page_is_quotable_and_says_where_it_is_from(server: SearchServer) -> None:
    [page] = await read(reader_at(server), FIRST)

    assert isinstance(page, Page)
    assert (page.url, page.address, page.title, page.language) == (FIRST, FIRST, "Page 0", "en")
    assert page.content.markup == "markdown"
    assert "This is page 0." in page.content.text
    assert [block.kind for block in page.content.blocks] == ["heading", "paragraph"]
    assert page.likeness
    assert page.retrieved_at.endswith("+00:00")


async def test_pages_wanted_at_once_are_asked_for_in_calls_of_twenty(server: SearchServer) -> None:
    pages = await read(reader_at(server), *(entry.url for entry in PAGES))

    assert [page.title for page in pages if isinstance(page, Page)] == [entry.title for entry in PAGES]
    assert sorted(len(seen.json["urls"]) for seen in server.seen) == [5, 20, 20]
    assert all(seen.asked.headers["authorization"] == f"Bearer {KEY}" for seen in server.seen)


async def test_a_page_wanted_twice_at_once_is_asked_for_once(server: SearchServer) -> None:
    pages = await read(reader_at(server), FIRST, f"{FIRST}#part")

    assert [isinstance(page, Page) for page in pages] == [True, True]
    assert [seen.json["urls"] for seen in server.seen] == [[FIRST]]


async def test_what_tavily_cannot_read_is_no_evidence_and_the_rest_is_read(server: SearchServer) -> None:
    gone, page, short = await read(reader_at(server), "https://gone.example.org/", FIRST, "https://short.example.org/")

    assert isinstance(page, Page)
    assert isinstance(gone, NoEvidence)
    assert "https://gone.example.org/" in str(gone)
    assert isinstance(short, NoEvidence)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://2130706433/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://intranet/",
        "http://wiki.corp.internal/",
        "http://alpha.localhost/",
        "https://wiki.corp.example/plans",
        "https://site1.example.org:8443/page",
        "https://user:password@site1.example.org/page",
        "https://denied.example.com/",
    ],
)
async def test_an_address_that_is_nobody_elses_business_is_not_told(server: SearchServer, url: str) -> None:
    reader = reader_at(server, rules=WebRules(deny=("example.com",)), private_hosts=("*.corp.example",))

    [refused] = await read(reader, url)

    assert isinstance(refused, PageRefused)
    assert server.seen == []


async def test_only_hosts_that_the_run_allows_are_read(server: SearchServer) -> None:
    page, refused = await read(reader_at(server, rules=WebRules(allow=("site0.example.org",))), FIRST, PAGES[1].url)

    assert isinstance(page, Page)
    assert isinstance(refused, PageRefused)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault("status", status=401), Unauthorized),
        (Fault("status", status=432), Unauthorized),
        (Fault("status", status=429, retry_after="60"), RateLimited),
        (Fault("slow", seconds=5), TimedOut),
        (Fault("html", status=200), MalformedReply),
        (Fault("no_list"), MalformedReply),
        (Fault("value", value=[]), MalformedReply),
        (Fault("value", value=None), MalformedReply),
        (Fault("nulls"), MalformedReply),
        (Fault("echo_key", status=400), ProviderError),
    ],
    ids=lambda value: f"{value.kind} {value.status}" if isinstance(value, Fault) else "",
)
async def test_a_failure_befalls_every_page_of_its_call(
    server: SearchServer, fault: Fault, error: type[ProviderError]
) -> None:
    server.faults = [
        Fault(fault.kind, status=fault.status, retry_after=fault.retry_after, seconds=5, value=fault.value)
    ]

    patience = 0.3 if fault.kind == "slow" else 30.0
    failures = await read(reader_at(server, page_timeout=patience), FIRST, PAGES[1].url)

    assert [isinstance(failure, error) for failure in failures] == [True, True]
    assert all("secret" not in str(failure) and "\n" not in str(failure) for failure in failures)
    assert len(server.seen) == 1


@settings(
    deadline=None,
    max_examples=settings().max_examples // 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    value=st.recursive(
        st.one_of(st.none(), st.integers(), st.text(max_size=30), st.just(FIRST), st.just(SEA)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["url", "raw_content", "error"]), inner, max_size=3),
        ),
        max_leaves=12,
    )
)
async def test_any_value_in_place_of_the_texts_is_a_page_or_a_typed_error(server: SearchServer, value: object) -> None:
    server.faults = [Fault("value", value=value)]

    [page] = await read(reader_at(server), FIRST)

    assert isinstance(page, Page | ProviderError)


async def test_a_text_that_steers_terminals_or_hides_words_is_made_harmless(server: SearchServer) -> None:
    hidden = "\x1b[31m\u202e\u200b\x00"
    server.faults = [Fault("value", value=[{"url": FIRST, "raw_content": f"# Ti{hidden}tle\r\n\r\n{SEA}{hidden}"}])]

    [page] = await read(reader_at(server), FIRST)

    assert isinstance(page, Page)
    assert page.title == "Ti[31mtle"
    assert not set(hidden[:1] + hidden[5:] + "\r") & set(page.content.text)


async def test_a_reader_that_gives_up_takes_nothing_from_the_others(server: SearchServer) -> None:
    reader = reader_at(server)
    impatient = asyncio.create_task(reader.read(FIRST))
    other = asyncio.create_task(reader.read(PAGES[1].url))
    await asyncio.sleep(0)
    impatient.cancel()

    page = await other
    await reader.close()

    assert isinstance(page, Page)
    assert impatient.cancelled()


async def test_closing_ends_what_nobody_has_been_asked_for_yet(server: SearchServer) -> None:
    reader = reader_at(server)
    task = asyncio.create_task(reader.read(FIRST))
    await asyncio.sleep(0)

    await reader.close()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert server.seen == []


async def test_closing_ends_what_is_under_way(server: SearchServer) -> None:
    server.faults = [Fault("slow", seconds=30)]
    reader = reader_at(server)
    task = asyncio.create_task(reader.read(FIRST))
    while not server.seen:  # noqa: ASYNC110 - the server is in another thread
        await asyncio.sleep(0.01)

    await reader.close()

    with pytest.raises(asyncio.CancelledError):
        await task


def test_without_a_key_there_is_no_reader() -> None:
    with pytest.raises(ConfigurationError, match="tavily_api_key"):
        TavilyReader(Settings(), WebRules())


async def test_what_nobody_expected_leaves_no_reader_waiting(
    server: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = reader_at(server)

    def fail(*_: object, **__: object) -> None:
        raise StopIteration

    monkeypatch.setattr(reader._service, "post", fail)
    pages = await asyncio.wait_for(read(reader, FIRST, PAGES[1].url), 30)
    assert [type(page) for page in pages] == [RuntimeError, RuntimeError]
