"""The gate: how many calls are under way at once, who goes first when not all can, and what waits under a cap."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from math import inf

Priority = tuple[float, ...]
"""Compared left to right; the smaller one goes first."""

KEPT = 7
"""Calls that are kept for each subtask under way that matters more, less those that it has made: as many as one takes,
and the review behind it."""
IDLE_SECONDS = 0.5
"""After which the first goes on although others matter more, when nothing is under way: these wait for it."""


class Gate:
    """Lets `slots` calls through at once; the others wait by priority, then in order of arrival.

    Only calls hold a slot, never the subtasks that wait for them, so that nested work cannot lock itself out. Where a
    cap leaves few calls, one waits until what is kept for the subtasks that matter more is made or free again: what
    these do not need goes to the next.
    """

    def __init__(self, slots: int, *, left: Callable[[], float] = lambda: inf, kept: int = KEPT) -> None:
        self._slots = self._free = slots
        self._left, self._kept = left, kept
        self._arrivals = count()
        self._let_in = self._entering = 0
        """Calls that were let through so far, and those that are not counted yet."""
        self._waiting: list[tuple[Priority, int, asyncio.Future[None]]] = []
        self._shares: dict[Priority, tuple[int, int]] = {}
        """By priority, how many subtasks are under way, and how many calls they have made."""

    async def enter(self, priority: Priority) -> None:
        """Wait for a slot; whoever has entered must `leave`."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (priority, next(self._arrivals), turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was given in the very moment of the cancellation
                self._entering -= 1
                self.leave()
            raise
        self._entering -= 1

    def leave(self) -> None:
        """Give the slot to the first who waits."""
        self._free += 1
        self._admit()

    @contextmanager
    def share(self, priority: Priority, *, step: int = 1) -> Iterator[None]:
        """Keep calls for a subtask under way; with a `step` of -1 for one less, as long as it waits for others."""
        self._begin(priority, step)
        try:
            yield
        finally:
            self._begin(priority, -step)

    def _begin(self, priority: Priority, step: int) -> None:
        running, made = self._shares.get(priority, (0, 0))
        self._shares[priority] = running + step, made
        self._admit()

    def _admit(self, *, anyway: bool = False) -> None:
        while self._free and self._waiting:
            priority, _, turn = self._waiting[0]
            if not turn.done() and not anyway and self._is_crowded(priority):
                if self._free == self._slots:
                    asyncio.get_running_loop().call_later(IDLE_SECONDS, self._rouse, self._let_in)
                return
            heapq.heappop(self._waiting)
            if turn.done():
                continue
            anyway = False
            running, made = self._shares.get(priority, (0, 0))
            self._shares[priority] = running, made + 1
            self._free -= 1
            self._entering += 1
            self._let_in += 1
            turn.set_result(None)

    def _rouse(self, let_in: int) -> None:
        """Let the first one in, if nobody was since."""
        if self._free == self._slots and self._let_in == let_in:
            self._admit(anyway=True)

    def _is_crowded(self, priority: Priority) -> bool:
        kept = (
            max(0, self._kept * running - made)
            for other, (running, made) in self._shares.items()
            if other < priority and running
        )
        return (left := self._left() - self._entering) < inf and 0 < left <= sum(kept)
