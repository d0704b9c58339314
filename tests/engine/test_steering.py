"""What a run does that is told, while it is under way, to leave a part out, to go deeper, or to write now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fathom.engine import run as running
from fathom.errors import Conflict, NotFound, UsageError
from fathom.events import Steered, Stopping, SubtaskEnded, SubtaskStarted
from fathom.report import Report
from fathom.steering import Command
from fathom.wiring.steering import steer
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab, same

TOLD: list[tuple[Command, str | None]] = [("skip", "task_2"), ("deeper", "task_2"), ("write", None)]


@pytest.fixture(autouse=True)
def ears(monkeypatch: pytest.MonkeyPatch) -> None:
    """It hears at once what it is told."""
    monkeypatch.setattr(running, "TICK_SECONDS", 0.02)


async def steered(
    lab: Lab, command: Command, subtask_id: str | None = None, *, when: Callable[[Any], bool], **limits: Any
) -> Report:
    """The report of a run that is told something once an event has come."""
    run = asyncio.ensure_future(lab.start(**limits))
    async with asyncio.timeout(20):
        while not (await lab.store.runs() and any(map(when, await lab.events()))):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await steer(lab.store, "run_one", command, subtask_id)
    return await run


def started(id: str) -> Callable[[Any], bool]:
    return lambda event: isinstance(event, SubtaskStarted) and event.subtask_id == id


async def test_a_part_that_waits_and_is_skipped_is_not_researched(tmp_path: Path) -> None:
    shape = Shape(dependencies={2: (1,), 3: (2,)})
    async with Lab(tmp_path, shape, latency=jittered(0.05)) as lab:
        report = await steered(lab, "skip", "task_2", when=started("task_1"))
        by_id = {each.subtask_id: each for each in report.subtasks}
        assert [by_id[id].status for id in ("task_1", "task_2", "task_3")] == ["completed", "skipped", "completed"]
        assert report.partial is None and any("you asked: Part 2" in each for each in report.limitations)
        asked = {each.subtask.subtask_id for each in lab.reasoner.asks if hasattr(each, "subtask")}
        assert {"task_1", "task_3"} <= asked and "task_2" not in asked
        assert not any(started("task_2")(each) for each in await lab.events())
        assert same(await lab.replay()) == same(report)


async def test_what_was_found_for_a_part_before_it_was_skipped_stays(tmp_path: Path) -> None:
    shape = Shape(rounds=3, quality="adequate")
    async with Lab(tmp_path, shape, latency=jittered(0.05)) as lab:

        def judged(event: Any) -> bool:
            return event.kind == "assessed" and bool(event.subtask_id == "task_1")

        report = await steered(lab, "skip", "task_1", when=judged)
        [ended] = [
            each for each in await lab.events() if isinstance(each, SubtaskEnded) and each.subtask_id == "task_1"
        ]
        assert (ended.status, ended.reason) == ("partial", "skipped") and ended.findings > 0
        assert any(each.subtask_id == "task_1" for each in report.findings)
        assert same(await lab.replay()) == same(report)


async def test_what_lies_below_a_skipped_part_is_skipped_too(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(children={1: 3}), latency=jittered(0.05)) as lab:
        report = await steered(lab, "skip", "task_1", when=lambda event: event.kind == "drilled_down")
        assert {each.status for each in report.subtasks if each.subtask_id.startswith("task_1.")} <= {
            "skipped",
            "partial",
        }
        assert same(await lab.replay()) == same(report)


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_the_moment_and_though_all_ask_the_same_a_replay_writes_the_same(
    tmp_path: Path, seed: int
) -> None:
    """Equal asks are one call: what a skipped branch was refused, another one may be answered later."""
    shape = Shape(common_queries=True, rounds=2, quality="adequate", children={3: 2}, weak=("task_2",))
    async with Lab(tmp_path, shape, latency=jittered(0.03, salt=str(seed))) as lab:
        run = asyncio.ensure_future(lab.start())
        await asyncio.sleep(0.1 + 0.05 * seed)
        with suppress(Conflict, NotFound):
            await steer(lab.store, "run_one", "skip", "task_2")
        report = await run
        assert same(await lab.replay()) == same(report)


async def test_a_part_that_is_sufficient_is_looked_into_further(tmp_path: Path) -> None:
    async with Lab(tmp_path, latency=jittered(0.05)) as lab:
        report = await steered(lab, "deeper", "task_2", when=started("task_2"))
        rounds = {
            entry.path.split("/")[1] for entry in await lab.store.journal("run_one") if entry.path[:7] == "task_2/"
        }
        others = {
            entry.path.split("/")[1] for entry in await lab.store.journal("run_one") if entry.path[:7] == "task_1/"
        }
        assert {"r0", "r1"} <= rounds and "r1" not in others
        assert same(await lab.replay()) == same(report)


async def test_where_areas_are_known_and_it_is_not_important_enough_it_goes_into_them(tmp_path: Path) -> None:
    shape = Shape(children={2: 2}, importance={2: 0.1})
    async with Lab(tmp_path, shape, latency=jittered(0.05)) as lab:
        report = await steered(
            lab, "deeper", "task_2", when=started("task_2"), approve=("drilldown",), max_refinements=0
        )
        assert {"task_2.1", "task_2.2"} <= {each.subtask_id for each in report.subtasks}
        assert same(await lab.replay()) == same(report)


async def test_it_writes_now_and_says_that_it_was_asked_to(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(dependencies={2: (1,), 3: (2,)}), latency=jittered(0.05)) as lab:
        report = await steered(lab, "write", when=started("task_2"))
        assert report.partial == "written_early" and "it was wanted before" in report.markdown
        assert [each.reason for each in await lab.events() if isinstance(each, Stopping)] == ["written_early"]
        assert (await lab.record()).status == "partial"
        assert same(await lab.replay()) == same(report)
        whole = await lab.resume()
        assert whole.partial is None and same(await lab.replay()) == same(whole)


@pytest.mark.parametrize(("command", "subtask_id"), TOLD)
async def test_it_is_heard_by_the_process_that_takes_the_run_up(
    tmp_path: Path, command: Command, subtask_id: str | None
) -> None:
    shape = Shape(dependencies={2: (1,)}, rounds=2, quality="adequate")
    async with Lab(tmp_path, shape, latency=jittered(0.05)) as lab:
        run = asyncio.ensure_future(lab.start())
        await lab.has_asked(3)
        run.cancel()
        await asyncio.wait([run])
    async with Lab(tmp_path, shape) as other:
        await steer(other.store, "run_one", command, subtask_id)
    async with Lab(tmp_path, shape, latency=jittered(0.01)) as lab:
        report = await lab.resume()
        assert [each.command for each in await lab.events() if isinstance(each, Steered)] == [command]
        assert same(await lab.replay()) == same(report)


@pytest.mark.parametrize(("command", "subtask_id"), TOLD)
async def test_too_late_is_said(tmp_path: Path, command: Command, subtask_id: str | None) -> None:
    async with Lab(tmp_path) as lab:
        await lab.start()
        with pytest.raises(Conflict, match="too late"):
            await steer(lab.store, "run_one", command, subtask_id)


async def test_what_cannot_be_done_is_refused(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(dependencies={2: (1,)}), latency=jittered(0.1)) as lab:

        async def wrong(kind: type[Exception], command: Command, subtask_id: str | None) -> str:
            with pytest.raises(kind) as raised:
                await steer(lab.store, "run_one", command, subtask_id)
            return str(raised.value)

        run = asyncio.ensure_future(lab.start())
        await lab.has_asked(2)
        await asyncio.sleep(0.2)
        assert "no part 'task_9'" in await wrong(NotFound, "skip", "task_9")
        assert "names a part" in await wrong(UsageError, "deeper", None)
        assert "names no part" in await wrong(UsageError, "write", "task_1")
        await steer(lab.store, "run_one", "skip", "task_2")
        assert "settled before" in await wrong(Conflict, "skip", "task_2")
        await run
