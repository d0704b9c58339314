"""Whoever else wants a run under way: nobody asks a model for it but its owner, whatever the clocks say."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from random import Random

import pytest

import fathom
from fathom import wiring
from fathom.errors import Conflict
from fathom.sessions.worker import Worker
from fathom.stores.queue import SqliteRunQueue
from fathom.stores.sqlite import SqliteRunStore
from fathom_testing.model_server import ModelServer
from tests.support.corpus import QUESTION, corpus
from tests.support.model_settings import settings_for
from tests.support.shop import shop


def paid(server: ModelServer) -> int:
    """Calls, none of which was made twice."""
    prompts = [tuple(call.prompt) for call in server.calls]
    assert len(prompts) == len(set(prompts))
    return len(prompts)


async def wanted_by_three(folder: Path, server: ModelServer, *, pauses: list[float]) -> fathom.Report:
    """A run that three others resume while it is under way, each as another process would: by a store of its own."""
    settings = settings_for(folder, server, cache=False)
    async with fathom.stream(QUESTION, documents=[corpus(folder)], settings=settings) as run:

        async def resume(pause: float) -> None:
            await asyncio.sleep(pause)
            with pytest.raises(Conflict, match=f"{run.run_id} is under way in another process"):
                await fathom.resume(run.run_id, settings=settings)

        async for stored in run:
            if stored.event.kind == "planned":
                await asyncio.gather(*map(resume, pauses))
        return await run.report()


async def test_three_who_resume_a_run_under_way_pay_for_nothing(tmp_path: Path) -> None:
    with ModelServer(latency=0.05, log_prompts=True) as server:
        report = await wanted_by_three(tmp_path, server, pauses=[0, 0, 0])
        assert report.partial is None
        assert paid(server) == sum(report.usage.models.values())


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
async def test_many_who_resume_a_run_under_way_at_any_moment_pay_for_nothing(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    with ModelServer(latency=0.3, log_prompts=True) as server:
        pauses = [chance.uniform(0, 0.5) for _ in range(6)]
        report = await wanted_by_three(tmp_path, server, pauses=pauses)
        assert paid(server) == sum(report.usage.models.values())


async def test_of_three_who_take_up_a_dead_run_at_once_one_does_and_nothing_is_paid_for_twice(tmp_path: Path) -> None:
    with ModelServer(latency=0.02, log_prompts=True) as server:
        settings = settings_for(tmp_path, server, cache=False)
        async with fathom.stream(QUESTION, documents=[corpus(tmp_path)], settings=settings) as run:
            async for stored in run:
                if stored.event.kind == "planned":
                    break
        resumed = (fathom.resume(run.run_id, settings=settings) for _ in range(3))
        ended = await asyncio.gather(*resumed, return_exceptions=True)
        reports = [each for each in ended if isinstance(each, fathom.Report)]
        assert reports and {type(each) for each in ended} <= {fathom.Report, Conflict}
        assert len({report.markdown for report in reports}) == 1
        assert paid(server) == sum(reports[0].usage.models.values())


@pytest.mark.parametrize("hours", [2, pytest.param(-2, marks=pytest.mark.soak)])
async def test_two_services_whose_clocks_differ_by_hours_pay_for_nothing_twice(tmp_path: Path, hours: int) -> None:
    with ModelServer(latency=0.05, log_prompts=True) as server:
        settings = settings_for(tmp_path, server, cache=False)
        await wiring.ingest([corpus(tmp_path)], settings=settings)
        async with shop(settings) as one, wiring.Fathom(settings) as late:
            (id,) = await one.ask(QUESTION)
            await one.running(1)
            assert isinstance(late.store, SqliteRunStore)
            late.queue = SqliteRunQueue(late.store.database, clock=lambda: time.time() + 3_600 * hours)
            other = Worker(late, most=4)
            working = asyncio.create_task(other.run())
            (run,) = await one.ended(id, within=60)
            assert other.running == 0
            working.cancel()
            report = await one.fathom.store.report(id)
        assert run.status == "completed"
        assert paid(server) == sum(report.usage.models.values())
