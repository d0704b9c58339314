"""What the service holds, costs and weighs: prints a table.

Run `python benchmarks/service.py [--only load|overhead|page] [--sessions N …] [--viewers N] [--seconds S]`.

- Load: one server process carries out N sessions at a time, each with so many viewers over sockets of their own. It is
  `fathom serve` with its real store, worker, API and events; only the reasoner and the source are simulated: a model
  that takes 3 seconds an answer on average, a search that takes half a second. The viewers are another process, which
  shares the cores, so that what it is late with counts as the server's delay. The delay of an event is the time from
  `at` in its frame, when it was put into the transaction that stores it, to the arrival of its last byte.
- Overhead: a session that takes no time, begun, followed to its first event and to its end, and its report read: over
  HTTP on a kept-alive connection, against the same calls of the sessions' Python core in the server's own process.
- Page: the home page and the page of a report in headless Chromium, from an empty cache: the time until it can be used
  and the bytes transferred by the browser's own account.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).parents[1]))  # the server's process is the one of the tests

import httpx
from rich.console import Console
from rich.table import Table
from tests.support.page_material import QUESTION, documents
from tests.support.page_serving import Service, ask, ended

MODEL_SECONDS = 3.0
SEARCH_SECONDS = 0.5
ROUNDS = 100
"""Sessions of the comparison of HTTP and Python."""
SAMPLE_SECONDS = 0.5
TICK_SECONDS = 0.01
Row = tuple[str, str, str]


# ── In the process that serves ─────────────────────────────────────────────────────────────────────────────────────


def simulate(seconds: float) -> None:
    """Have every session of this process carried out by a simulated reasoner with a simulated source.

    Args:
        seconds: What a model takes on average; a search takes a sixth of it.
    """
    from tests.support.doubles.reasoner import Shape, SimulatedReasoner, jittered, no_latency
    from tests.support.doubles.retriever import SimulatedRetriever

    from fathom import wiring
    from fathom.ports import RunRecord
    from fathom.sources import AtHand
    from fathom.wiring.running import Begun, RunStream

    def carry_out(fathom: wiring.Fathom, run: RunRecord) -> RunStream:
        async def begin(_: AsyncExitStack) -> Begun:
            models = jittered(seconds, salt=run.run_id) if seconds else no_latency
            searches = jittered(seconds / 6, salt=run.run_id) if seconds else no_latency
            shape = Shape(subtasks=6, dependencies={5: (1, 2), 6: (3,)}, rounds=2) if seconds else Shape(subtasks=1)
            source = SimulatedRetriever(latency=searches)
            reasoner = SimulatedReasoner(shape, latency=models)
            return Begun(run, fathom.store, {"reasoner": reasoner, "sources": AtHand([source])}, no_web=True)

        return RunStream(begin)

    wiring.Fathom.carry_out = carry_out


def serve(seconds: float, arguments: list[str]) -> None:
    """`fathom serve` with simulated answers."""
    from fathom.cli import main

    simulate(seconds)
    sys.argv = ["fathom", "serve", *arguments]
    main()


def simulated_service(home: Path, *, seconds: float, sessions: int) -> Service:
    """A server that is ready."""
    environment = {
        "FATHOM_SERVE_SESSIONS": str(sessions),
        "FATHOM_SERVE_RATE": "1000000",
        "FATHOM_SERVE_NEW_SESSIONS": "1000000",
    }
    service = Service(home, environment=environment, serve=(__file__, "--serve", str(seconds)))
    service.fathom("ingest", documents(home))
    return service.start()


# ── Load ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Arrivals:
    """What the viewers of a moment have seen."""

    delays: list[float] = field(default_factory=list)
    """Seconds from the store to the viewer, of every frame of every viewer."""
    late: list[float] = field(default_factory=list)
    """Seconds by which a timer of the viewers' process was late: what the machine itself delays."""
    faults: list[str] = field(default_factory=list)
    ended: int = 0
    bytes: int = 0


