"""A host gets few requests at once, and none while it wants silence."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from fathom.errors import RateLimited, TimedOut
from fathom.pages import pace
from fathom.pages.pace import HostPace
from tests.pages.fetching import fetcher
from tests.support.doubles.hostile_server import HostileServer


async def test_a_host_gets_two_requests_at_once_and_other_hosts_do_not_wait_for_it() -> None:
    with HostileServer() as server:
        pages = fetcher(robots=False)
        urls = [server.url(f"/{number}", host=f"{name}.localhost") for number in range(10) for name in "abc"]
        await asyncio.gather(*(pages.fetch(url) for url in urls))

        assert [server.busiest(f"{name}.localhost") for name in "abc"] == [2, 2, 2]


async def test_between_two_starts_lies_the_delay() -> None:
    loop = asyncio.get_running_loop()
    turns, starts = HostPace(0.03), []

    async def go() -> None:
        async with turns.turn("a.example"):
            starts.append(loop.time())

    turns.slow_down("a.example", 0.05)
    await asyncio.gather(*(go() for _ in range(4)))

    assert all(later - earlier >= 0.045 for earlier, later in pairwise(starts))


async def test_a_turn_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "LONGEST_WAIT", 0.05)
    turns = HostPace(0)

    async with turns.turn("a.example"), turns.turn("a.example"):
        with pytest.raises(TimedOut, match="its turn did not come"):
            async with turns.turn("a.example"):
                raise AssertionError("a third request at once")
    async with turns.turn("a.example"):
        pass
    slow = HostPace(1.0)
    async with slow.turn("a.example"):
        with pytest.raises(TimedOut):
            async with slow.turn("a.example"):
                raise AssertionError("a second request too early")


async def test_waiting_for_a_turn_takes_nothing_of_the_time_of_a_page() -> None:
    with HostileServer() as server:
        pages = fetcher(robots=False, page_timeout=0.5, page_delay=0.3)
        found = await asyncio.gather(*(pages.fetch(server.url(f"/{number}")) for number in range(5)))

        assert all(found)


async def test_a_host_that_wants_silence_gets_it() -> None:
    turns = HostPace(0)
    turns.silence("a.example", 0.1)
    loop = asyncio.get_running_loop()
    before = loop.time()
    async with turns.turn("a.example"):
        assert loop.time() - before >= 0.095

    turns.silence("a.example", 100)
    turns.silence("a.example", 1)
    with pytest.raises(RateLimited) as caught:
        async with turns.turn("a.example"):
            raise AssertionError("a request in the silence")
    assert 90 < (caught.value.retry_after or 0) <= 100
    async with turns.turn("b.example"):
        pass


async def test_what_is_known_of_hosts_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_HOSTS", 10)
    turns = HostPace(0)

    async with turns.turn("busy.example"):
        for number in range(100):
            async with turns.turn(f"{number}.example"):
                pass
        assert len(turns._hosts) <= 11
        assert "busy.example" in turns._hosts
