"""Whatever a hostile server answers is an error for that page alone, and costs neither memory nor the next page."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Iterator

import pytest

from fathom.errors import (
    MalformedReply,
    NoEvidence,
    PageRefused,
    PageTooLarge,
    ProviderError,
    ProviderFault,
    RateLimited,
    TimedOut,
    Unreachable,
)
from fathom.pages.fetch import Fetcher
from fathom_testing.hostile import ATTACKS, PAGE
from tests.pages.fetching import fetcher
from tests.support.doubles.hostile_server import HostileServer

CAP = 1_000_000
ENDINGS: dict[str, type[ProviderError]] = {
    "/bomb": PageTooLarge,
    "/bomb-deflate": PageTooLarge,
    "/bomb-twice": MalformedReply,
    "/packed-pieces": MalformedReply,
    "/endless": PageTooLarge,
    "/endless-header": MalformedReply,
    "/endless-continue": PageTooLarge,
    "/endless-trailer": MalformedReply,
    "/endless-chunk-size": MalformedReply,
    "/tiny-chunks": MalformedReply,
    "/loop": NoEvidence,
    "/deeper": NoEvidence,
    "/chain/12": NoEvidence,
    "/redirect?to=http://10.0.0.1/": PageRefused,
    "/redirect-nowhere": MalformedReply,
    "/redirect-to-file": PageRefused,
    "/redirect-inside": PageRefused,
    "/reset": Unreachable,
    "/reset-at-once": Unreachable,
    "/hang-up": MalformedReply,
    "/giant-header": MalformedReply,
    "/many-headers": MalformedReply,
    "/false-length-long": MalformedReply,
    "/false-length-short": MalformedReply,
    "/false-length-huge": PageTooLarge,
    "/length-negative": MalformedReply,
    "/length-word": MalformedReply,
    "/two-lengths": MalformedReply,
    "/bad-chunk": MalformedReply,
    "/huge-chunk": MalformedReply,
    "/short-chunks": MalformedReply,
    "/truncated-gzip": MalformedReply,
    "/false-gzip": MalformedReply,
    "/false-deflate": MalformedReply,
    "/br": MalformedReply,
    "/http-0.9": MalformedReply,
    "/garbage": MalformedReply,
    "/switch": MalformedReply,
    "/null-header": MalformedReply,
    "/picture-as-html": NoEvidence,
    "/picture": NoEvidence,
    "/archive": NoEvidence,
    "/status/204": NoEvidence,
    "/status/205": NoEvidence,
    "/status/206": MalformedReply,
    "/status/300": MalformedReply,
    "/status/304": MalformedReply,
    "/status/401": PageRefused,
    "/status/403": PageRefused,
    "/status/404": NoEvidence,
    "/status/410": NoEvidence,
    "/status/418": NoEvidence,
    "/status/429": RateLimited,
    "/status/429?retry-after=3600": RateLimited,
    "/status/429?retry-after=soon": RateLimited,
    "/status/451": PageRefused,
    "/status/500": ProviderFault,
    "/status/503": ProviderFault,
    "/status/503?retry-after=3600": RateLimited,
}
SLOW: dict[str, type[ProviderError]] = {"/drip": PageTooLarge, "/drip-header": TimedOut, "/silence": TimedOut}
READ = {
    "/pdf-as-html": "application/pdf",
    "/html-as-pdf": "text/html",
    "/no-type": "text/html",
    "/folded-header": "text/html",
}


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    with HostileServer() as server:
        yield server


@pytest.fixture
async def pages() -> AsyncIterator[Fetcher]:
    pages = fetcher(page_max_bytes=CAP, page_timeout=60)
    yield pages
    await pages.close()


@pytest.fixture
async def hasty() -> AsyncIterator[Fetcher]:
    pages = fetcher(page_max_bytes=CAP, page_timeout=0.4)
    yield pages
    await pages.close()


@pytest.mark.parametrize("path", ENDINGS)
async def test_an_attack_ends_in_an_error_of_that_page_and_the_next_one_is_read(
    path: str, server: HostileServer, pages: Fetcher
) -> None:
    host = f"{path.strip('/').partition('?')[0].replace('/', '-').replace('.', '-')}.localhost"
    good = await pages.fetch(server.url("/good", host=host))
    assert good is not None
    del good
    tracemalloc.start()
    try:
        with pytest.raises(ENDINGS[path]) as caught:
            await pages.fetch(server.url(path, host=host))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    message = str(caught.value)
    assert type(caught.value) is ENDINGS[path]
    assert message.isprintable()
    assert len(message) < 500
    assert peak < 3 * CAP + 5_000_000  # of 200 MB, or of no end
    if not isinstance(caught.value, RateLimited):  # then its host is left alone
        after = await pages.fetch(server.url("/after", host=host))
        assert after is not None
        assert after.body == PAGE


@pytest.mark.parametrize("path", SLOW)
async def test_a_slow_answer_ends_with_the_time_of_its_page(path: str, server: HostileServer, hasty: Fetcher) -> None:
    with pytest.raises(SLOW[path], match=r"slowly|in time"):
        await hasty.fetch(server.url(path, host=f"{path[1:]}.localhost"))

    assert hasty.connections == 0


@pytest.mark.parametrize("path", READ)
async def test_a_header_that_is_missing_or_wrong_does_not_hide_what_a_page_is(
    path: str, server: HostileServer, pages: Fetcher
) -> None:
    page = await pages.fetch(server.url(path))

    assert page is not None
    assert page.media_type == READ[path]


def test_every_attack_has_its_test() -> None:
    tested = {path.strip("/").partition("?")[0].partition("/")[0] for path in [*ENDINGS, *SLOW, *READ]}

    assert tested == set(ATTACKS)


async def test_no_connection_stays_open_behind_an_attack(server: HostileServer) -> None:
    pages = fetcher(page_max_bytes=CAP, page_timeout=0.3)
    for path in [*ENDINGS, *SLOW]:
        with pytest.raises(ProviderError):
            await pages.fetch(server.url(path, host="leaks.localhost" if "429" not in path else "busy.localhost"))

    assert pages.connections == 0
    await pages.close()


async def test_a_page_that_is_given_up_leaves_no_connection(server: HostileServer) -> None:
    pages = fetcher(page_timeout=30)
    for path in ("/silence", "/drip", "/drip-header", "/endless-continue"):
        task = asyncio.create_task(pages.fetch(server.url(path)))
        while not any(each.target == path for each in server.requests):  # noqa: ASYNC110 - another thread sees it
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises((asyncio.CancelledError, PageTooLarge)):
            await task

    assert pages.connections == 0
    await pages.close()
