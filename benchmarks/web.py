"""What research on the web takes, against the little web of the tests: prints a table.

Run `python benchmarks/web.py [--only read|run|memory] [--pages N] [--latency SECONDS] [--large N]`. The server is a
thread of this process; Fathom works in a process of its own, and its figures are those of that process. So both share
the cores.

- Reading: pages of 20 to 200 kilobytes with what stands around them, from 12 hosts, through the page reader into the
  archive: fetched, extracted, cut, indexed and stored.
- A run: the command, with pages of 3 seconds and searches of half a second. What cannot be avoided is the longest chain
  of requests of which none overlaps another, each as long as the server takes for it; all else is overhead, the
  robots.txt of each host and what happens before the first search and behind the last page included. The time is that
  which the report states, from the question to the report.
- Pages that were answered in full more than once in these runs, whatever their address was written like.
- Memory: pages of 10 megabytes through the same chain, the resident size of the process and of its children sampled.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fathom_testing.little_web import LittleWeb, Visit, fetched_twice

FATHOM = [sys.executable, "-m", "fathom"]
SIZES = (20, 40, 60, 80, 120, 200)
"""Kilobytes of a page."""
HOSTS = 12
AT_ONCE = 10
"""Pages that are read at a time, as many as a round of a run wants."""
LARGE = 10_000
"""Kilobytes of a large page."""
SEARCH_SECONDS = 0.5
SAMPLE_SECONDS = 0.02


# ── In the process that is measured ────────────────────────────────────────────────────────────────────────────────


async def read_pages(urls: Iterable[str]) -> dict[str, Any]:
    """Read pages into the archive, as many at once as a run would."""
    from fathom import wiring
    from fathom.settings import load_settings

    settings = load_settings()
    rules = wiring.rules_for(settings)
    assert rules is not None, "FATHOM_WEB is not set"
    waiting, characters, failed = list(urls), 0, list[str]()
    waiting.reverse()
    async with AsyncExitStack() as stack:
        archive = wiring.open_archive(settings)
        stack.push_async_callback(archive.close)
        web = await wiring.opened_web(stack, rules, settings, archive=archive)

        async def work() -> None:
            nonlocal characters
            while waiting:
                url = waiting.pop()
                try:
                    page = await web.reader.read(url)
                except Exception as error:  # noqa: BLE001 - a benchmark tells of whatever failed
                    failed.append(f"{url}: {error!r}")
                    continue
                assert page is not None
                characters += (await web.archive.keep_page(page)).characters

        began, cpu = time.perf_counter(), _cpu()
        print("begin", flush=True)
        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        seconds, cpu = time.perf_counter() - began, _cpu() - cpu
        print("end", flush=True)
        await asyncio.sleep(5 * SAMPLE_SECONDS)
    return {"seconds": seconds, "cpu": cpu, "characters": characters, "failed": failed}


def _cpu() -> float:
    taken = os.times()
    return taken.user + taken.system + taken.children_user + taken.children_system


# ── In the process that measures ───────────────────────────────────────────────────────────────────────────────────


@dataclass
class Memory:
    """Resident size of a process and its children, in megabytes, at moments of the work."""

    samples: list[tuple[float, float]] = field(default_factory=list)
    begin: float = 0.0
    end: float = 0.0

    def between(self, first: float, last: float) -> float:
        """The largest size between two shares of the time that the work took."""
        span = self.end - self.begin
        inside = [size for at, size in self.samples if first <= (at - self.begin) / span <= last]
        return max(inside, default=0.0)

    @property
    def before(self) -> float:
        """The size when the work began."""
        return max((size for at, size in self.samples if at <= self.begin), default=self.samples[0][1])

    @property
    def after(self) -> float:
        """The size when it was over."""
        return self.samples[-1][1]


def measured(urls: list[str], web: LittleWeb) -> tuple[dict[str, Any], Memory]:
    """Let a process read pages, and watch it."""
    memory = Memory()
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, **web.environment(), "FATHOM_HOME": home, "FATHOM_WEB": "true"}
        command = [sys.executable, __file__, "--child"]
        child = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        watching = threading.Thread(target=_watch, args=(child, memory))
        watching.start()
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(urls))
        child.stdin.close()
        answer = ""
        for line in child.stdout:
            if line.strip() in ("begin", "end"):
                setattr(memory, line.strip(), time.monotonic())
            else:
                answer = line
        watching.join()
    if child.wait():
        raise SystemExit(f"reading failed with {child.returncode}")
    return json.loads(answer), memory


def _watch(child: subprocess.Popen[str], memory: Memory) -> None:
    while child.poll() is None:
        if size := sum(map(_resident, _family(child.pid))):
            memory.samples.append((time.monotonic(), size))
        time.sleep(SAMPLE_SECONDS)


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:  # it has ended meanwhile
        return [pid]
    return [pid, *(each for child in children for each in _family(int(child)))]


def _resident(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0.0
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def bulk(web: LittleWeb, count: int, sizes: Iterable[int]) -> list[str]:
    """Addresses of so many pages, the hosts and sizes in turn."""
    kinds = list(sizes)
    return [
        web.url(f"bulk-{number % HOSTS}.localhost", f"/{kinds[number % len(kinds)]}/{number}")
        for number in range(count)
    ]


def reading(pages: int) -> list[tuple[str, str, str]]:
    """Pages per second."""
    from fathom_testing.little_web.bulk import bulk_page

    with LittleWeb(generated=False) as web:
        urls = bulk(web, pages, SIZES)
        for url in urls:  # made once, so that the server does not compete with what is measured
            host, _, path = url.removeprefix("http://").partition("/")
            bulk_page(host.partition(":")[0], f"/{path}")
        told, memory = measured(urls, web)
        size = sum(visit.size for visit in web.visits) / 1e6
    done = pages - len(told["failed"])
    for line in told["failed"][:3]:
        print(line, file=sys.stderr)
    title = f"read, extracted and indexed, {pages} pages of {HOSTS} hosts, {size:.0f} MB"
    return [
        (title, f"{done / told['seconds']:.1f} pages/s", "≥ 30"),
        ("… CPU per page", f"{told['cpu'] / max(1, done) * 1000:.0f} ms", ""),
        ("… pages that failed", str(len(told["failed"])), "0"),
        ("… memory, peak", f"{memory.between(0, 1):.0f} MB", ""),
    ]


def memory_of_large(count: int) -> list[tuple[str, str, str]]:
    """Resident size while large pages are read."""
    with LittleWeb(generated=False) as web:
        told, memory = measured(bulk(web, count, [LARGE]), web)
    for line in told["failed"][:3]:
        print(line, file=sys.stderr)
    quarters = " / ".join(f"{memory.between(at / 4, (at + 1) / 4):.0f}" for at in range(4))
    return [
        (f"{count} pages of 10 MB, memory before / peak / after", f"{memory.before:.0f} / {memory.between(0, 1):.0f} / "
         f"{memory.after:.0f} MB", "flat"),
        ("… peak in each quarter of the time", f"{quarters} MB", "flat"),
        ("… seconds, pages that failed", f"{told['seconds']:.0f} s, {len(told['failed'])}", "0"),
    ]  # fmt: skip


def chain_of(visits: Iterable[tuple[float, float]]) -> list[float]:
    """The lengths of the requests in a longest chain of which none overlaps another: greedy by the end of each."""
    lengths, free = list[float](), 0.0
    for start, end in sorted(visits, key=lambda each: each[1]):
        if start >= free - 0.01:
            lengths.append(end - start)
            free = end
    return lengths


def a_run(name: str, question: str, options: list[str], *, latency: float) -> list[tuple[str, str, str]]:
    """The command once, on a web that is slow."""
    with tempfile.TemporaryDirectory() as home, LittleWeb(latency=latency, search_latency=SEARCH_SECONDS) as web:
        web.rank("warm", 1)
        report = Path(home) / "report.json"
        command = [*FATHOM, "research", question, "--web", "--out", os.devnull, "--json", str(report), "--quiet"]
        environment = {**os.environ, **web.environment(), "FATHOM_HOME": home}
        subprocess.run([*command, *options], env=environment, check=True)
        wall = json.loads(report.read_text(encoding="utf-8"))["usage"]["seconds"]
        visits = [visit for visit in web.visits if visit.target != "/robots.txt" and visit.end]
        rounds, path = path_of(visits, latency=latency)
        twice = fetched_twice(web.visits)
        searches = len(web.search.seen)
    over = (wall - path) / path
    return [
        (
            f"{name}: {searches} searches, {len(visits)} pages, {rounds} rounds one after the other",
            f"{over:+.1%} ({wall:.2f} / {path:.2f} s)",
            "≤ +5 %",
        ),
        ("… pages fetched twice", str(len(twice)), "0"),
    ]


def path_of(visits: list[Visit], *, latency: float) -> tuple[int, float]:
    """Rounds that had to wait for each other, and the seconds of their searches and slowest pages."""
    chain = chain_of((visit.start, visit.start + latency) for visit in visits)
    return len(chain), sum(chain) + len(chain) * SEARCH_SECONDS


def runs(latency: float) -> list[tuple[str, str, str]]:
    """A simple question, and one with several parts."""
    with LittleWeb() as web:
        one, two, three = web.world.topics[0].name, web.world.topics[1].name, web.world.topics[4].name
        label = web.world.topics[0].new.label.lower()
    simple = f"What is the {label} of the {one}?"
    several = (
        f"When was the {one} opened, what is the capacity of the {two}, and who was the first director of the {three}?"
    )
    return [
        *a_run("a simple question", simple, ["--mode", "simple"], latency=latency),
        *a_run("a question of three parts", several, [], latency=latency),
    ]


def main() -> None:
    """Measure and print."""
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("read", "run", "memory"))
    parser.add_argument("--pages", type=int, default=480, help="pages to read")
    parser.add_argument("--large", type=int, default=100, help="pages of 10 MB to read")
    parser.add_argument("--latency", type=float, default=3.0, help="seconds of a page in a run")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(asyncio.run(read_pages(json.loads(sys.stdin.read())))))
        return
    table = Table("figure", "measured", "wanted", title="The web")
    parts: dict[str, Callable[[], list[tuple[str, str, str]]]] = {
        "read": lambda: reading(given.pages),
        "run": lambda: runs(given.latency),
        "memory": lambda: memory_of_large(given.large),
    }
    for name, part in parts.items():
        if given.only in (None, name):
            for row in part():
                table.add_row(*row)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
