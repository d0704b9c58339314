"""Whatever the plan: every subtask is researched exactly once, after what it depends on; removed ones never."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fathom.engine.routing import after_assess, without_news
from fathom.events import DrilledDown, PlanRevised, SubtaskEnded, SubtaskStarted
from fathom.findings import DepthEvaluation
from fathom.limits import Limits
from fathom.plan import PlanRevision, Subtask
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab


@st.composite
def shapes(draw: Any) -> Shape:
    """Plans of up to 7 subtasks, some drilled into, some revised."""
    count = draw(st.integers(2, 7))
    numbers = list(range(1, count + 1))
    order = draw(st.permutations(numbers))  # a subtask may depend on one with a higher number
    dependencies = {
        id: tuple(draw(st.lists(st.sampled_from(order[:at]), max_size=3, unique=True)))
        for at, id in enumerate(order)
        if at and draw(st.booleans())
    }
    new = Subtask(subtask_id="task_99", description="What else?", dependencies=draw(st.sampled_from([(), ("task_2",)])))
    revisions = {
        f"task_{id}": PlanRevision(
            should_revise=True,
            estimated_impact=0.9,
            new_subtasks=draw(st.sampled_from([(), (new,)])),
            removed_subtasks=tuple(f"task_{each}" for each in draw(st.lists(st.sampled_from(numbers), max_size=2))),
        )
        for id in draw(st.lists(st.sampled_from(numbers), max_size=2, unique=True))
    }
    return Shape(
        subtasks=count,
        dependencies=dependencies,
        importance={id: draw(st.sampled_from([0.3, 0.8, 1.0])) for id in numbers},
        children=dict.fromkeys(draw(st.lists(st.sampled_from(numbers), max_size=2)), 2),
        revisions=revisions,
        queries=1,
        findings=1,
    )


async def _once_each(folder: Path, shape: Shape, salt: str, slots: int) -> None:
    async with Lab(folder, shape, latency=jittered(0.0005, salt=salt)) as lab:
        report = await lab.start(max_concurrency=slots, max_depth=2, max_reflections=0, max_subtasks=60)
        events = await lab.events()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    _check(report.subtasks, events)


def examples(count: int) -> settings:
    return settings(deadline=None, max_examples=count, suppress_health_check=[HealthCheck.too_slow])


WALKS = given(shape=shapes(), salt=st.text("abc", max_size=2), slots=st.sampled_from([1, 2, 16]))
BREAKS = given(
    shape=shapes(),
    salt=st.text("abc", max_size=2),
    moments=st.lists(st.integers(1, 20), max_size=4),
    limit=st.integers(1, 60),
)


@WALKS
@examples(5)
def test_every_subtask_runs_exactly_once_after_its_dependencies(shape: Shape, salt: str, slots: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_once_each(Path(folder), shape, salt, slots))


@BREAKS
@examples(3)
def test_a_run_that_is_broken_off_and_stopped_anywhere_is_replayed_to_the_byte(
    shape: Shape, salt: str, moments: list[int], limit: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_to_the_end(Path(folder), shape, salt, moments, limit))


@pytest.mark.soak
@WALKS
@examples(200)
def test_many_plans_run_each_subtask_once(shape: Shape, salt: str, slots: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_once_each(Path(folder), shape, salt, slots))


@pytest.mark.soak
@BREAKS
@examples(200)
def test_many_broken_runs_are_replayed_to_the_byte(shape: Shape, salt: str, moments: list[int], limit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_to_the_end(Path(folder), shape, salt, moments, limit))


async def _to_the_end(folder: Path, shape: Shape, salt: str, moments: list[int], limit: int) -> None:
    """Break the run off, stop it, and let limits bind, at the given moments; replay it after each report."""
    partial: str | None = "not begun"
    for round, moment in enumerate([*moments, None, None]):  # the first without a limit may still keep an earlier stop
        async with Lab(folder, shape, latency=jittered(0.0005, salt=f"{salt}{round}")) as lab:
            if round == 0:
                await lab.create(max_depth=2, max_subtasks=9, max_calls=limit)
            cancel = asyncio.Event()
            last: dict[str, Any] = {} if moment else {"max_calls": None}
            run = asyncio.create_task(lab.resume(cancel=cancel, **last))
            asking = asyncio.create_task(lab.has_asked(moment or 10_000))
            await asyncio.wait({run, asking}, return_when=asyncio.FIRST_COMPLETED)
            asking.cancel()
            if moment and moment % 2:
                run.cancel()
            elif moment:
                cancel.set()
            await asyncio.gather(run, asking, return_exceptions=True)
            if not run.cancelled():
                report = run.result()
                partial = report.partial
                calls = lab.calls
                assert (await lab.replay()).model_dump_json() == report.model_dump_json()
                assert lab.calls == calls
    assert partial in {None, "max_subtasks"}


def _check(entries: Any, events: list[Any]) -> None:
    started = [event.subtask_id for event in events if isinstance(event, SubtaskStarted)]
    ended = [event.subtask_id for event in events if isinstance(event, SubtaskEnded)]
    removed = {id for event in events if isinstance(event, PlanRevised) for id in event.removed}
    opened = {each.subtask_id for event in events if isinstance(event, DrilledDown) for each in event.children}
    statuses = {entry.subtask_id: entry.status for entry in entries}

    assert sorted(started) == sorted(ended) == sorted(id for id in statuses if id not in removed)
    assert len(set(started)) == len(started)
    assert all(statuses[id] == ("removed" if id in removed else "completed") for id in statuses)
    assert opened == {id for id in statuses if "." in id}

    def at(kind: Any, id: str) -> int:
        return next(n for n, event in enumerate(events) if isinstance(event, kind) and event.subtask_id == id)

    for entry in entries:
        if entry.subtask_id not in removed:
            start = at(SubtaskStarted, entry.subtask_id)
            assert all(at(SubtaskEnded, id) < start for id in entry.dependencies if id not in removed)
        if entry.parent_id:
            assert at(SubtaskEnded, entry.subtask_id) < at(SubtaskEnded, entry.parent_id)


# ── Routing ────────────────────────────────────────────────────────────────────────────────────────────────────────

EVALUATIONS = st.builds(
    DepthEvaluation,
    is_sufficient=st.booleans(),
    depth_quality=st.sampled_from(["superficial", "adequate", "deep"]),
    drill_down_needed=st.booleans(),
    drill_down_areas=st.sampled_from([(), ("an area",)]),
    missing=st.sampled_from([(), ("a part",)]),
)
SUBTASKS = st.builds(
    Subtask,
    subtask_id=st.just("task_1"),
    description=st.just("What?"),
    depth=st.integers(0, 4),
    estimated_importance=st.sampled_from([0.0, 0.69, 0.7, 1.0]),
    parent_id=st.none(),
    priority=st.just(1),
    focus_area=st.just(""),
)


@given(EVALUATIONS, SUBTASKS, st.integers(0, 4), st.booleans(), st.integers(1, 4), st.integers(0, 4), st.booleans())
def test_a_spent_limit_always_ends_in_synthesize(
    evaluation: DepthEvaluation, subtask: Subtask, refinements: int, again: bool, depth: int, most: int, metered: bool
) -> None:
    limits = Limits(max_depth=depth, max_refinements=most)
    route = after_assess(evaluation, subtask, limits, refinements=refinements, again=again, metered=metered)
    assert route.reason
    if evaluation.is_sufficient or again:
        assert route.step == "synthesize"
    if route.step == "direct":
        assert refinements < most and (evaluation.missing or (metered and evaluation.drill_down_areas))
    if route.step == "drill_down":
        assert subtask.depth + 1 < depth and subtask.estimated_importance >= 0.7 and evaluation.drill_down_areas
        assert refinements or not (metered and most), "with a model, a search comes first"


def test_with_a_model_a_subtask_is_drilled_into_once_a_refinement_has_not_been_enough() -> None:
    lacks = DepthEvaluation(
        is_sufficient=False, depth_quality="superficial", drill_down_needed=True, drill_down_areas=("an area",)
    )
    subtask = Subtask(subtask_id="task_1", description="What?", estimated_importance=1.0)
    routes = [
        after_assess(lacks, subtask, Limits(max_depth=2), refinements=refinements, again=False, metered=metered).step
        for metered in (True, False)
        for refinements in (0, 1)
    ]
    assert routes == ["direct", "drill_down", "drill_down", "drill_down"]


def test_without_an_evaluation_the_subtask_is_synthesized_as_it_is() -> None:
    subtask = Subtask(subtask_id="task_1", description="What?")
    assert after_assess(None, subtask, Limits(), refinements=0, again=False).step == "synthesize"


def test_only_a_first_round_without_findings_is_assessed() -> None:
    assert without_news(0, round=0, again=False) is None
    assert without_news(1, round=1, again=True) is None
    refined, again = without_news(0, round=1, again=False), without_news(0, round=0, again=True)
    assert (refined and refined.step, again and again.step) == ("synthesize", "end")
