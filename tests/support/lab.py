"""A place to run simulated research in: one store, one reasoner, a few sources."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from fathom.engine.run import execute, pin
from fathom.events import Event
from fathom.limits import Limits
from fathom.ports import RunRecord
from fathom.ports.web import Web
from fathom.report import Report
from fathom.sources import AtHand
from fathom.stores.sqlite import SqliteRunStore
from tests.contracts import a_run
from tests.support.doubles.dataset import SimulatedDataset
from tests.support.doubles.reasoner import Latency, Shape, SimulatedReasoner, no_latency
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.honest import faults_of_sources


class Lab:
    """Each `Lab` on the same folder is another process that shares the store."""

    def __init__(
        self,
        folder: Path,
        shape: Shape | None = None,
        *,
        latency: Latency = no_latency,
        sources: Sequence[SimulatedRetriever] | None = None,
        web: Web | None = None,
        datasets: Sequence[SimulatedDataset] = (),
    ) -> None:
        self.store = SqliteRunStore(folder / "fathom.db")
        self.reasoner = SimulatedReasoner(shape, latency=latency)
        self.sources = [SimulatedRetriever(latency=latency)] if sources is None else list(sources)
        self.web = web
        self.datasets = list(datasets)

    async def start(
        self, *, mode: str = "auto", query: str = "", cancel: asyncio.Event | None = None, **limits: Any
    ) -> Report:
        """Create `run_one` and execute it."""
        await self.create(mode=mode, query=query, **limits)
        return await self.resume(cancel=cancel)

    async def create(self, *, mode: str = "auto", query: str = "", **limits: Any) -> None:
        """Create `run_one`."""
        allowed = Limits(**{"max_questions": 10, **limits})
        asked = {"query": query} if query else {}
        await self.store.create_run(a_run(mode=mode, reasoner=pin(self.reasoner), limits=allowed, **asked))

    async def resume(self, *, checkpointer: Any = None, cancel: asyncio.Event | None = None, **limits: Any) -> Report:
        """Take `run_one` up again, with other limits where some are given."""
        run = await self.record()
        run = run.model_copy(update={"limits": run.limits.model_copy(update=limits)})
        return _honest(
            await execute(
                run,
                store=self.store,
                reasoner=self.reasoner,
                sources=AtHand(self.sources, datasets=self.datasets, web=self.web),
                checkpointer=checkpointer,
                cancel=cancel,
            )
        )

    async def replay(self) -> Report:
        """Replay `run_one`, without a web."""
        return await execute(
            await self.record(), store=self.store, reasoner=self.reasoner, sources=AtHand(self.sources), replay=True
        )

    async def has_asked(self, count: int) -> None:
        """Wait until the reasoner was asked so often in this process."""
        while len(self.reasoner.asks) < count:
            await asyncio.wait_for(self.reasoner.asked.wait(), 10)
            self.reasoner.asked.clear()

    async def record(self) -> RunRecord:
        return await self.store.run("run_one")

    async def events(self) -> list[Event]:
        return [stored.event for stored in await self.store.events("run_one")]

    @property
    def calls(self) -> int:
        """Calls performed by this process."""
        asked = sum(len(source.searches) + source.described for source in self.sources)
        return len(self.reasoner.asks) + asked + sum(len(each.called) + each.described for each in self.datasets)

    async def __aenter__(self) -> Lab:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.store.close()


def _honest(report: Report) -> Report:
    faults = faults_of_sources(report)
    assert faults == [], faults
    return report


def same(report: Report) -> str:
    """The report without what a clock has put into it."""
    usage = report.usage.model_copy(update={"seconds": 0.0})
    return report.model_copy(update={"created_at": "", "usage": usage}).model_dump_json()


async def research_calls(lab: Lab) -> int:
    """Without those of the report, to which it belongs that what was gathered before the stop is read and summed up."""
    made = [entry for entry in await lab.store.journal("run_one") if entry.kind not in {"decide", "failed"}]
    return sum(not entry.path.startswith("report/") for entry in made)


async def watched(lab: Lab, folder: Path) -> Report:
    """The run with checkpoints."""
    async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        return await lab.resume(checkpointer=saver)
