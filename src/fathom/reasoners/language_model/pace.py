"""One pace per host: a busy provider is left alone until it answers again, a small one is asked by few at a time."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext


class ModelPace:
    """When a host may be asked again, and by how many at once."""

    def __init__(self) -> None:
        self._free: dict[str, float] = {}  # by host, in seconds of the event loop's clock
        self._slots: dict[str, asyncio.Semaphore] = {}

    def hold(self, host: str, seconds: float) -> None:
        """Ask `host` nothing for so long; a longer pause that is under way stands."""
        until = asyncio.get_running_loop().time() + seconds
        self._free[host] = max(until, self._free.get(host, 0.0))

    def left(self, host: str) -> float:
        """Seconds until `host` may be asked; 0 when it may be asked now."""
        return max(0.0, self._free.get(host, 0.0) - asyncio.get_running_loop().time())

    def slot(self, host: str, *, most: int | None) -> AbstractAsyncContextManager[None]:
        """One of `most` places at `host`, in order of arrival; `None` has as many as come."""
        if most is None:
            return nullcontext()
        return self._slots.setdefault(host, asyncio.Semaphore(most))
