"""A page as it is fetched: what is sent, what comes back, and how often somebody is asked."""

from __future__ import annotations

import asyncio
import ssl
import tracemalloc
from collections.abc import Iterator
from http import cookiejar
from pathlib import Path

import pytest

from fathom import __version__
from fathom.errors import (
    ConfigurationError,
    NoEvidence,
    PageTooLarge,
    ProviderFault,
    RateLimited,
    TimedOut,
    Unreachable,
)
from fathom.pages import fetch, room
from fathom.settings import Settings
from fathom_testing.hostile import PAGE
from tests.pages.fetching import Recorder, answering, fetcher
from tests.support.doubles.hostile_server import ETAG, HostileServer


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with HostileServer() as server:
        yield server


async def test_a_page_is_what_its_server_sent_and_what_it_said_of_it(server: HostileServer) -> None:
    pages = fetcher()
    page = await pages.fetch(server.url("/tea?with=milk#part"))

    assert page is not None
    assert page.address == server.url("/tea?with=milk")
    assert (page.status, page.media_type, page.charset, page.body) == (200, "text/html", "utf-8", PAGE)
    assert page.headers == {"etag": ETAG}
    await pages.close()


async def test_a_page_behind_redirects_says_where_it_was_found(server: HostileServer) -> None:
    pages = fetcher()
    near = await pages.fetch(server.url("/chain/10"))
    far = await pages.fetch(server.url(f"/redirect?to=//other.localhost:{server.port}/tea%2520é&status=308"))

    assert near is not None
    assert near.address == server.url("/chain/0")
    assert far is not None
    assert far.address == server.url("/tea%20%C3%A9", host="other.localhost")


async def test_a_version_that_is_known_is_not_sent_again(server: HostileServer) -> None:
    pages = fetcher()

    assert await pages.fetch(server.url("/tea"), etag=ETAG) is None
    assert await pages.fetch(server.url("/tea"), etag='"another"') is not None


async def test_what_is_known_of_a_version_is_told_to_its_own_server_only(server: HostileServer) -> None:
    pages = fetcher()
    away = server.url(f"/redirect?to=http://other.localhost:{server.port}/tea")
    page = await pages.fetch(away, etag=ETAG, last_modified="Sun, 22 Nov 2026 00:00:00 GMT")

    assert page is not None
    assert [("if-none-match" in each.headers, each.host) for each in server.requests] == [
        (True, "evil.localhost"),
        (False, "other.localhost"),
    ]
    assert "if-modified-since" not in server.requests[1].headers


async def test_what_cannot_be_a_header_is_not_sent_as_one(server: HostileServer) -> None:
    pages = fetcher()
    await pages.fetch(server.url("/tea"), etag='"a"\r\nx-more: yes', last_modified="é")

    assert not {"if-none-match", "if-modified-since", "x-more"} & {*server.requests[0].headers}


