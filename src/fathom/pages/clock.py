"""The seconds that a page may take, which run only while its servers are at work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Clock:
    """A deadline that stands still while the page waits for us: for its turn, or for memory."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        """Seconds that remain."""
        self._timeout: asyncio.Timeout | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The time of what happens inside is counted.

        Raises:
            TimeoutError: there is none left.
        """
        loop = asyncio.get_running_loop()
        async with asyncio.timeout_at(loop.time() + self.left) as self._timeout:
            try:
                yield
            finally:
                self.left = (self._timeout.when() or loop.time()) - loop.time()

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Inside of `running`: the time of what happens here is not counted."""
        loop, timeout = asyncio.get_running_loop(), self._timeout
        if timeout is None or (until := timeout.when()) is None or timeout.expired():
            raise RuntimeError("a clock that does not run cannot be paused")
        left = until - loop.time()
        timeout.reschedule(None)
        try:
            yield
        finally:
            timeout.reschedule(loop.time() + left)
