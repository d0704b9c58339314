"""Every limit ends a run gracefully: what was found is reported, and the report says what cut it short."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import Unavailable
from fathom.events import Event, Gathered, Stopping, SubtaskEnded
from tests.support.doubles.reasoner import Shape, SimulatedReasoner, jittered
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.lab import Lab, research_calls, same


@pytest.mark.parametrize("most", [1, 2, 3, 5, 8, 13, 21])
async def test_max_calls_binds_and_the_report_is_still_written(tmp_path: Path, most: int) -> None:
    async with Lab(tmp_path, latency=jittered(0.002)) as lab:
        report = await lab.start(max_calls=most)
        record, events, made = await lab.record(), await lab.events(), await research_calls(lab)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()

    assert report.partial == record.partial == "max_calls" and record.status == "partial"
    assert made <= most <= sum(report.usage.calls.values())
    assert [event.reason for event in events if isinstance(event, Stopping)] == ["max_calls"]
    assert {entry.status for entry in report.subtasks} <= {"completed", "partial", "skipped"}
    assert bool(report.findings) == bool(report.claims)


async def test_a_limit_that_cuts_nothing_off_leaves_the_report_whole(tmp_path: Path) -> None:
    async with Lab(tmp_path / "free") as lab:
        free = await lab.start()
    needed = sum(free.usage.calls.values()) - free.usage.calls["OutlineReport"] - free.usage.calls["WriteSection"]
    async with Lab(tmp_path / "bound") as lab:
        bound = await lab.start(max_calls=needed)
        assert (await lab.record()).status == "completed"
    assert bound.partial is None
    async with Lab(tmp_path / "cut") as lab:
        assert (await lab.start(max_calls=needed - 1)).partial == "max_calls"


async def test_max_time_binds_and_the_report_is_still_written(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(rounds=3), latency=jittered(0.05)) as lab:
        report = await lab.start(max_time=0.4)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert report.partial == "max_time"
    assert report.usage.seconds >= 0.4
    assert report.usage.calls["OutlineReport"] == 1 or not report.findings


async def test_max_subtasks_keeps_the_most_important_ones(tmp_path: Path) -> None:
    shape = Shape(subtasks=4, importance={1: 0.5, 2: 0.9, 3: 1.0}, dependencies={2: (1,)})
    async with Lab(tmp_path, shape) as lab:
        report = await lab.start(max_subtasks=2)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert report.partial == "max_subtasks"
    assert {entry.subtask_id: entry.status for entry in report.subtasks} == {
        "task_1": "skipped",
        "task_2": "completed",
        "task_3": "completed",
        "task_4": "skipped",
    }


async def test_max_subtasks_bounds_what_is_drilled_into(tmp_path: Path) -> None:
    shape = Shape(subtasks=3, children={1: 3, 2: 3, 3: 3})
    async with Lab(tmp_path, shape, latency=jittered(0.003)) as lab:
        report = await lab.start(max_subtasks=7)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert len(report.subtasks) == 7 and report.partial == "max_subtasks"


async def test_max_subtasks_that_cuts_nothing_is_not_mentioned(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, children={1: 2})) as lab:
        assert (await lab.start(max_subtasks=4, max_depth=2)).partial is None


async def test_cancelling_finishes_the_calls_under_way_and_writes_a_partial_report(tmp_path: Path) -> None:
    cancel = asyncio.Event()
    async with Lab(tmp_path, latency=jittered(0.03)) as lab:
        run = asyncio.create_task(lab.start(cancel=cancel))
        await lab.has_asked(8)
        cancel.set()
        before = lab.calls
        report = await run
        journal = await lab.store.journal("run_one")
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()

    assert report.partial == "cancelled"
    made = [entry for entry in journal if entry.kind not in {"decide", "failed"}]
    assert len(made) == lab.calls, "a call that was made is in the journal"
    assert sum(not entry.path.startswith("report/") for entry in made) <= before


async def test_a_run_cancelled_before_it_starts_says_so(tmp_path: Path) -> None:
    cancel = asyncio.Event()
    cancel.set()
    async with Lab(tmp_path, latency=jittered(0.01)) as lab:
        report = await lab.start(cancel=cancel)
    assert report.partial == "cancelled" and report.claims == ()
    assert "was found before the run ended" in report.markdown
    assert "Nothing in the sources" not in report.markdown, "nobody has looked to the end"


@pytest.mark.parametrize("how", ["cancel", "time"])
async def test_what_comes_after_research_stops_nothing_and_keeps_nobody_busy(tmp_path: Path, how: str) -> None:
    cancel = asyncio.Event()

    def latency(kind: str, digest: str) -> float:  # noqa: ARG001 - the signature of a latency
        if kind == "WriteSection" and how == "cancel":
            cancel.set()
        return 0.15 if kind == "WriteSection" else 0.0

    async with Lab(tmp_path, latency=latency) as lab:
        updates = 0
        update_run = lab.store.update_run

        async def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal updates
            updates += 1
            return await update_run(*args, **kwargs)

        lab.store.update_run = counted  # type: ignore[method-assign]
        limits: dict[str, Any] = {"max_time": 0.14} if how == "time" else {}
        report = await lab.start(cancel=cancel, **limits)
    assert report.partial in ({None} if how == "cancel" else {None, "max_time"})
    assert updates <= 5


async def test_a_call_holds_a_slot_and_a_subtask_does_not(tmp_path: Path) -> None:
    shape = Shape(subtasks=6, children={1: 3, 2: 3}, dependencies={6: (1,)})
    async with Lab(tmp_path, shape, latency=jittered(0.001)) as lab:
        report = await asyncio.wait_for(lab.start(max_concurrency=1, max_depth=2), 30)
    assert report.partial is None and {entry.status for entry in report.subtasks} == {"completed"}


class Watched(SimulatedReasoner):
    """Counts how many of its asks are under way at once."""

    now = most = 0

    async def answer(self, ask: Any, calls: Any) -> Any:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await super().answer(ask, calls)
        finally:
            self.now -= 1


async def test_no_more_calls_than_allowed_are_under_way(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=8)) as lab:
        lab.reasoner = watched = Watched(Shape(subtasks=8), latency=jittered(0.003))
        await lab.start(max_concurrency=3)
    assert watched.most == 3


async def test_the_most_important_subtasks_go_first_when_calls_are_scarce(tmp_path: Path) -> None:
    shape = Shape(subtasks=6, importance={5: 1.0, 6: 0.95, 1: 0.3})
    async with Lab(tmp_path, shape, latency=jittered(0.002)) as lab:
        report = await lab.start(max_concurrency=1, max_calls=21)
    status = {entry.subtask_id: entry.status for entry in report.subtasks}
    assert status["task_5"] == status["task_6"] == "completed"
    assert all(status[id] != "completed" for id in ("task_1", "task_2", "task_3", "task_4"))


# ── The outside fails ──────────────────────────────────────────────────────────────────────────────────────────────


def failed_calls(events: list[Event]) -> set[str]:
    return {event.call for event in events if event.kind == "call_failed"}


async def test_a_failing_source_is_told_and_the_run_goes_on_with_the_others(tmp_path: Path) -> None:
    sources = [SimulatedRetriever("broken", failing=True), SimulatedRetriever("knowledge")]
    async with Lab(tmp_path, sources=sources) as lab:
        report = await lab.start()
        assert failed_calls(await lab.events()) == {"describe broken", "search broken"}
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert report.partial == "unavailable" and len(report.findings) == 12


async def test_a_run_without_time_to_ask_its_only_source_ends_with_a_report(tmp_path: Path) -> None:
    async with Lab(tmp_path, sources=[SimulatedRetriever("knowledge", latency=lambda *_: 60.0)]) as lab:
        report = await lab.start(max_time=0.2)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert report.partial and "the run goes on without it" in report.markdown and not report.claims


class FailsSearches(SimulatedRetriever):
    """Describes itself, and then finds nothing but errors."""

    async def describe(self, query: str) -> Any:
        self.failing = False
        description = await super().describe(query)
        self.failing = True
        return description


async def test_when_every_source_fails_the_run_fails_and_can_be_taken_up_again(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2), sources=[FailsSearches()]) as lab:
        with pytest.raises(Unavailable, match="knowledge fails"):
            await lab.start()
        assert (await lab.record()).status == "failed"
        events = await lab.events()
        assert events[-1].kind == "failed"
        assert {event.status for event in events if isinstance(event, SubtaskEnded)} == {"failed"}
        lab.sources = [SimulatedRetriever()]
        report = await lab.resume()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert (await lab.record()).status == "completed"
    assert len(report.findings) == 6


@pytest.mark.parametrize(
    ("failing", "statuses", "findings"),
    [
        ("PlanResearch", ["completed"], 3),
        ("AllocateQueries", ["completed"] * 2, 6),
        ("ExtractFindings", ["failed"] * 2, 0),
        ("AssessDepth", ["completed"] * 2, 6),
        ("SynthesizeSubtask", ["partial"] * 2, 6),
        ("RevisePlan", ["completed"] * 2, 6),
        ("Reflect", ["completed"] * 2, 6),
    ],
)
async def test_a_judgement_that_fails_is_done_without(
    tmp_path: Path, failing: str, statuses: list[str], findings: int
) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, failing=(failing,))) as lab:
        report = await lab.start()
        assert failed_calls(await lab.events()) == {failing}
        calls = lab.calls
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert lab.calls == calls
    assert [entry.status for entry in report.subtasks] == statuses
    assert len(report.findings) == findings
    assert same(report)


@pytest.mark.parametrize("kind", ["describe", "search"])
async def test_a_source_that_hangs_gets_no_longer_than_the_time_left_and_what_the_other_has_is_told(
    tmp_path: Path, kind: str
) -> None:
    hanging = SimulatedRetriever("beta", latency=lambda called, _: 3_600.0 if called == kind else 0.0)
    async with Lab(tmp_path, sources=[SimulatedRetriever(), hanging]) as lab:
        report = await asyncio.wait_for(lab.start(max_time=0.8), 300)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        passages = [event.passages for event in await lab.events() if isinstance(event, Gathered)]
    assert report.claims or not sum(passages), "on a busy machine the time may be up before anything is found"
