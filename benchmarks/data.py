"""What research over structured data takes, through MCP, over generated events: prints a table.

Run `python benchmarks/data.py [--only start|aggregate|fetch|research|memory] [--rows N] [--scanned N]`. The server over
the file is a process of its own, started as a run starts it; both share the cores.

- Start: from nothing to the description of the file, the server's start included.
- Aggregation: the round trip of one call of `analyze` over 1 million rows, as the engine makes it, until its result is
  understood: groups, filters, a histogram, statistics.
- Fetching: pages of 100 records one after the other by their cursor, each understood, none kept.
- A scan: the command, on a question that needs every record: fetched, kept as snapshots, read for findings, journaled.
  The rate is records by the time from the first page to the last, as the events of the run tell it.
- Memory: the same scan over growing numbers of records, the largest resident size of the process and of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from fathom.data.servers import DataSource
from fathom.settings import Settings
from fathom_testing.events import write_events

FATHOM = [sys.executable, "-m", "fathom"]
SAMPLE_SECONDS = 0.05
ROUNDS = 20
CALLS: dict[str, dict[str, Any]] = {
    "groups of one field": {"group_by": ["event_theme"]},
    "groups of two fields": {"group_by": ["country", "event_theme"]},
    "filter and groups": {"filters": [{"field": "country", "value": "India"}], "group_by": ["event_theme"]},
    "histogram by month": {"date_histogram": {"field": "event_date", "interval": "month"}},
    "statistics by group": {"group_by": ["country"], "statistics": ["attendees"]},
    "text in a field": {
        "filters": [{"field": "summary", "op": "contains", "value": "quantum"}],
        "group_by": ["country"],
    },
}


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("start", "aggregate", "fetch", "research", "memory"))
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows that are counted")
    parser.add_argument("--scanned", type=int, default=100_000, help="records that are fetched and scanned")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, measure in (
            ("start", lambda: start(Path(folder), arguments.scanned)),
            ("aggregate", lambda: asyncio.run(aggregate(Path(folder), arguments.rows))),
            ("fetch", lambda: asyncio.run(fetch(Path(folder), arguments.scanned))),
            ("research", lambda: research(Path(folder), arguments.scanned)),
            ("memory", lambda: memory(Path(folder), arguments.scanned)),
        ):
            if arguments.only in (None, name):
                measure()


def told(what: str, figure: str) -> None:
    """A row of the table."""
    print(f"| {what} | {figure} |", flush=True)


def events_file(folder: Path, count: int) -> Path:
    """A Parquet file of so many events."""
    path = folder / f"events_{count}.parquet"
    return path if path.exists() else write_events(path, count)


def source_of(path: Path) -> DataSource:
    """The file as a run pins it."""
    return DataSource(name="events", paths=(str(path),))


# ── The server and its calls ───────────────────────────────────────────────────────────────────────────────────────


def start(folder: Path, count: int) -> None:
    """From nothing to a description."""
    from fathom.tools import open_dataset

    async def once() -> float:
        began = time.perf_counter()
        dataset = open_dataset(source_of(path), Settings(home=folder))
        try:
            described = await dataset.describe("India events by theme")
            assert described.total == count
            return time.perf_counter() - began
        finally:
            await dataset.close()

    path = events_file(folder, count)
    taken = [asyncio.run(once()) for _ in range(5)]
    told(f"server started, {count:,} records described, median of 5", f"{statistics.median(taken):.2f} s")


async def aggregate(folder: Path, rows: int) -> None:
    """The round trip of each kind of call."""
    from fathom.tools import open_dataset

    dataset = open_dataset(source_of(events_file(folder, rows)), Settings(home=folder))
    try:
        await dataset.describe("")
        medians = []
        for name, call in CALLS.items():
            taken = []
            for _ in range(ROUNDS):
                began = time.perf_counter()
                result = await dataset.call("analyze", call)
                taken.append(1_000 * (time.perf_counter() - began))
                assert result.aggregations, name
            medians.append(statistics.median(taken))
            told(f"{name}, {rows:,} rows, median and 95th centile of {ROUNDS}", _two(taken))
        told("median of these medians", f"{statistics.median(medians):.0f} ms")
    finally:
        await dataset.close()


def _two(taken: list[float]) -> str:
    return f"{statistics.median(taken):.0f} ms, {sorted(taken)[int(0.95 * len(taken))]:.0f} ms"


async def fetch(folder: Path, count: int) -> None:
    """Every record, page by page."""
    from fathom.tools import open_dataset

    dataset = open_dataset(source_of(events_file(folder, count)), Settings(home=folder))
    try:
        await dataset.describe("")
        seen: set[str] = set()
        arguments: dict[str, Any] = {"page_size": 100}
        began, cpu = time.perf_counter(), time.process_time()
        while True:
            result = await dataset.call("analyze", arguments)
            seen.update(record.id for record in result.records)
            if not result.has_more:
                break
            arguments = {"page_size": 100, "search_after": list(result.search_after)}
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        assert len(seen) == count, f"{len(seen)} of {count} records were fetched"
        told(f"{count:,} records fetched in pages of 100", f"{count / seconds:,.0f} records/s")
        told("CPU of the client for a page of 100", f"{1_000 * cpu / (count / 100):.1f} ms")
    finally:
        await dataset.close()


# ── Whole runs ─────────────────────────────────────────────────────────────────────────────────────────────────────


def research(folder: Path, count: int) -> None:
    """A scan of every record by the command."""
    before = _cpu_of_children()
    rate, seconds, _ = scanned(folder, count)
    told(f"run that scans {count:,} records: scan", f"{rate:,.0f} records/s")
    told("the same run, from start to report", f"{seconds:.1f} s")
    told("its CPU, that of its server included", f"{_cpu_of_children() - before:.1f} s")


def memory(folder: Path, count: int) -> None:
    """The largest size of the process, over growing numbers of records."""
    for share in (8, 4, 2, 1):
        _, _, (own, server) = scanned(folder, count // share)
        told(
            f"scan of {count // share:,} records: largest size of Fathom, of its server",
            f"{own:.0f} MB, {server:.0f} MB",
        )


def scanned(folder: Path, count: int) -> tuple[float, float, tuple[float, float]]:
    """Records per second, seconds, and megabytes of the process and its server."""
    path = events_file(folder, count)
    home = Path(tempfile.mkdtemp(dir=folder))
    began = time.perf_counter()
    command = [*FATHOM, "research", "List all events", "--data", str(path), "--quiet", "--out", str(home / "report.md")]
    with subprocess.Popen(command, env={**os.environ, "FATHOM_HOME": str(home)}) as process:
        own = server = 0.0
        while process.poll() is None:
            own = max(own, _size(process.pid))
            server = max(server, sum(map(_size, _children(process.pid))))
            time.sleep(SAMPLE_SECONDS)
    seconds = time.perf_counter() - began
    assert process.returncode == 0, f"the command ended with {process.returncode}"
    return asyncio.run(_rate(home, count)), seconds, (own, server)


async def _rate(home: Path, count: int) -> float:
    from fathom import wiring

    async with wiring.opened_store(Settings(home=home)) as store:
        (run,) = await store.runs()
        told_of = await store.events(run.run_id)
        scans = [each for each in told_of if each.event.kind == "records_scanned"]
        directed = [each for each in told_of if each.event.kind == "turn_directed" and each.seq < scans[0].seq]
    last = scans[-1].event
    assert last.kind == "records_scanned" and last.scanned == count, f"{last} instead of {count} records"
    first = datetime.fromisoformat(directed[-1].at)
    return count / max(0.001, (datetime.fromisoformat(scans[-1].at) - first).total_seconds())


def _cpu_of_children() -> float:
    """Seconds of CPU that processes which have ended took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _size(pid: int) -> float:
    """Resident megabytes; 0 for a process that has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _children(pid: int) -> Iterator[int]:
    """The processes below one."""
    try:
        children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return
    for child in children:
        yield child
        yield from _children(child)


if __name__ == "__main__":
    main()
