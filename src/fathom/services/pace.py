"""The pace at which a service may be asked."""

from __future__ import annotations

import asyncio
import time


class Pace:
    """Lets calls go one after the other, each so long after the one before, in order of arrival."""

    def __init__(self, per_second: float) -> None:
        self._gap = 1 / per_second
        self._next = 0.0  # when the next call may go, by the monotonic clock
        self._held = 0.0  # until when the service has asked to be left alone

    @property
    def held(self) -> float:
        """Seconds for which the service still wants to be left alone; 0 when it does not."""
        return max(0.0, self._held - time.monotonic())

    def hold(self, seconds: float) -> None:
        """Let no call go for so long; a longer pause that is under way stands."""
        self._held = max(self._held, time.monotonic() + seconds)

    async def turn(self) -> None:
        """Wait until it is the caller's turn."""
        now = time.monotonic()
        at = max(now, self._next)
        self._next = at + self._gap
        await asyncio.sleep(at - now)
        while self.held:  # noqa: ASYNC110 - a pause may be made longer while it lasts
            await asyncio.sleep(self.held)
