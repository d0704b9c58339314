"""What the execution core costs, with simulated latencies: prints a table.

Run `python benchmarks/engine.py [--quick]`. `--quick` leaves out the run of 2,000 calls and most of the kills. The
ideal is the same calls on a scheduler that costs nothing: with slots to spare it is the critical path.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # the simulations live beside the tests

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from rich.console import Console
from rich.table import Table
from tests.support.crash import SHAPE, killed
from tests.support.doubles.calls import answer_of
from tests.support.doubles.reasoner import Shape, SimulatedReasoner, jittered
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.ideal import calls_of, seconds_of
from tests.support.lab import Lab, same

from fathom.report import Report

SMALL = Shape(subtasks=10, dependencies={6: (1, 2), 7: (3,), 8: (6,)}, rounds=2, queries=4)
LARGE = Shape(
    subtasks=9,
    dependencies={n: (n - 3,) for n in range(4, 10)},
    children=dict.fromkeys(range(1, 10), 4),
    queries=5,
)
"""189 subtasks on three levels."""


@dataclass
class Stopwatch:
    """A store with a stopwatch on `record`."""

    store: Any
    waits: list[float] = field(default_factory=list)

    async def record(self, *args: Any, **kwargs: Any) -> str:
        started = time.perf_counter()
        answer: str = await self.store.record(*args, **kwargs)
        self.waits.append(time.perf_counter() - started)
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


@dataclass(frozen=True)
class Figures:
    """What one run took."""

    calls: int
    wall: float
    ideal: float
    cpu: float
    durable: list[float]
    database: int
    payload: int
    checkpoints: int
    replayed: int
    """Calls of resuming and replaying the finished run."""


async def measure(shape: Shape, *, latency: float, **limits: Any) -> Figures:
    """A run from its creation to its report, with checkpoints, then resumed and replayed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lab = Lab(folder, shape, latency=jittered(latency))
        watch = Stopwatch(lab.store)
        lab.store = watch  # type: ignore[assignment]
        await lab.create(**{"max_depth": 2, **limits})
        async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
            cpu, wall = time.process_time(), time.perf_counter()
            report = await lab.resume(checkpointer=saver)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        cpu -= await _simulation(lab)
        entries = await lab.store.journal("run_one")
        slots = limits.get("max_concurrency", 10_000)
        ideal = seconds_of(calls_of(lab, entries, shape), slots=slots)
        calls = lab.calls
        again = [await lab.resume(), await lab.replay()]
        assert all(each == report for each in again), "a replay differs"
        replayed = lab.calls - calls
        payload = await _payload(lab, report)
        await lab.store.close()
        sizes = [(folder / name).stat().st_size for name in ("fathom.db", "checkpoints.db")]
    return Figures(calls, wall, ideal, cpu, watch.waits, sizes[0], payload, sizes[1], replayed)


async def _simulation(lab: Lab) -> float:
    """CPU seconds that the simulated answers alone took."""
    reasoner = SimulatedReasoner(lab.reasoner.shape, latency=jittered(0.0))
    source = SimulatedRetriever(latency=jittered(0.0))
    began = time.process_time()
    for ask in lab.reasoner.asks:
        await answer_of(reasoner, ask)
    for query, limit in lab.sources[0].queries:
        await source.search(query, limit=limit)
    return time.process_time() - began


async def _payload(lab: Lab, report: Report) -> int:
    """Bytes of what a run must keep: its answers, snapshots, events and report."""
    entries = await lab.store.journal("run_one")
    snapshots = [await lab.store.snapshot(source.sha256) for source in report.sources]
    events = [event.model_dump_json() for event in await lab.events()]
    texts = [*{entry.answer for entry in entries}, *snapshots, *events, report.model_dump_json()]
    return sum(len(text.encode()) for text in texts)


