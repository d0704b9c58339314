"""Nothing is lost: resuming repeats no finished call, replaying makes none, and the bytes are the same."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from fathom.errors import Conflict, Fenced, MissingAnswer, StoreError
from fathom.events import Event, Finished, RunStarted, Spent, Stopping
from fathom.report import Report
from fathom.stores.sqlite import SqliteRunStore
from tests.support.doubles.faults import FaultyStore, nobody_is_seen
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab, same

REPORTED = {"ExtractFindings", "SynthesizeSubtask", "OutlineReport", "WriteSection"}
"""What an early end asks for: what was gathered is read, summed up and written."""
SHAPE = Shape(subtasks=4, dependencies={3: (1,)}, rounds=2, children={2: 2}, weak=("task_1",))


async def broken_off(lab: Lab, after: int, **limits: Any) -> None:
    """Start a run and cancel its task after some asks, as a second Ctrl-C does."""
    run = asyncio.create_task(lab.start(**limits))
    await lab.has_asked(after)
    run.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await run


async def test_replaying_makes_no_call_and_gives_the_same_bytes(tmp_path: Path) -> None:
    async with Lab(tmp_path, SHAPE, latency=jittered(0.002)) as lab:
        report = await lab.start()
        told, entries = await lab.events(), await lab.store.journal("run_one")
    async with Lab(tmp_path, SHAPE) as lab:
        replayed = await lab.replay()
        assert lab.calls == 0
        assert replayed.model_dump_json() == report.model_dump_json()
        assert await lab.events() == told
        assert await lab.store.journal("run_one") == entries


async def test_resuming_a_completed_run_gives_its_report(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        report = await lab.start()
        told = await lab.events()
    async with Lab(tmp_path) as lab:
        assert (await lab.resume()).model_dump_json() == report.model_dump_json()
        assert lab.calls == 0 and await lab.events() == told


@pytest.mark.parametrize("after", [1, *(pytest.param(n, marks=pytest.mark.soak) for n in (7, 30)), 15])
async def test_a_run_that_was_broken_off_is_finished_without_repeating_a_finished_call(
    tmp_path: Path, after: int
) -> None:
    async with Lab(tmp_path / "whole", SHAPE) as lab:
        whole = await lab.start()
        needed, told = lab.calls, counted(await lab.events())
    async with Lab(tmp_path / "broken", SHAPE, latency=jittered(0.01)) as lab:
        await broken_off(lab, after)
        durable = [each for each in await lab.store.journal("run_one") if each.kind != "decide"]
        assert (await lab.record()).status == "running"
    async with Lab(tmp_path / "broken", SHAPE) as lab:
        report = await lab.resume()
        assert lab.calls == needed - len(durable)
        events = await lab.events()
        assert (await lab.record()).status == "completed"
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert same(report) == same(whole)
    assert [event.resumed for event in events if isinstance(event, RunStarted)] == [False, True]
    told[RunStarted(query=whole.query, resumed=True).model_dump_json()] += 1
    assert counted(events) == told, "nothing is told twice"


def counted(events: Iterable[Event]) -> Counter[str]:
    """How often each event was told, but for the expense: how often that is told depends on how long the run takes."""
    return Counter(event.model_dump_json() for event in events if not isinstance(event, Spent))


async def test_a_partial_run_goes_on_with_its_limits_granted_anew(tmp_path: Path) -> None:
    async with Lab(tmp_path / "whole", SHAPE) as lab:
        whole = await lab.start()
        needed = lab.calls
    calls = 0
    reports: list[Report] = []
    while not reports or reports[-1].partial:
        async with Lab(tmp_path / "pieces", SHAPE, latency=jittered(0.001)) as lab:
            reports.append(await (lab.resume() if reports else lab.start(max_calls=25)))
            assert (await lab.replay()).model_dump_json() == reports[-1].model_dump_json()
            calls += lab.calls
            record = await lab.record()
            assert (record.attempt, record.partial) == (len(reports), reports[-1].partial)
    assert len(reports) > 3
    assert [finding.id for finding in reports[-1].findings] == [finding.id for finding in whole.findings]
    assert reports[-1].markdown == whole.markdown
    # only what belongs to the earlier reports was asked in addition
    extra = {kind: count - whole.usage.calls[kind] for kind, count in reports[-1].usage.calls.items()}
    assert {kind for kind, count in extra.items() if count} <= REPORTED
    assert calls == needed + sum(extra.values()) == sum(reports[-1].usage.calls.values())


async def test_a_partial_run_goes_on_under_other_limits(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=3, children={1: 3, 2: 3})) as lab:
        assert (await lab.start(max_subtasks=4, max_depth=2)).partial == "max_subtasks"
        report = await lab.resume(max_subtasks=30)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert report.partial is None and len(report.subtasks) == 9


async def test_a_run_that_was_cancelled_and_then_broken_off_is_finished(tmp_path: Path) -> None:
    async with Lab(tmp_path / "whole", SHAPE) as lab:
        whole = await lab.start()
    cancel = asyncio.Event()
    async with Lab(tmp_path / "given_up", SHAPE, latency=jittered(0.05)) as lab:
        run = asyncio.create_task(lab.start(cancel=cancel))
        await lab.has_asked(4)
        cancel.set()
        async for stored in lab.store.follow("run_one"):
            if isinstance(stored.event, Stopping):
                break
        run.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await run
        assert (await lab.record()).status == "running"
    async with Lab(tmp_path / "given_up", SHAPE) as lab:
        report = await lab.resume()
        assert report.partial is None and report.markdown == whole.markdown
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()


async def test_failed_calls_are_tried_again_by_the_next_attempt_and_followed_by_a_replay(tmp_path: Path) -> None:
    shape = Shape(subtasks=3, failing=("AssessDepth",))
    async with Lab(tmp_path, shape) as lab:
        partial = await lab.start(max_calls=17)
    async with Lab(tmp_path, Shape(subtasks=3)) as lab:
        assert (await lab.replay()).model_dump_json() == partial.model_dump_json()
        assert lab.calls == 0
        report = await lab.resume(max_calls=None)
        assert report.usage.calls["AssessDepth"] == 3 + partial.usage.calls["AssessDepth"] > 3
        assert {entry.evaluation.is_sufficient for entry in report.subtasks if entry.evaluation} == {True}
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()


async def test_a_run_that_has_not_ended_cannot_be_replayed(tmp_path: Path) -> None:
    async with Lab(tmp_path, latency=jittered(0.01)) as lab:
        await broken_off(lab, 5)
        before = lab.calls
        with pytest.raises(MissingAnswer, match="resume the run"):
            await lab.replay()
        assert lab.calls == before


async def test_of_two_processes_on_one_run_the_later_one_is_refused_before_it_asks_anything(tmp_path: Path) -> None:
    async with Lab(tmp_path, SHAPE, latency=jittered(0.01)) as first, Lab(tmp_path, SHAPE) as second:
        earlier = asyncio.create_task(first.start())
        await first.has_asked(10)
        with pytest.raises(Conflict, match="run_one is under way in another process"):
            await second.resume()
        report = await earlier
        assert second.calls == 0
        assert (await second.record()).status == "completed"
        assert (await second.resume()).model_dump_json() == report.model_dump_json()


async def test_where_nobody_is_seen_the_earlier_one_of_two_processes_is_fenced_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody_is_seen(monkeypatch)
    async with Lab(tmp_path, SHAPE, latency=jittered(0.01)) as first, Lab(tmp_path, SHAPE) as second:
        earlier = asyncio.create_task(first.start())
        await first.has_asked(10)
        report = await second.resume()
        with pytest.raises(Fenced, match="Another process has taken over run_one"):
            await earlier
        assert (await second.record()).status == "completed"
        assert (await second.replay()).model_dump_json() == report.model_dump_json()
        assert [event.kind for event in await second.events()].count("finished") == 1


async def test_checkpoints_show_ids_and_statuses_and_may_be_deleted(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.db"
    async with Lab(tmp_path, SHAPE, latency=jittered(0.003)) as lab:
        await lab.create()
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            run = asyncio.create_task(lab.resume(checkpointer=saver))
            await lab.has_asked(20)
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)
            seen = [
                each.checkpoint["channel_values"] async for each in saver.alist(None, filter={"fathom_run": "run_one"})
            ]
    shown = next(each for each in seen if "statuses" in each)
    assert set(shown["statuses"]) >= {"task_1", "task_2", "task_3", "task_4"}
    assert "measured" not in str(seen), "no text of a source is in a checkpoint"

    for file in tmp_path.glob("checkpoints.db*"):
        file.unlink()
    async with Lab(tmp_path, SHAPE) as lab, AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        resumed = await lab.resume(checkpointer=saver)
    async with Lab(tmp_path / "other", SHAPE) as lab:
        assert same(await lab.start()) == same(resumed)


async def test_a_store_that_fails_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    async with Lab(tmp_path, SHAPE) as lab:
        real = lab.store
        faulty: Any = FaultyStore(real, fail_after=30)
        lab.store = faulty
        with pytest.raises(StoreError, match="the disk is full"):
            await lab.start()
        lab.store = real
        durable = len([each for each in await real.journal("run_one") if each.kind != "decide"])
        done = lab.calls
        assert 10 < durable <= done
        report = await lab.resume()
    async with Lab(tmp_path / "other", SHAPE) as lab:
        assert same(await lab.start()) == same(report)


@pytest.mark.parametrize("last", ["save_report", "update_run", "emit"])
async def test_a_crash_around_the_end_is_made_up_for(tmp_path: Path, last: str) -> None:
    async with Lab(tmp_path, latency=jittered(0.001)) as lab:
        real = lab.store
        faulty: Any = FaultyStore(real, fail_once=last, at_report=True)
        lab.store = faulty
        with pytest.raises(StoreError):
            await lab.start()
        calls = lab.calls
        lab.store = real
        report = await lab.resume()
        assert lab.calls == calls
        assert (await real.report("run_one")) == report
        if last != "emit":
            assert isinstance((await lab.events())[-1], Finished)


async def test_a_run_store_that_is_another_process_sees_the_run_finish(tmp_path: Path) -> None:
    async with Lab(tmp_path, latency=jittered(0.002)) as lab:
        await lab.create()
        other = SqliteRunStore(tmp_path / "fathom.db")

        async def follow() -> list[str]:
            return [stored.event.kind async for stored in other.follow("run_one")]

        follower = asyncio.create_task(follow())
        await lab.resume()
        kinds = await asyncio.wait_for(follower, 60)
        await other.close()
    assert kinds[0] == "run_started" and kinds[-1] == "finished"
