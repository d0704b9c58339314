"""The gate: how many calls are under way at once, and who goes first when not all can."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

Priority = tuple[float, ...]
"""Compared left to right; the smaller one goes first."""


class Gate:
    """Lets `slots` calls through at once; the others wait by priority, then in order of arrival.

    Only calls hold a slot, never the subtasks that wait for them, so that nested work cannot lock itself out.
    """

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._arrivals = count()
        self._waiting: list[tuple[Priority, int, asyncio.Future[None]]] = []

    async def enter(self, priority: Priority) -> None:
        """Wait for a slot; whoever has entered must `leave`."""
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (priority, next(self._arrivals), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was given in the very moment of the cancellation
                self.leave()
            raise

    def leave(self) -> None:
        """Give the slot to the first who waits."""
        while self._waiting:
            *_, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
