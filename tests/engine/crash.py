"""Runs simulated research in a process of its own, kills it with `kill -9`, and counts what is done twice."""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fathom.engine.context import request_digest
from fathom.engine.run import pin
from fathom.evidence import Query, Retrieval
from fathom.stores.sqlite import SqliteRunStore
from fathom.testing.reasoner import Shape, SimulatedReasoner, jittered
from fathom.testing.retriever import SimulatedRetriever
from tests.engine.lab import Lab, same

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


def _work(folder: Path) -> None:
    async def main() -> None:
        log = Log(folder / "calls.log")
        async with Lab(folder) as lab:
            lab.reasoner, lab.sources = LoggedReasoner(log), [LoggedRetriever(log)]
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


def killed(folder: Path, *, kills: int, chance: Random) -> Tally:
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
        process = multiprocessing.get_context("fork").Process(target=_work, args=(folder,))
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
