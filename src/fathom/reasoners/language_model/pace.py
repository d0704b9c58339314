"""One pace per host: whoever asks a busy provider waits until it will answer again."""

from __future__ import annotations

import asyncio


class Pace:
    """When a host may be asked again."""

    def __init__(self) -> None:
        self._free: dict[str, float] = {}  # by host, in seconds of the event loop's clock

    def hold(self, host: str, seconds: float) -> None:
        """Ask `host` nothing for so long; a longer pause that is under way stands."""
        until = asyncio.get_running_loop().time() + seconds
        self._free[host] = max(until, self._free.get(host, 0.0))

    def left(self, host: str) -> float:
        """Seconds until `host` may be asked; 0 when it may be asked now."""
        return max(0.0, self._free.get(host, 0.0) - asyncio.get_running_loop().time())
