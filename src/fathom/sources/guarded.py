"""Asks what a user has written, so that nothing it does harms more than its own answer."""

from __future__ import annotations

import asyncio
import inspect
import queue
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from itertools import islice
from threading import Thread
from typing import Any

from fathom.errors import NoEvidence, ProviderError, TimedOut, Unavailable
from fathom.outcomes import Within, guarded, settle
from fathom.text.harmless import inert

MOST = 1_000
"""Hits of one answer that are looked at."""


class Guarded:
    """A connector, which is made when it is first asked; whatever it does, the errors are those of Fathom."""

    def __init__(self, name: str, make: Callable[[], Any], *, timeout: float) -> None:
        """`make` gives the connector; `timeout`: seconds that a call may take."""
        self.name = name
        self._make, self._timeout = make, timeout
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]]] = queue.SimpleQueue()
        self._turn = asyncio.Lock()
        self._last: asyncio.Future[Any] | None = None
        self._object: Any = None

    @property
    def address(self) -> Any:
        """Where it says that it asks, once it was made."""
        return getattr(self._object, "address", None)

    async def ask(self, method: str, *given: Any) -> Any:
        """What one of its methods returns, in whatever shape.

        Raises:
            NoEvidence: it has no such method.
            Unavailable: it cannot be made, has failed, or has not answered in time.
            ProviderError: its own, where it knows Fathom's.
        """
        try:
            if self._object is None:
                async with self._turn:
                    self._object = self._object or await self._in_its_thread(self._make)
            if (asked := getattr(self._object, method, None)) is None:
                raise NoEvidence(f"the source '{self.name}' gives no text of it, and has no `{method}` that would")
            if inspect.iscoroutinefunction(asked):
                answer = asked(*given)
            else:
                async with self._turn:
                    answer = await self._in_its_thread(lambda: _whole(asked(*given)))
            return await self._in_time(guarded(answer)) if inspect.isawaitable(answer) else answer
        except ProviderError:
            raise
        except Exception as error:
            said = inert(f"{type(error).__name__}: {error}", width=300).rstrip(": .")
            what = f"has failed at `{method}`" if self._object is not None else "cannot be made"
            told = f"The source '{self.name}' {what}: {said}. Mend it, then take the run up again."
            raise Unavailable(told) from error

    async def _in_its_thread(self, work: Callable[[], Any]) -> Any:
        """What `work` returns or raises. Nobody waits for the thread: what hangs there ends with the process."""
        if self._last is None:
            Thread(target=self._serve, daemon=True, name=f"fathom source {self.name}").start()
        elif not self._last.done():
            raise self._late()
        self._last = last = asyncio.get_running_loop().create_future()
        last.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may ask for it any more
        self._work.put((work, last))
        return await self._in_time(asyncio.shield(last))

    async def _in_time(self, answer: Awaitable[Any]) -> Any:
        limit = Within(self._timeout)
        try:
            async with limit:
                return await answer
        except TimeoutError as error:
            if limit.expired():
                raise self._late() from error
            raise  # its own

    def _late(self) -> TimedOut:
        took = f"The source '{self.name}' has not answered in {self._timeout:g} s"
        return TimedOut(f"{took}: mend it, or raise `mcp_timeout`. Then take the run up again.")

    def _serve(self) -> None:
        while True:
            work, done = self._work.get()
            try:
                outcome = work()
            except BaseException as error:  # noqa: BLE001 - whoever asked is told
                outcome = error
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                done.get_loop().call_soon_threadsafe(settle, done, outcome)


def _whole(answer: Any) -> Any:
    """What is given one by one as a list, so that none of its code runs elsewhere."""
    return list(islice(answer, MOST)) if isinstance(answer, Iterator) else answer
