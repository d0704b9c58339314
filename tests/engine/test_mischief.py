"""Whatever the plans and answers: a run ends within every limit, with a report that a replay gives to the byte."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.asks import PlanResearch
from fathom.events import (
    Allocated,
    DatasetEnded,
    DrilledDown,
    Event,
    Extracted,
    Planned,
    PlanRevised,
    Reflected,
    Stopping,
    SubtaskEnded,
    SubtaskStarted,
    TurnDirected,
)
from fathom.limits import Limits
from fathom.plan import MasterPlan, StrategicPlan, Subtask
from fathom.ports import Answered
from fathom.report import Report
from tests.support.doubles.dataset import SimulatedDataset
from tests.support.doubles.mischief import Mischief
from tests.support.doubles.reasoner import SimulatedReasoner
from tests.support.lab import Lab, research_calls


def limits_of(chance: Random) -> dict[str, Any]:
    """Small ones, so that each of them binds often enough."""
    return {
        "max_questions": chance.choice((1, 3, 10)),
        "max_subtasks": chance.choice((1, 4, 20, 30)),
        "max_depth": chance.choice((1, 2, 3)),
        "max_children": chance.choice((1, 3)),
        "max_refinements": chance.choice((0, 1, 2)),
        "max_reflections": chance.choice((0, 1, 2)),
        "max_revisions": chance.choice((0, 1, 3)),
        "max_queries": chance.choice((1, 4)),
        "max_findings": chance.choice((1, 5, 40)),
        "max_turns": chance.choice((1, 2, 10)),
        "max_records": chance.choice((None, 7, 120)),
        "max_validations": chance.choice((0, 1)),
        "max_perspectives": chance.choice((0, 2)),
        "max_calls": chance.choice((None, 1, 10, 60, 200)),
        "max_concurrency": chance.choice((1, 4, 16)),
        "order": chance.choice(("breadth_first", "depth_first", "hybrid")),
    }


async def mischief(seed: int, folder: Path) -> None:
    """One run, held against everything that it was allowed."""
    chance = Random(seed)
    limits = limits_of(chance)
    data = [SimulatedDataset()] if chance.random() < 0.4 else []
    async with Lab(folder, datasets=data) as lab:
        lab.reasoner = Mischief(seed, tame=chance.choice((0.0, 0.3, 0.7)))
        lab.reasoner.metered = chance.random() < 0.5  # as one with a model, which writes the report and checks it
        report = await asyncio.wait_for(lab.start(query="India events by event_theme", **limits), 120)
        events, made = await lab.events(), await research_calls(lab)
        made *= not lab.reasoner.metered  # there only calls to a model count, of which it makes none
        asked = lab.calls
        again = await lab.replay()
        assert lab.calls == asked, "a replay asks nobody"
    assert again.model_dump_json() == report.model_dump_json()
    _within(Limits(**limits), report, events, made)


def of(kind: type[Any], events: list[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def _within(limits: Limits, report: Report, events: list[Event], made: int) -> None:
    assert events[-1].kind == "finished" and report.markdown.startswith("# ")
    assert limits.max_calls is None or made <= limits.max_calls
    plan = of(Planned, events)[0].plan
    researched = [entry for entry in report.subtasks if entry.status not in ("skipped", "removed")]
    assert len(plan.subtasks) <= limits.max_questions
    assert len(researched) <= limits.max_subtasks
    assert max((entry.depth for entry in report.subtasks), default=0) < limits.max_depth
    assert len({entry.subtask_id for entry in report.subtasks}) == len(report.subtasks)
    assert all(len(each.children) <= limits.max_children for each in of(DrilledDown, events))
    opened = Counter(each.subtask_id for each in of(DrilledDown, events))
    assert all(times == 1 for times in opened.values()), "a subtask is drilled into once"
    assert sum(each.accepted for each in of(PlanRevised, events)) <= limits.max_revisions
    assert len(of(Reflected, events)) <= limits.max_reflections
    started, ended = of(SubtaskStarted, events), of(SubtaskEnded, events)
    assert len(started) == len({each.subtask_id for each in started}) and len(ended) >= len(started)
    rounds = Counter(each.subtask_id for each in of(Allocated, events))
    most = 1 + limits.max_refinements + limits.max_reflections
    assert all(count <= most for count in rounds.values()), rounds
    assert all(len(texts) <= limits.max_queries for each in of(Allocated, events) for texts in each.queries.values())
    if not of(DatasetEnded, events):
        assert all(each.findings <= limits.max_findings for each in of(Extracted, events))
    assert all(each.turns <= limits.max_turns for each in of(DatasetEnded, events))
    turns = Counter(each.subtask_id for each in of(TurnDirected, events))
    assert all(count <= rounds[id] * limits.max_turns for id, count in turns.items()), turns
    if limits.max_records is not None:
        assert all(each.scanned <= limits.max_records for each in report.coverage.datasets)
    assert len(of(Stopping, events)) == (report.partial == "max_calls")
    assert all(claim.verified or claim.status != "quoted" for claim in report.claims)


def _run(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(mischief(seed, Path(folder)))


@pytest.mark.parametrize("seed", [*range(36), 1013])  # the last one plans at levels that there are not
def test_whatever_a_reasoner_answers_the_run_ends_within_every_limit_with_a_report(seed: int) -> None:
    _run(seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_a_thousand_mischievous_runs_end_within_every_limit_with_a_report(block: int) -> None:
    for seed in range(1_000 + 50 * block, 1_050 + 50 * block):
        _run(seed)


class Twice(Mischief):
    """Names every source twice in each allocation."""

    async def answer(self, ask: Any, calls: Any) -> Any:
        told = await SimulatedReasoner.answer(self, ask, calls)
        if isinstance(told.answer, StrategicPlan):
            both = (*told.answer.allocations, *told.answer.allocations)
            return Answered(told.answer.model_copy(update={"allocations": both}))
        return told


async def test_a_plan_that_is_none_is_done_without(tmp_path: Path) -> None:
    """Circles, and one id for all."""
    broken = MasterPlan.model_construct(
        is_complex=True,
        complexity_reasoning="",
        execution_mode="hierarchical",
        strategy=None,
        subtasks=(Subtask(subtask_id="task_1", description="What?", dependencies=("task_1",)),) * 2,
        overall_strategy="",
    )
    async with Lab(tmp_path) as lab:
        lab.reasoner = Broken(broken)
        report = await lab.start(max_reflections=0)
        failed = [event for event in await lab.events() if event.kind == "call_failed"]
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert [entry.subtask_id for entry in report.subtasks] == ["task_1"] and report.claims
    assert "PlanResearch" in failed[0].error and "breaks its rules" in failed[0].error


class Broken(SimulatedReasoner):
    """Plans as it is told."""

    def __init__(self, plan: MasterPlan) -> None:
        super().__init__()
        self.plan = plan

    def _plan(self, ask: PlanResearch) -> MasterPlan:  # noqa: ARG002
        return self.plan


async def test_a_dataset_that_an_allocation_names_twice_is_researched_once(tmp_path: Path) -> None:
    async with Lab(tmp_path, datasets=[SimulatedDataset()]) as lab:
        lab.reasoner = Twice(1)
        report = await lab.start(query="India events by event_theme", max_reflections=0, max_questions=2)
        ended = of(DatasetEnded, await lab.events())
        assert len(ended) == len({each.subtask_id for each in ended})
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
