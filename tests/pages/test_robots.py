"""What a host asks of robots is asked once and obeyed, and a hostile robots.txt costs its own host alone."""

from __future__ import annotations

import asyncio
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.errors import PageRefused, RateLimited, Unreachable
from fathom.pages.guard import Address
from fathom.pages.robots import Robots
from tests.pages.fetching import fetcher
from tests.support.doubles.hostile_server import HostileServer

HOSTS = ["evil.localhost", "other.localhost"]
NO = b"User-agent: *\nDisallow: /private\n"


def robots(body: bytes, *, status: int = 200, agent: str = "Fathom") -> Robots:
    async def get(address: Address) -> tuple[int, bytes]:
        assert address.target == "/robots.txt"
        return status, body

    return Robots(get, agent=agent)


async def allowed(rules: Robots, path: str) -> bool:
    try:
        await rules.delay(Address.parse(f"http://a.example{path}"))
    except PageRefused:
        return False
    return True


async def test_a_page_that_robots_txt_does_not_allow_is_not_asked_for() -> None:
    with HostileServer(robots={"evil.localhost": NO}) as server:
        pages = fetcher()
        with pytest.raises(PageRefused, match=r"robots\.txt .* does not allow it"):
            await pages.fetch(server.url("/private/tea"))

        assert server.requests == []
        assert await pages.fetch(server.url("/tea")) is not None


async def test_robots_txt_is_asked_for_once_per_host_also_by_many_at_once() -> None:
    with HostileServer(robots={"evil.localhost": NO}) as server:
        pages = fetcher()
        await asyncio.gather(
            *(pages.fetch(server.url(f"/{number}", host=host)) for number in range(4) for host in HOSTS)
        )

        assert sorted(each.host for each in server.robots_requests) == sorted(HOSTS)


async def test_a_redirect_to_a_page_that_its_host_does_not_allow_is_not_followed() -> None:
    with HostileServer(robots={"shy.localhost": NO}) as server:
        pages = fetcher()
        with pytest.raises(PageRefused, match=r"robots\.txt of shy"):
            await pages.fetch(server.url(f"/redirect?to=http://shy.localhost:{server.port}/private"))

        assert [each.host for each in server.requests] == ["evil.localhost"]


async def test_a_setting_leaves_robots_txt_aside() -> None:
    with HostileServer(robots={"evil.localhost": NO}) as server:
        assert await fetcher(robots=False).fetch(server.url("/private")) is not None
        assert server.robots_requests == []


@pytest.mark.parametrize(
    "answer", ["/status/404", "/status/410", "/status/401", "/status/403", "/loop", "/chain/12", "/status/204"]
)
async def test_without_a_robots_txt_all_is_allowed(answer: str) -> None:
    with HostileServer(robots={"evil.localhost": answer}) as server:
        assert await fetcher().fetch(server.url("/tea")) is not None


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("/status/500", PageRefused),
        ("/status/503", PageRefused),
        ("/redirect?to=http://10.0.0.1/robots.txt", PageRefused),
        ("/garbage", PageRefused),
        ("/giant-header", PageRefused),
        ("/drip", PageRefused),
        ("/false-gzip", PageRefused),
        ("/reset", Unreachable),
        ("/silence", Unreachable),
        ("/status/429?retry-after=3600", RateLimited),
    ],
)
async def test_a_robots_txt_that_cannot_be_had_counts_as_a_no(answer: str, error: type[Exception]) -> None:
    with HostileServer(robots={"evil.localhost": answer}) as server:
        pages = fetcher(page_timeout=1.0)
        for _ in range(2):
            with pytest.raises(error):
                await pages.fetch(server.url("/tea"))

        assert server.requests == []
        assert len(server.robots_requests) <= 2  # the second page does not ask again
        assert await pages.fetch(server.url("/tea", host="other.localhost")) is not None


@pytest.mark.parametrize("answer", ["/endless", "/bomb", "/pdf-as-html", "/picture"])
async def test_a_robots_txt_that_is_none_or_has_no_end_is_read_as_far_as_it_counts(answer: str) -> None:
    with HostileServer(robots={"evil.localhost": answer}) as server:
        assert await fetcher().fetch(server.url("/tea")) is not None


async def test_the_group_of_our_own_name_counts_and_no_name_that_is_only_alike() -> None:
    text = b"User-agent: *\nDisallow: /\n\nUser-agent: fathom/2.0\nAllow: /\nDisallow: /no\n"

    assert await allowed(robots(text), "/tea")
    assert not await allowed(robots(text), "/no")
    assert not await allowed(robots(text, agent="Acme"), "/tea")
    assert await allowed(robots(b"User-agent: Fath\nDisallow: /\n"), "/tea")
    assert await allowed(robots(b"User-agent: Fathom-Images\nDisallow: /\n"), "/tea")
    assert not await allowed(robots(b"User-agent: Other\nUser-agent: FATHOM\nDisallow: /\n"), "/tea")
    assert not await allowed(robots(b"\xef\xbb\xbfUser-agent: Fathom\nDisallow: /\n"), "/tea")


async def test_a_delay_is_kept_and_one_of_more_than_ten_seconds_is_a_no() -> None:
    address = Address.parse("http://a.example/tea")

    assert await robots(b"User-agent: *\nCrawl-delay: 2.5\n").delay(address) == 2.5
    with pytest.raises(PageRefused, match="wants 60 s"):
        await robots(b"User-agent: *\nCrawl-delay: 60\n").delay(address)
    assert await robots(b"User-agent: *\nCrawl-delay: never\nCrawl-delay: -5\nCrawl-delay: inf\n").delay(address) == 0


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"User-agent: name-{number}\n" for number in range(15_000)) + "Disallow: /a\n" * 15_000,
        "User-agent: *\n" + "Disallow: /" + "*a" * 200_000,
        "User-agent: *\n" + "Disallow: /*a*a*a*b\n" * 20_000,
        "User-agent: *\n" * 35_000,
        "user agent " * 40_000,
        "#" * 500_000,
    ],
    ids=["many names", "one long pattern", "many patterns", "one name", "words", "comments"],
)
async def test_a_hostile_robots_txt_takes_no_more_work_than_its_length(text: str) -> None:
    """A parser that meets each name with each rule would keep two hundred million rules."""
    tracemalloc.start()
    try:
        await allowed(robots(text.encode()), "/" + "a" * 2_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 40_000_000


@given(st.binary(max_size=300), st.text(max_size=20))
async def test_whatever_stands_in_a_robots_txt_is_read(body: bytes, path: str) -> None:
    await allowed(robots(body), f"/{path}")
    assert await allowed(
        robots(body.replace(b"\r", b"") + b"\n\nUser-agent: Fathom\nAllow: /\n", status=404), f"/{path}"
    )