async def cancel_latency(seconds: float) -> tuple[float, bool]:
    """Seconds from the wish to stop to the report, when writing takes none, and whether a resume makes it whole."""
    research = jittered(seconds)

    def latency(kind: str, digest: str) -> float:
        return 0.0 if kind in {"SynthesizeSubtask", "OutlineReport", "WriteSection"} else research(kind, digest)

    with tempfile.TemporaryDirectory() as name:
        async with Lab(Path(name) / "whole", SMALL) as lab:
            whole, needed = await lab.start(), lab.calls
        async with Lab(Path(name) / "cut", SMALL, latency=latency) as lab:
            cancel = asyncio.Event()
            run = asyncio.create_task(lab.start(cancel=cancel))
            await lab.has_asked(20)
            began = time.perf_counter()
            cancel.set()
            partial = await run
            ended = time.perf_counter() - began
            assert partial.partial == "cancelled"
            for_the_report = sum(partial.usage.calls.get(kind, 0) for kind in ("OutlineReport", "WriteSection"))
            report = await lab.resume()
            # a synthesis of what was found before the cut may be asked again of all that was found
            missing = lab.calls - needed - for_the_report <= partial.usage.calls.get("SynthesizeSubtask", 0)
        return ended, report.markdown == whole.markdown and missing


def rows(quick: bool) -> list[tuple[str, str, str]]:
    """Figure, measured, wanted."""
    small = asyncio.run(measure(SMALL, latency=0.4, max_concurrency=256))
    bound = asyncio.run(measure(SMALL, latency=0.2, max_concurrency=4))
    found = [
        _wall("wall / critical path", small, "≤ 1.03"),
        _wall("… 4 slots, / priority schedule", bound, "≤ 1.05"),
        _cpu(small, "≤ 2 ms"),
    ]
    quick_small = asyncio.run(measure(SMALL, latency=0.02, max_concurrency=256))
    found += [_cpu(quick_small, "≤ 2 ms", "… back to back")]
    runs = [small]
    if not quick:
        wide = {"max_depth": 3, "max_children": 4, "max_queries": 5, "max_subtasks": 200, "max_concurrency": 256}
        large = asyncio.run(measure(LARGE, latency=0.7, **wide))
        found += [_wall(f"wall / critical path, {large.calls / large.wall:.0f} calls/s", large, "≤ 1.05")]
        found += [_cpu(large, "≤ 1 ms")]
        found += [_cpu(asyncio.run(measure(LARGE, latency=0.05, **wide)), "≤ 1 ms", "… back to back")]
        runs.append(large)
    for each in runs:
        cuts = quantiles(each.durable, n=100)
        found += [
            (
                f"answer durable, p50 / p99 ({each.calls} calls)",
                f"{median(each.durable) * 1000:.2f} / {cuts[98] * 1000:.1f} ms",
                "≤ 1 / 30 ms",
            ),
            (
                f"database ({each.calls} calls)",
                f"{each.database / 1000:.0f} KB of {each.payload / 1000:.0f} KB payload",
                "≤ 3 × + 200 KB",
            ),
            (f"checkpoints ({each.calls} calls)", f"{each.checkpoints / 1000:.0f} KB", "no texts"),
            (f"calls of resuming and replaying ({each.calls} calls)", str(each.replayed), "0"),
        ]
    found.append(_kills(6 if quick else 50))
    ended, whole = asyncio.run(cancel_latency(0.4))
    found.append(("cancelled in the middle, seconds to the end", f"{ended:.2f} (a call takes up to 0.60)", "≤ 0.70"))
    found.append(("… then resumed: same text, only what is missing", "yes" if whole else "NO", "yes"))
    return found


def _wall(name: str, run: Figures, wanted: str) -> tuple[str, str, str]:
    return f"{name} ({run.calls} calls)", f"{run.wall / run.ideal:.3f} ({run.wall:.2f} / {run.ideal:.2f} s)", wanted


def _cpu(run: Figures, wanted: str, name: str = "CPU per call") -> tuple[str, str, str]:
    return f"{name} ({run.calls} calls)", f"{run.cpu / run.calls * 1000:.2f} ms", wanted


def _kills(wanted: int) -> tuple[str, str, str]:
    async def unharmed(folder: Path) -> str:
        async with Lab(folder, SHAPE) as lab:
            return same(await lab.start())

    chance, kills, runs, repeated, wrong = Random(1), 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        whole = asyncio.run(unharmed(Path(name) / "whole"))
        while kills < wanted:
            tally = killed(Path(name) / str(runs), kills=min(6, wanted - kills), chance=chance)
            kills, runs = kills + tally.kills, runs + 1
            repeated, wrong = repeated + len(tally.repeated), wrong + (tally.report != whole)
    return f"{kills} × kill -9 in {runs} runs", f"{repeated} repeated, {wrong} reports differ", "0, 0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    table = Table("figure", "measured", "wanted", title="Execution core")
    for row in rows(parser.parse_args().quick):
        table.add_row(*row)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
