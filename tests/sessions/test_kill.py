"""`kill -9` of a worker in the middle of five sessions: they go on by themselves, and nobody misses anything."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

import pytest

from fathom.ports import RunStore
from fathom.sessions.feed import Feed
from fathom.settings import Settings
from tests.support import shop as shops
from tests.support.shop import PACE, QUESTIONS, Pace, same, settings_with_notes, shop

SECONDS = 0.03
"""A call takes so long, so that five sessions take about a second."""


@dataclass
class Viewer:
    """Somebody who looks on, and comes back by the number of the last event it saw whenever the stream breaks."""

    run_id: str
    seen: list[int] = field(default_factory=list)
    end: str = ""

    async def look(self, feed: Feed, *, pieces: int | None = None) -> None:
        """Look on until the end, or for so many pieces."""
        frames = feed.frames(self.run_id, after=self.seen[-1] if self.seen else 0)
        async for piece in frames:
            for frame in piece.decode().removesuffix("\n\n").split("\n\n"):
                lines = dict(line.split(": ", 1) for line in frame.split("\n"))
                if lines.get("event") == "end":
                    self.end = json.loads(lines["data"])["status"]
                elif "id" in lines:
                    self.seen.append(int(lines["id"]))
            pieces = None if pieces is None else pieces - 1
            if pieces == 0:
                break
        await frames.aclose()


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    shops.hire_slow()
    for name, value in vars(Pace()).items():
        monkeypatch.setattr(PACE, name, value)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The reports of five sessions that nobody disturbs. Their sources are where those of the others are."""
    shops.hire_slow()

    async def work() -> list[str]:
        async with shop(await settings_with_notes(tmp_path_factory.mktemp("whole"))) as at_work:
            ids = await at_work.ask(*QUESTIONS)
            await at_work.ended(*ids)
            return [same(await at_work.sessions.report(id)) for id in ids]

    return asyncio.run(work())


CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.support.shop"])  # a new process takes seconds to import everything


@asynccontextmanager
async def worker_process(home: Path, log: Path) -> AsyncIterator[BaseProcess]:
    """A worker as a process of its own, at work; killed at the end of the block."""
    ready, told = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=shops.work_until_told, args=(home, SECONDS, log, told))
    await asyncio.to_thread(process.start)
    told.close()  # so that a process that ends before it has begun is noticed
    try:
        await asyncio.to_thread(ready.recv)
        yield process
    finally:
        process.kill()
        await asyncio.to_thread(process.join)
        process.close()
        ready.close()


def calls(log: Path) -> list[list[str]]:
    """What the log of the calls says."""
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


async def durable(store: RunStore, ids: list[str]) -> set[str]:
    """The calls whose answers are in the journals."""
    return {f"{id}:{entry.request}" for id in ids for entry in await store.journal(id)}


async def killed(settings: Settings, log: Path, *, kills: int, chance: Random) -> tuple[list[str], list[str]]:
    """Carry five sessions out by workers that are killed at random moments.

    Returns:
        The reports, and the calls that were made again although their answer was durable.
    """
    repeated: list[str] = []
    async with shop(settings, at_work=False) as closed:
        store, feed = closed.fathom.store, Feed(closed.fathom.store, poll=0.02)
        ids = await closed.ask(*QUESTIONS)
        viewers = [Viewer(id) for id in ids for _ in range(2)]
        for number in range(kills + 1):
            kept, before = await durable(store, ids), calls(log)
            known = {key for kind, key, *rest in before if kind == "D" and rest[0] in kept}
            async with worker_process(settings.home, log):
                if number < kills:
                    looks = [asyncio.create_task(viewer.look(feed)) for viewer in viewers[::2]]
                    looks += [asyncio.create_task(viewer.look(feed, pieces=1)) for viewer in viewers[1::2]]
                    await asyncio.sleep(chance.uniform(0.05, 0.6))
                    for look in looks:
                        look.cancel()
                    await asyncio.wait(looks)
                else:
                    await asyncio.gather(*(viewer.look(feed) for viewer in viewers if not viewer.end))
                    await closed.ended(*ids)
            repeated += [key for kind, key, *_ in calls(log)[len(before) :] if kind == "S" and key in known]
        runs = [await store.run(id) for id in ids]
        assert [(run.status, run.error, run.attempt) for run in runs] == [("completed", None, 1)] * 5
        for viewer in viewers:
            events = await store.events(viewer.run_id)
            assert viewer.seen == [stored.seq for stored in events] == list(range(1, len(events) + 1))
            assert viewer.end == "completed"
        return [same(await closed.sessions.report(id)) for id in ids], repeated


def words(report: str) -> object:
    """What a report says, apart from where its sources are and when they were read."""
    told = json.loads(report)
    return told["title"], [(claim["text"], claim["status"]) for claim in told["claims"]], told["usage"]["calls"]


async def test_five_sessions_survive_the_death_of_their_worker(tmp_path: Path, undisturbed: list[str]) -> None:
    settings = await settings_with_notes(tmp_path)
    reports, repeated = await killed(settings, tmp_path / "calls.log", kills=1, chance=Random(5))
    assert repeated == []
    assert [words(report) for report in reports] == [words(report) for report in undisturbed]


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(12))
async def test_five_sessions_survive_many_deaths(tmp_path: Path, undisturbed: list[str], seed: int) -> None:
    settings = await settings_with_notes(tmp_path)
    reports, repeated = await killed(settings, tmp_path / "calls.log", kills=5, chance=Random(seed))
    assert repeated == []
    assert [words(report) for report in reports] == [words(report) for report in undisturbed]


async def test_a_worker_that_is_told_to_end_leaves_what_it_has_to_the_next(tmp_path: Path) -> None:
    settings = await settings_with_notes(tmp_path)
    async with shop(settings, at_work=False) as closed:
        ids = await closed.ask(*QUESTIONS)
        async with worker_process(settings.home, tmp_path / "calls.log") as process:
            await closed.busy(ids[0], calls=2)
            process.terminate()
            await asyncio.to_thread(process.join, 60)
            assert process.exitcode == 0
        claimed = [await closed.fathom.queue.claim("next", seconds=1) for _ in ids]
        assert [run and run.run_id for run in claimed] == ids