FRAME = re.compile(rb'"seq":(\d+),"at":"([^"]+)"')


class Viewer(asyncio.Protocol):
    """Reads a stream of events with as little work as can be, as its time is the server's too."""

    def __init__(self, port: int, run_id: str, arrivals: Arrivals) -> None:
        self._request = f"GET /api/research/sessions/{run_id}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        self._arrivals = arrivals
        self._rest = b""
        self._seq = 0
        self._is_done = False
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request.encode())

    def data_received(self, data: bytes) -> None:
        now = time.time()
        self._arrivals.bytes += len(data)
        text = self._rest + data
        whole, _, self._rest = text.rpartition(b"\n\n")
        for seq, at in FRAME.findall(whole):
            self._seq += 1
            if int(seq) != self._seq:
                self._arrivals.faults.append(f"{int(seq)} in place of {self._seq}")
            self._arrivals.delays.append(now - datetime.fromisoformat(at.decode()).timestamp())
        if b"event: end" in whole:
            self._is_done = True
            self._arrivals.ended += 1
            self._transport.close()

    def connection_lost(self, _: Exception | None) -> None:
        if not self._is_done:
            self._arrivals.faults.append(f"cut after {self._seq}: {self._rest[:200]!r}")
        self.done.set_result(None)


@dataclass
class Watched:
    """Resident size and CPU time of the server, sampled."""

    service: Service
    sizes: list[int] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Watched:
        self._cpu, self._began = self._spent(), time.monotonic()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.seconds = time.monotonic() - self._began
        self.cpu = self._spent() - self._cpu

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            self.sizes.append(self.service.memory)

    def _spent(self) -> float:
        fields = Path(f"/proc/{self.service.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self, quarter: int) -> float:
        """Megabytes in one of the quarters of the time."""
        count = len(self.sizes)
        part = self.sizes[count * quarter // 4 : count * (quarter + 1) // 4] or self.sizes[-1:]
        return max(part, default=0) / 1e6


async def sessions_with_viewers(service: Service, *, sessions: int, viewers: int, seconds: float) -> Arrivals:
    """Keep so many sessions under way for so long, each with so many viewers from its beginning to its end."""
    arrivals, until = Arrivals(), time.monotonic() + seconds
    loop = asyncio.get_running_loop()

    async def tick() -> None:
        while True:
            due = time.monotonic() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            arrivals.late.append(time.monotonic() - due)

    async with service.client(limits=httpx.Limits(max_connections=10)) as client:
        ticking = asyncio.create_task(tick())

        async def one_after_the_other(number: int) -> None:
            await asyncio.sleep(number * min(30.0, seconds / 3) / sessions)  # not all in step
            while time.monotonic() < until:
                answer = await client.post("/api/research/sessions", json={"query": f"{QUESTION} ({number})"})
                answer.raise_for_status()
                run_id = answer.json()["id"]
                connections = [
                    await loop.create_connection(
                        partial(Viewer, service.port, run_id, arrivals),
                        "127.0.0.1",
                        service.port,
                        local_addr=(f"127.0.{1 + number // 250}.{1 + number % 250}", 0),
                    )
                    for _ in range(viewers)
                ]
                await asyncio.gather(*(viewer.done for _, viewer in connections))

        await asyncio.gather(*(one_after_the_other(number) for number in range(sessions)))
        ticking.cancel()
    return arrivals


def load(sessions: int, viewers: int, seconds: float) -> list[Row]:
    """Delay, memory and work of the server."""
    with tempfile.TemporaryDirectory() as name:
        service = simulated_service(Path(name), seconds=MODEL_SECONDS, sessions=sessions)
        try:
            with Watched(service) as watched:
                command = [sys.executable, __file__, "--view", str(service.port)]
                for given in (sessions, viewers, seconds):
                    command.append(str(given))
                seen = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        finally:
            service.stop()
    for fault in seen["faults"][:3]:
        print(fault, file=sys.stderr)
    p50, p99, most = (f"{1000 * seen[name]:.0f}" for name in ("p50", "p99", "max"))
    late = " / ".join(f"{1000 * each:.0f}" for each in seen["late"])
    sizes = " / ".join(f"{watched.peak(quarter):.0f}" for quarter in range(4))
    title = f"{sessions} sessions, {sessions * viewers} viewers"
    return [
        (f"{title}: delay of an event, p50 / p99 / max", f"{p50} / {p99} / {most} ms", "p99 ≤ 250 ms"),
        ("… a timer of the viewers is late by, p99 / max", f"{late} ms", ""),
        ("… events stored / sent, a second", f"{seen['frames'] / viewers / watched.seconds:.0f} / "
         f"{seen['frames'] / watched.seconds:.0f}", ""),
        ("… sessions ended; numbers missed, streams cut", f"{seen['ended'] // viewers}; {len(seen['faults'])}", "0"),
        ("… CPU of the server; of the viewers", f"{watched.cpu / watched.seconds:.0%}; "
         f"{seen['cpu'] / watched.seconds:.0%}", ""),
        ("… memory, peak in each quarter of the time", f"{sizes} MB", "flat"),
    ]  # fmt: skip


def view(port: int, sessions: int, viewers: int, seconds: float) -> None:
    """In the process of the viewers: follow, and tell what was seen."""
    service = Service(Path(), serve=())
    service.port = port
    seen = asyncio.run(sessions_with_viewers(service, sessions=sessions, viewers=viewers, seconds=seconds))
    cuts = quantiles(seen.delays, n=100)
    used = os.times()
    told = {
        "p50": median(seen.delays),
        "p99": cuts[98],
        "max": max(seen.delays),
        "frames": len(seen.delays),
        "late": [quantiles(seen.late, n=100)[98], max(seen.late)],
        "faults": seen.faults,
        "ended": seen.ended,
        "cpu": used.user + used.system,
    }
    print(json.dumps(told))


# ── Overhead ───────────────────────────────────────────────────────────────────────────────────────────────────────

STEPS = ("begun", "first event", "ended", "report read")


async def over_http(service: Service) -> list[list[float]]:
    """Seconds from the beginning to each step, of every session."""
    taken = []
    async with service.client() as client:
        for number in range(ROUNDS):
            marks, began = [], time.perf_counter()
            answer = await client.post("/api/research/sessions", json={"query": f"{QUESTION} ({number})"})
            run_id = answer.json()["id"]
            marks.append(time.perf_counter() - began)
            async with client.stream("GET", f"/api/research/sessions/{run_id}/events") as events:
                async for piece in events.aiter_bytes():
                    if len(marks) == 1:
                        marks.append(time.perf_counter() - began)
                    if b"event: end" in piece:
                        break
            marks.append(time.perf_counter() - began)
            report = await client.get(f"/api/research/sessions/{run_id}/report.json")
            assert report.json()["title"]
            taken.append([*marks, time.perf_counter() - began])
    return taken


async def through_python(home: Path) -> list[list[float]]:
    """The same by the calls that the API makes."""
    from fathom import wiring
    from fathom.sessions.feed import Feed
    from fathom.sessions.requests import SessionRequest
    from fathom.sessions.service import Sessions
    from fathom.sessions.worker import Worker

    simulate(0.0)
    taken = []
    async with wiring.Fathom(wiring.load_settings(home=home)) as fathom:
        worker, feed = Worker(fathom, most=8), Feed(fathom.store)
        working = asyncio.create_task(worker.run())
        sessions = Sessions(fathom, worker=worker)
        for number in range(ROUNDS):
            marks, began = [], time.perf_counter()
            run = await sessions.create(SessionRequest(query=f"{QUESTION} ({number})"))
            marks.append(time.perf_counter() - began)
            async for _ in feed.frames(run.run_id):
                if len(marks) == 1:
                    marks.append(time.perf_counter() - began)
            marks.append(time.perf_counter() - began)
            report = await sessions.report(run.run_id)
            assert json.loads(report.model_dump_json())["title"]
            taken.append([*marks, time.perf_counter() - began])
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    return taken


def overhead() -> list[Row]:
    """What HTTP adds, step by step."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        service = simulated_service(folder / "http", seconds=0.0, sessions=8)
        try:
            http = asyncio.run(over_http(service))
        finally:
            service.stop()
        Service(folder / "python", serve=()).fathom("ingest", documents(folder / "python"))
        python = asyncio.run(through_python(folder / "python"))
    rows = []
    for at, step in enumerate(STEPS):
        mine, theirs = median(each[at] for each in http), median(each[at] for each in python)
        wanted = "≤ 5 ms" if at in (0, len(STEPS) - 1) else ""
        times = f"{1000 * (mine - theirs):+.1f} ms ({1000 * mine:.1f} / {1000 * theirs:.1f})"
        rows.append((f"a session over HTTP − through Python, until {step}", times, wanted))
    return rows


# ── Page ───────────────────────────────────────────────────────────────────────────────────────────────────────────

USABLE = """() => new Promise((usable) => {
  const field = () => document.querySelector("textarea, input:not([type=hidden]), article");
  const look = () => field() ? requestAnimationFrame(() => usable(performance.now())) : setTimeout(look, 5);
  look();
})"""
WEIGHT = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .map((each) => [new URL(each.name).pathname, each.transferSize])"""


async def visits(service: Service) -> list[Row]:
    from playwright.async_api import async_playwright

    async with service.client() as client:
        run_id = await ask(client, QUESTION)
        await ended(client, run_id)
    rows = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, path in (("home", "/"), ("a report", f"/s/{run_id}")):
            usable, loaded, weight = [], [], []
            for _ in range(9):
                context = await browser.new_context()
                page = await context.new_page()
                await page.goto(f"{service.url}{path}", wait_until="commit")
                usable.append(await page.evaluate(USABLE))
                await page.wait_for_load_state("networkidle" if path == "/" else "load")
                loaded.append(
                    await page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
                )
                weight.append(await page.evaluate(WEIGHT))
                await context.close()
            size = sum(each for _, each in weight[-1])
            times = (
                f"{median(usable):.0f} ms ({min(usable):.0f}–{max(usable):.0f}); DOMContentLoaded {median(loaded):.0f}"
            )
            rows.append((f"{name}: usable", times, "≤ 1,000 ms"))
            rows.append((f"{name}: transferred, {len(weight[-1])} requests", f"{size / 1000:.1f} kB", "≤ 150 kB"))
        await browser.close()
    return rows


def page() -> list[Row]:
    """What the page weighs, and when it can be used."""
    if not shutil.which("chromium") or not find_spec("playwright"):
        return [("the page", "not measured: there is no chromium, or no playwright", "")]
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        service = Service(home)
        service.fathom("ingest", documents(home))
        service.start()
        try:
            return asyncio.run(visits(service))
        finally:
            service.stop()


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["--serve"]:
        return serve(float(sys.argv[2]), sys.argv[3:])
    if sys.argv[1:2] == ["--view"]:
        return view(*map(int, sys.argv[2:5]), float(sys.argv[5]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("load", "overhead", "page"))
    parser.add_argument("--sessions", type=int, nargs="+", default=[10, 50, 100])
    parser.add_argument("--viewers", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    table = Table("figure", "measured", "wanted", title="Service")
    rows: list[Row] = []
    if given.only in (None, "load"):
        for sessions in given.sessions:
            rows += load(sessions, given.viewers, given.seconds)
    if given.only in (None, "overhead"):
        rows += overhead()
    if given.only in (None, "page"):
        rows += page()
    for row in rows:
        table.add_row(*row)
    Console(width=140).print(table)
    return None


if __name__ == "__main__":
    main()
