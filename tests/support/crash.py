"""Runs simulated research in a process of its own, kills it with `kill -9`, and counts what is done twice."""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
import os
import signal
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fathom.browsing import ArchivedPage, SearchResults, WebQuery
from fathom.engine.run import pin
from fathom.evidence import Query, Retrieval
from fathom.frozen import request_digest
from fathom.knowledge.archive import Archive
from fathom.ports.web import Page, Web
from fathom.stores.sqlite import SqliteRunStore
from tests.support.doubles.reasoner import Shape, SimulatedReasoner, jittered
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.doubles.web import SimulatedReader, SimulatedSearch, simulated_web
from tests.support.lab import Lab, same

SHAPE = Shape(subtasks=5, dependencies={4: (1, 2), 5: (3,)}, rounds=2, children={2: 2}, weak=("task_1",))
SECONDS = 0.015
"""Mean latency of a call."""


class Log:
    """One line per call that begins (`S`) and ends (`D`), written at once, so that no kill can lose it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, *words: str) -> None:
        os.write(self._file, (" ".join(words) + "\n").encode())


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class LoggedReasoner(SimulatedReasoner):
    def __init__(self, log: Log) -> None:
        super().__init__(SHAPE, latency=jittered(SECONDS))
        self._log = log

    async def answer(self, ask: Any, calls: Any) -> Any:
        key = f"{ask.kind()}:{ask.digest()}"
        self._log.write("S", key)
        answer = await super().answer(ask, calls)
        self._log.write("D", key, request_digest(pin(self), ask.kind(), ask.digest()))  # equal answers are common
        return answer


class LoggedRetriever(SimulatedRetriever):
    def __init__(self, log: Log) -> None:
        super().__init__(latency=jittered(SECONDS))
        self._log = log

    async def search(self, query: Query, *, limit: int) -> Retrieval:
        key = f"search:{query.digest()}"
        self._log.write("S", key)
        answer = await super().search(query, limit=limit)
        self._log.write("D", key, digest(answer.model_dump_json()))
        return answer


class LoggedSearch(SimulatedSearch):
    def __init__(self, name: str, log: Log) -> None:
        super().__init__(name, pages=30, latency=jittered(SECONDS))
        self._log = log

    async def search(self, query: WebQuery) -> SearchResults:
        key = f"web_search:{self.name}:{query.digest()}"
        self._log.write("S", key)
        results = await super().search(query)
        self._log.write("D", key, request_digest("web_search", self.name, query.digest()))
        return results


class LoggedReader(SimulatedReader):
    def __init__(self, log: Log) -> None:
        super().__init__(latency=jittered(SECONDS), faults=0.1)
        self._log = log

    async def read(self, url: str, *, known: ArchivedPage | None = None) -> Page | None:
        key = f"read:{digest(url)}"
        self._log.write("S", key)
        page = await super().read(url, known=known)
        self._log.write("D", key, request_digest("read", url))
        return page


async def a_logged_web(stack: AsyncExitStack, folder: Path) -> Web:
    """A web whose archive outlives its process."""
    log, archive = Log(folder / "calls.log"), Archive(folder / "web.db")
    stack.push_async_callback(archive.close)
    searches = [LoggedSearch(name, log) for name in ("alpha", "beta")]
    return simulated_web(*searches, reader=LoggedReader(log), archive=archive)


def _work(folder: Path, web: bool) -> None:
    async def main() -> None:
        log = Log(folder / "calls.log")
        async with AsyncExitStack() as stack, Lab(folder) as lab:
            lab.reasoner, lab.sources = LoggedReasoner(log), [LoggedRetriever(log)]
            lab.web = await a_logged_web(stack, folder) if web else None
            report = await lab.resume()
        (folder / "report.json").write_text(same(report))

    asyncio.run(main())


@dataclass(frozen=True)
class Tally:
    """What a run that was killed again and again came to."""

    kills: int
    repeated: list[str]
    """Calls that were made although their answer was durable."""
    calls: int
    """All calls that were begun, those lost in flight included."""
    answers: int
    """Answers in the journal."""
    report: str
    """As JSON, without what a clock has put into it."""


def killed(folder: Path, *, kills: int, chance: Random, web: bool = False) -> Tally:
    """Run to the end, killed up to `kills` times at random moments."""

    async def create() -> None:
        async with Lab(folder, SHAPE) as lab:
            await lab.create()

    async def durable() -> set[str]:
        store = SqliteRunStore(folder / "fathom.db")
        entries = await store.journal("run_one")
        await store.close()
        asked = [entry for entry in entries if entry.kind != "decide"]
        return {digest(entry.answer) if entry.kind == "search" else entry.request for entry in asked}

    def lines() -> list[list[str]]:
        path = folder / "calls.log"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    folder.mkdir(parents=True)
    asyncio.run(create())
    repeated: list[str] = []
    done = 0
    while True:
        kept = asyncio.run(durable())
        before = lines()
        known = {key for kind, key, *rest in before if kind == "D" and rest[0] in kept}
        process = multiprocessing.get_context("fork").Process(target=_work, args=(folder, web))
        process.start()
        if done < kills:
            time.sleep(chance.uniform(0.02, 0.2))  # a run that nobody kills takes about 0.8 s
            if process.is_alive() and process.pid is not None:
                os.kill(process.pid, signal.SIGKILL)
                done += 1
        process.join()
        repeated += [key for kind, key, *_ in lines()[len(before) :] if kind == "S" and key in known]
        if process.exitcode == 0:
            report = (folder / "report.json").read_text()
            calls = sum(kind == "S" for kind, *_ in lines())
            return Tally(done, repeated, calls, len(asyncio.run(durable())), report)
        if process.exitcode != -signal.SIGKILL:
            raise RuntimeError(f"the run ended with {process.exitcode}")
