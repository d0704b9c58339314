"""A run under way: its events as they come, then its report."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import KW_ONLY, dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict

from fathom.errors import NotFound
from fathom.wiring.adapters import checkpoint_trouble
from fathom.wiring.question import taken_since
from fathom.wiring.tracing import tracing_allowed

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from fathom.events import StoredEvent
    from fathom.knowledge.ingestion import IngestReport
    from fathom.ports import Reasoner, RunRecord, RunStore
    from fathom.report import Report
    from fathom.sources import AtHand


CLOSE_SECONDS = 5.0
"""How long a run that is over is waited for until all that it had open is closed: its report is there."""


@dataclass(frozen=True)
class Begun:
    """A run that is ready to be executed."""

    run: RunRecord
    store: RunStore
    adapters: Adapters
    checkpointer: BaseCheckpointSaver[Any] | None = None
    """Where the graph's states can be looked at; a replay needs none."""
    ingested: IngestReport | None = None
    _: KW_ONLY
    no_web: bool
    """Whether its trace, too, must stay on this machine."""

    async def execute(self, cancel: asyncio.Event | None = None, *, replay: bool = False, taken: float = 0.0) -> Report:
        """Take it to its report (see `fathom.engine.run.execute`)."""
        from fathom.engine.run import execute

        with checkpoint_trouble(), tracing_allowed(no_web=self.no_web):
            return await execute(
                self.run,
                store=self.store,
                checkpointer=self.checkpointer,
                cancel=cancel,
                replay=replay,
                taken=taken,
                **self.adapters,
            )


class Adapters(TypedDict):
    """What the engine is given, by its own names."""

    reasoner: Reasoner
    sources: AtHand


class RunStream:
    """A run under way: its events as they come, then its report.

        async with fathom.stream("…", documents=["./notes"]) as run:
            async for stored in run:
                print(stored.event.kind)
            report = await run.report()

    Leaving the block early abandons the work; nothing that was finished is lost, and `resume` goes on from there.
    """

    def __init__(self, begin: Callable[[AsyncExitStack], Awaitable[Begun]]) -> None:
        self._begin = begin
        self._open = AsyncExitStack()
        self._stop = asyncio.Event()
        self._run: Begun | None = None
        self._work: asyncio.Task[Report] | None = None
        self.known = 0
        """Number of the last event of earlier processes: those up to it are history."""

    async def __aenter__(self) -> Self:
        """Open what the run needs, read its documents in, and set it going.

        Raises:
            UsageError, ConfigurationError, StoreError: it cannot begin.
        """
        asked = time.monotonic()
        async with AsyncExitStack() as stack:
            self._run = await self._begin(stack)
            await self._run.store.mend(self._run.run.run_id)
            events = await self._run.store.events(self._run.run.run_id)
            self._open = stack.pop_all()
        self.known = events[-1].seq if events else 0
        taken = taken_since(asked, self._run.run.limits)
        self._work = asyncio.ensure_future(self._run.execute(self._stop, taken=taken))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._work is not None and not self._work.done():
            self._work.cancel()
            await asyncio.wait([self._work])
        closing = asyncio.ensure_future(self._open.aclose())
        await asyncio.wait([closing], timeout=CLOSE_SECONDS)
        if closing.done():
            closing.result()

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._begun.run.run_id

    @property
    def ingested(self) -> IngestReport | None:
        """What was read in for the run; `None` when it uses the knowledge base as it is."""
        return self._begun.ingested

    @property
    def without_documents(self) -> str | None:
        """The knowledge base that the run was to ask and that holds nothing, so that the web alone is asked."""
        sources = self._begun.run.sources
        if sources.get("knowledge", True) or "data" in sources or sources["web"]["offline"]:
            return None
        return str(sources["kb"])

    @property
    def _begun(self) -> Begun:
        if self._run is None:
            raise RuntimeError("enter the stream first: `async with stream as run`")
        return self._run

    def stop(self) -> None:
        """Finish what is under way, and write a partial report from what was found."""
        self._stop.set()

    async def __aiter__(self) -> AsyncIterator[StoredEvent]:
        """Every event of the run from its first one, history included, until it ends.

        Raises:
            FathomError: the run failed.
        """
        store, work = self._begun.store, self._work
        assert work is not None
        seq = 0
        for stored in await store.events(self.run_id):
            if stored.seq <= self.known:
                seq = stored.seq
                yield stored
        following = store.follow(self.run_id, after=seq)
        while not work.done():
            upcoming = asyncio.ensure_future(anext(following))
            await asyncio.wait([upcoming, work], return_when=asyncio.FIRST_COMPLETED)
            if not upcoming.done():  # the work has ended, for good or ill, without a last event
                upcoming.cancel()
                await asyncio.wait([upcoming])
                break
            if isinstance(upcoming.exception(), StopAsyncIteration | NotFound):  # deleted: the work says so
                break
            seq = upcoming.result().seq
            yield upcoming.result()
        await asyncio.wait([work])
        with suppress(NotFound):
            for stored in await store.events(self.run_id, after=seq):
                yield stored
        work.result()  # an end without a report must not look like one with it

    async def report(self) -> Report:
        """The report, once there is one.

        Raises:
            FathomError: the run failed.
        """
        assert self._work is not None
        return await asyncio.shield(self._work)
