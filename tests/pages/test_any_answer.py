"""Whatever bytes a server sends, a fetch ends in a page or in an error that Fathom raises on purpose."""

from __future__ import annotations

import gzip
import ssl
import tracemalloc

import httpcore
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fathom.errors import PageError, ProviderError, Unreachable
from tests.pages.fetching import Recorder, answering, fetcher

FEWER = settings(max_examples=settings().max_examples // 3)
"""Of what fetches for each of its examples; the long counts ask ten times as many."""
HEADERS = [
    "content-type: text/html",
    "content-type: ;;;charset",
    "content-type: application/pdf; charset=\xe9",
    "content-length: 5",
    "content-length: 0",
    "content-length: +5",
    "content-length: 5, 5",
    "transfer-encoding: chunked",
    "transfer-encoding: gzip, chunked",
    "transfer-encoding: identity",
    "content-encoding: gzip",
    "content-encoding: deflate",
    "content-encoding: ,,",
    "location: /tea",
    "location: http://[::1",
    "location: //",
    "location: \xff\xfe",
    "location: http://a.example:99999999/",
    "retry-after: 0",
    "retry-after: Sun, 99 Nov 2026 99:99:99 +9999",
    "retry-after: -1",
    "retry-after: ²",
    "connection: close",
    "connection: upgrade",
    "upgrade: h2c",
    "expect: 100-continue",
    "etag: \t",
    "set-cookie: a=b",
]
BODIES = [
    b"",
    b"hello",
    b"<html>tea",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"5\r\nhel",
    gzip.compress(b"hello"),
    b"%PDF-",
    b"\0" * 99,
]


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    version = draw(st.sampled_from(["HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2", "ICY"]))
    status = draw(
        st.sampled_from([100, 101, 103, 199, 200, 201, 204, 206, 226, 301, 302, 304, 307, 400, 429, 503, 599, 999])
    )
    headers = draw(st.lists(st.sampled_from(HEADERS), max_size=5))
    ending = draw(st.sampled_from(["\r\n", "\n", "\r"]))
    head = ending.join([f"{version} {status} Fine", *headers, "", ""]).encode("latin-1")
    whole = head + draw(st.one_of(st.sampled_from(BODIES), st.binary(max_size=50)))
    if draw(st.booleans()):
        place = draw(st.integers(0, len(whole)))
        whole = whole[:place] + draw(st.binary(max_size=3)) + whole[place + draw(st.integers(0, 3)) :]
    return whole


async def read(answer: bytes, *, robots: bool = False) -> None:
    pages = fetcher(
        private_hosts=(),
        robots=robots,
        page_timeout=5,
        page_max_bytes=10_000,
        resolve=answering(["8.8.8.8"]),
        network=Recorder(answer),
    )
    try:
        page = await pages.fetch("http://a.example/", etag='"x"')
    except ProviderError as error:
        assert str(error).isprintable()
        assert isinstance(error, PageError) or type(error) is not ProviderError
    else:
        assert page is None or (200 <= page.status < 300 and len(page.body) <= 10_000)
    assert pages.connections == 0
    await pages.close()


@FEWER
@given(answers())
@example(b"")
@example(b"HTTP/1.1 503 Fine\r\nretry-after: Sun, 99 Nov 2026 99:99:99 +9999\r\n\r\n")
async def test_an_answer_that_is_almost_http_ends_in_a_page_or_an_error(answer: bytes) -> None:
    await read(answer)


@FEWER
@given(st.binary(max_size=400))
async def test_any_bytes_end_in_a_page_or_an_error(answer: bytes) -> None:
    await read(answer)
    await read(b"HTTP/1.1 200 OK\r\n" + answer, robots=True)


@pytest.mark.parametrize(
    "error",
    [
        httpcore.ReadError(),
        httpcore.ReadTimeout(),
        httpcore.WriteError(),
        ssl.SSLError("decryption failed or bad record mac"),
        ConnectionResetError(),
        TimeoutError(),
        OSError("no buffer space available"),
    ],
    ids=repr,
)
async def test_whatever_happens_below_http_is_an_error_of_that_page(error: Exception) -> None:
    network = Recorder()
    network.broken = error
    pages = fetcher(private_hosts=(), robots=False, resolve=answering(["8.8.8.8"]), network=network)
    with pytest.raises(ProviderError):
        await pages.fetch("http://a.example/")

    assert pages.connections == 0
    network.broken = None
    assert await pages.fetch("http://a.example/") is not None


async def test_a_hundred_failures_leave_nothing_behind() -> None:
    network = Recorder()
    network.broken = httpcore.ReadError()
    pages = fetcher(private_hosts=(), robots=False, page_delay=0, resolve=answering(["8.8.8.8"]), network=network)
    for number in range(10):
        with pytest.raises(Unreachable):
            await pages.fetch(f"http://a.example/{number}")
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(100):
            with pytest.raises(Unreachable):
                await pages.fetch(f"http://a.example/{number}")
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()

    assert grown < 100_000
    assert pages.connections == 0
