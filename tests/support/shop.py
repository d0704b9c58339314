"""A place where workers carry out sessions over a small knowledge base: in this process, or in one that is killed."""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fathom import wiring
from fathom.engine.run import pin
from fathom.frozen import request_digest
from fathom.ports import RunRecord
from fathom.reasoners import reasoners
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.report import Report
from fathom.sessions.requests import SessionConfig, SessionRequest
from fathom.sessions.service import Sessions
from fathom.sessions.worker import Worker
from fathom.settings import Settings, load_settings

NOTES = {
    "engines.md": "# Engines\n\nThe analytical engine was designed by Charles Babbage in 1837. It was never built. "
    "Ada Lovelace wrote the first program for the analytical engine in 1843. The difference engine came before it.\n",
    "looms.md": "# Looms\n\nThe Jacquard loom was shown in 1804. The loom reads cards with holes. Each card sets one "
    "row of the pattern. Babbage took the cards for his engine from the loom.\n",
    "seas.md": "# Seas\n\nThe Mariana Trench is 10,935 metres deep. It lies in the Pacific Ocean. The trench was "
    "first sounded by the Challenger in 1875. Two people reached its bottom in 1960.\n",
}
QUESTIONS = (
    "Who designed the analytical engine, and who wrote its first program?",
    "What does the Jacquard loom read, and when was the loom shown?",
    "How deep is the Mariana Trench, and who reached its bottom?",
    "Where did Babbage take the cards for his engine from?",
    "Which ocean does the trench lie in, and when was it first sounded?",
)

SESSION: contextvars.ContextVar[str] = contextvars.ContextVar("session", default="")


class Log:
    """One line per call that begins (`S`) and ends (`D`), written at once, so that no kill can lose it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, *words: str) -> None:
        os.write(self._file, (" ".join(words) + "\n").encode())


@dataclass
class Pace:
    """How the slow reasoner works."""

    seconds: float = 0.0
    """A call takes so long."""
    log: Log | None = None
    error: Exception | None = None
    """What every call raises."""
    broken: BaseException | None = None
    """What opening it raises."""
    allowed: int = sys.maxsize
    """So many calls a process makes for a session; the next ones wait until there are more."""


PACE = Pace()


class SlowReasoner(ExtractiveReasoner):
    """The extractive reasoner, at the pace of `PACE`."""

    name = "slow"
    made = 0

    async def answer(self, ask: Any, calls: Any) -> Any:
        if PACE.error is not None:
            raise PACE.error
        key = f"{SESSION.get()}:{ask.kind()}:{ask.digest()}"
        if PACE.log:
            PACE.log.write("S", key)
        await asyncio.sleep(PACE.seconds)
        self.made += 1
        number = self.made
        while number > PACE.allowed:  # noqa: ASYNC110 - a test changes a number
            await asyncio.sleep(0.005)
        answer = await super().answer(ask, calls)
        if PACE.log:
            PACE.log.write("D", key, f"{SESSION.get()}:{request_digest(pin(self), ask.kind(), ask.digest())}")
        return answer


def from_settings(_: Settings) -> SlowReasoner:
    """A slow reasoner, unless it cannot be made."""
    if PACE.broken is not None:
        raise PACE.broken
    return SlowReasoner()


class Named(Worker):
    """A worker whose calls know which session they are made for, and who counts how often it has looked."""

    looks = 0

    async def _renew(self) -> None:
        await super()._renew()
        self.looks += 1

    async def _work(self, run: RunRecord) -> None:
        SESSION.set(run.run_id)
        await super()._work(run)


def hire_slow() -> None:
    """Have settings name the slow reasoner."""
    reasoners._builtin["slow"] = "tests.support.shop:from_settings"


async def settings_with_notes(home: Path) -> Settings:
    """Settings whose knowledge base holds the notes."""
    folder = home / "notes"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = load_settings(home=home / "home", reasoner="slow")
    await wiring.ingest([folder], settings=settings)
    return settings


@dataclass
class Shop:
    """Sessions and their worker."""

    fathom: wiring.Fathom
    worker: Named
    sessions: Sessions

    async def ask(self, *queries: str, **config: Any) -> list[str]:
        """The ids of new sessions."""
        wanted = SessionConfig.model_validate({"effort": "quick", **config})
        created = [await self.sessions.create(SessionRequest(query=query, config=wanted)) for query in queries]
        return [run.run_id for run, _ in created]

    async def ended(self, *ids: str, within: float = 120.0) -> list[RunRecord]:
        """The sessions once they have ended."""

        async def all_have() -> bool:
            return not any([(await self.fathom.store.run(id)).is_active for id in ids])

        await until(all_have, within=within)
        return [await self.fathom.store.run(id) for id in ids]

    async def busy(self, id: str, *, calls: int = 1) -> None:
        """Wait until so many calls of a session are done."""

        async def is_busy() -> bool:
            return len(await self.fathom.store.journal(id)) >= calls

        await until(is_busy)

    async def heard(self) -> None:
        """Wait until the worker has heard what was asked of it."""
        looks = self.worker.looks

        async def has_looked() -> bool:
            return self.worker.looks >= looks + 2  # the first may have begun before

        await until(has_looked)

    async def running(self, count: int) -> None:
        """Wait until so many are under way."""

        async def are_running() -> bool:
            return self.worker.running == count

        await until(are_running)


async def until(holds: Callable[[], Awaitable[bool]], *, within: float = 120.0) -> None:
    """Wait until something holds, at most so many seconds."""
    async with asyncio.timeout(within):
        while True:
            if await holds():
                return
            await asyncio.sleep(0.005)


@asynccontextmanager
async def shop(settings: Settings, *, most: int = 4, at_work: bool = True) -> AsyncIterator[Shop]:
    """Sessions, and a worker that is at work until the end of the block."""
    async with wiring.Fathom(settings) as fathom:
        worker = Named(fathom, most=most)
        task = asyncio.create_task(worker.run()) if at_work else None
        try:
            yield Shop(fathom, worker, Sessions(fathom, worker=worker))
        finally:
            if task is not None:
                task.cancel()
                await asyncio.wait([task])


def same(report: Report) -> str:
    """The report without its id and what a clock has put into it."""
    usage = report.usage.model_copy(update={"seconds": 0.0})
    return report.model_copy(update={"created_at": "", "run_id": "", "usage": usage}).model_dump_json()


def work_until_told(home: Path, seconds: float, log: Path, told: Connection) -> None:
    """Work as a process of its own, until it is told to end by a signal; says through `told` that it has begun."""
    PACE.seconds, PACE.log = seconds, Log(log)
    hire_slow()

    async def work() -> None:
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        async with shop(load_settings(home=home, reasoner="slow"), most=8):
            told.send("at work")
            await ended.wait()

    asyncio.run(work())
