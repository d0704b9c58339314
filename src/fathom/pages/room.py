"""Bounds the memory that large bodies take together."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import suppress

TOGETHER = 60_000_000
"""Bytes of large bodies that are held at the same time."""
LARGE = 1_000_000
"""Bytes from which a body counts as large."""
LONGEST_WAIT = 30.0
"""Seconds that a body waits for room: longer, and its server would hang up."""


class MemoryRoom:
    """Lets in so many large bodies that all of them together stay within `TOGETHER`."""

    def __init__(self, max_bytes: int) -> None:
        """`max_bytes` is how large one body may become."""
        self._slots = asyncio.Semaphore(max(1, TOGETHER // max_bytes))

    async def enter(self) -> MemoryShare:
        """A place for one body. After half a minute without one it is let in all the same: better than lost."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT):
                await self._slots.acquire()
                return MemoryShare(self._slots)
        return MemoryShare(None)


class MemoryShare:
    """A large body's right to memory, which it gives back once."""

    def __init__(self, slots: asyncio.Semaphore | None) -> None:
        self._slots = slots
        self._loop = asyncio.get_running_loop()

    def leave(self) -> None:
        """Make room for another body; a second time does nothing."""
        slots, self._slots = self._slots, None
        if slots and not self._loop.is_closed():
            with suppress(RuntimeError):  # the loop has closed in this very moment
                self._loop.call_soon_threadsafe(slots.release)

    def leave_with(self, holder: object) -> None:
        """Make room when `holder` is gone, in whichever thread that happens."""
        weakref.finalize(holder, self.leave).atexit = False
