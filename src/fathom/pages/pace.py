"""Keeps the requests to one host few, apart, and silent when it asks for silence."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fathom.errors import RateLimited, TimedOut

AT_ONCE = 2
"""Requests to one host at the same time."""
LONGEST_WAIT = 60.0
"""Seconds that a page waits for its turn."""
LONGEST_PAUSE = 10.0
"""Seconds of silence that are waited for when a host asks for them; beyond, its pages are given up."""
_HOSTS = 2_000


@dataclass
class _Host:
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    delay: float = 0.0
    next_start: float = 0.0
    silent_until: float = 0.0
    users: int = 0


class HostPace:
    """Turns of the hosts. One belongs to one event loop."""

    def __init__(self, delay: float) -> None:
        """`delay` is in seconds between the starts of two requests to a host."""
        self._delay = delay
        self._hosts: OrderedDict[str, _Host] = OrderedDict()

    def slow_down(self, host: str, delay: float) -> None:
        """At least `delay` seconds between the starts of requests to that host from now on."""
        self._host(host).delay = delay

    def silence(self, host: str, seconds: float) -> None:
        """No request to that host for so long."""
        known = self._host(host)
        known.silent_until = max(known.silent_until, asyncio.get_running_loop().time() + seconds)

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """One request to the host, when it is its turn.

        Raises:
            TimedOut: the turn did not come within a minute.
            RateLimited: the host has asked for a longer silence than is waited for.
        """
        known = self._host(host)
        known.users += 1
        try:
            try:
                async with asyncio.timeout(LONGEST_WAIT):
                    await known.slots.acquire()
            except TimeoutError as error:
                raise _too_late(host) from error
            try:
                await self._wait(host, known)
                yield
            finally:
                known.slots.release()
        finally:
            known.users -= 1

    async def _wait(self, host: str, known: _Host) -> None:
        loop = asyncio.get_running_loop()
        async with known.starting:  # one after the other, so that the delay lies between starts, however late they are
            while (now := loop.time()) < (start := max(known.next_start, known.silent_until)):
                if (silent := known.silent_until - now) > LONGEST_PAUSE:
                    raise RateLimited(f"{host} asked for silence for {silent:.0f} s more.", retry_after=silent)
                if start - now > LONGEST_WAIT:
                    raise _too_late(host)
                await asyncio.sleep(start - now)
            known.next_start = now + max(self._delay, known.delay)

    def _host(self, host: str) -> _Host:
        known = self._hosts.setdefault(host, _Host())
        self._hosts.move_to_end(host)
        if (
            len(self._hosts) > _HOSTS
            and (idle := next((n for n, each in self._hosts.items() if not each.users), host)) != host
        ):
            del self._hosts[idle]
        return known


def _too_late(host: str) -> TimedOut:
    return TimedOut(f"{host} was not asked: its turn did not come within {LONGEST_WAIT:.0f} s. Ask it for fewer pages.")