async def test_nothing_of_the_user_is_sent(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No key, no cookie, no referrer, no password of a netrc; and no proxy of the environment is asked."""
    (tmp_path / ".netrc").write_text("machine evil.localhost login alice password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    pages = fetcher(tavily_api_key="tvly-secret", brave_api_key="brave-secret")
    await pages.fetch(server.url("/chain/2"))
    await pages.fetch(server.url("/tea"))

    assert len(server.requests) == 4
    for each in [*server.requests, *server.robots_requests]:
        assert {*each.headers} == {"host", "user-agent", "accept", "accept-encoding"}
        assert "secret" not in str(each)
        assert each.headers["user-agent"].startswith(f"Fathom/{__version__} ")
        assert each.headers["accept-encoding"] == "gzip, deflate"
    assert cookiejar.__name__ not in vars(fetch)


async def test_a_user_agent_of_ones_own_is_sent(server: HostileServer) -> None:
    await fetcher(user_agent="Acme/2 (bot@acme.example)").fetch(server.url("/tea"))

    assert server.requests[0].headers["user-agent"] == "Acme/2 (bot@acme.example)"
    with pytest.raises(ConfigurationError, match="user_agent"):
        fetcher(user_agent="Acme\r\nx-more: yes")


async def test_what_fails_in_passing_is_asked_once_more(server: HostileServer) -> None:
    pages = fetcher(robots=False)
    for path, error in (("/status/500", ProviderFault), ("/reset-at-once", Unreachable)):
        with pytest.raises(error):
            await pages.fetch(server.url(path))
        assert [each.target for each in server.requests].count(path) == 2
    with pytest.raises(NoEvidence):
        await pages.fetch(server.url("/status/404"))
    assert [each.target for each in server.requests].count("/status/404") == 1


async def test_a_host_that_asks_for_silence_is_asked_once_more_after_it_or_not_at_all(server: HostileServer) -> None:
    pages = fetcher(robots=False)
    with pytest.raises(RateLimited):
        await pages.fetch(server.url("/status/429?retry-after=0", host="short.localhost"))
    with pytest.raises(RateLimited) as caught:
        await pages.fetch(server.url("/status/429?retry-after=3600", host="long.localhost"))
    with pytest.raises(RateLimited, match="asked for silence"):
        await pages.fetch(server.url("/tea", host="long.localhost"))

    assert caught.value.retry_after == 3600
    assert [each.host for each in server.requests] == ["short.localhost", "short.localhost", "long.localhost"]


@pytest.mark.parametrize(
    ("said", "low", "high"),
    [
        ("70", 70, 70),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400, 86_400),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0, 0),
        ("9" * 400, 86_400, 86_400),
    ],
)
async def test_a_wait_is_read_as_seconds_or_as_a_date(
    server: HostileServer, said: str, low: float, high: float
) -> None:
    with pytest.raises(RateLimited) as caught:
        await fetcher(robots=False).fetch(server.url(f"/status/429?retry-after={said.replace(' ', '+')}"))

    assert caught.value.retry_after is not None
    assert low <= caught.value.retry_after <= high


async def test_tls_is_verified_for_the_name_in_the_address() -> None:
    network = Recorder()
    pages = fetcher(private_hosts=(), robots=False, resolve=answering(["8.8.8.8"]), network=network)
    await pages.fetch("https://public.example/")

    [(context, name)] = network.encrypted
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert name == "public.example"


async def test_a_server_that_speaks_no_tls_is_unreachable() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unreachable, match="TLS failed"):
            await fetcher(robots=False).fetch(f"https://evil.localhost:{port}/")


async def test_the_next_place_of_a_host_is_tried_when_the_first_does_not_answer() -> None:
    network = Recorder()
    network.dead = {"2606:4700::1"}
    pages = fetcher(private_hosts=(), robots=False, resolve=answering(["2606:4700::1", "8.8.8.8"]), network=network)
    page = await pages.fetch("http://public.example/")

    assert page is not None
    assert network.connected == [("2606:4700::1", 80), ("8.8.8.8", 80)]


async def test_a_page_may_be_as_large_as_the_setting_says_and_no_byte_larger() -> None:
    def answer(size: int) -> Recorder:
        return Recorder(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n" + b"a" * size)

    for size in (10_000, 10_001):
        pages = fetcher(
            private_hosts=(), robots=False, page_max_bytes=10_000, resolve=answering(["8.8.8.8"]), network=answer(size)
        )
        if size > 10_000:
            with pytest.raises(PageTooLarge, match="more than 10,000 bytes"):
                await pages.fetch("http://public.example/")
        else:
            page = await pages.fetch("http://public.example/")
            assert page is not None
            assert len(page.body) == size


async def test_large_pages_wait_until_there_is_room_and_go_on_when_a_page_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "TOGETHER", 8_000_000)
    body = b"a" * 4_000_000
    network = Recorder(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4000000\r\n\r\n" + body)
    pages = fetcher(
        private_hosts=(), robots=False, page_max_bytes=4_000_000, resolve=answering(["8.8.8.8"]), network=network
    )
    held = 0
    most = 0

    async def read(number: int) -> int:
        nonlocal held, most
        page = await pages.fetch(f"http://host-{number}.example/")
        assert page is not None
        held += 1
        most = max(most, held)
        await asyncio.sleep(0.005)
        held -= 1
        return len(page.body)

    tracemalloc.start()
    try:
        sizes = await asyncio.gather(*(read(number) for number in range(30)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert sizes == [4_000_000] * 30
    assert most <= 2
    assert peak < 80_000_000  # of 120 MB: those that wait hold their first megabyte


async def test_a_page_that_nobody_lets_go_does_not_stop_the_others_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "TOGETHER", 1)
    monkeypatch.setattr(room, "LONGEST_WAIT", 0.05)
    body = b"a" * 2_000_000
    network = Recorder(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2000000\r\n\r\n" + body)
    pages = fetcher(
        private_hosts=(), robots=False, page_max_bytes=4_000_000, resolve=answering(["8.8.8.8"]), network=network
    )

    kept = [await pages.fetch(f"http://host-{number}.example/") for number in range(3)]

    assert [page is not None and len(page.body) for page in kept] == [2_000_000] * 3


def test_settings_that_nobody_has_changed_make_a_fetcher() -> None:
    from fathom.browsing import WebRules

    fetch.Fetcher(Settings(), rules=WebRules())


async def test_a_handshake_that_never_ends_leaves_no_connection() -> None:
    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(wait, "127.0.0.1", 0) as server:
        pages = fetcher(robots=False, page_timeout=0.2)
        with pytest.raises(TimedOut):
            await pages.fetch(f"https://evil.localhost:{server.sockets[0].getsockname()[1]}/")

        assert pages.connections == 0
