"""What a run saves when whoever reads the passages also judges and sums up what they say."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any, TypeVar

import pytest

from fathom.asks import Ask, ExtractFindings, PlanResearch, Reflect, RevisePlan
from fathom.events import Allocated, Assessed
from fathom.evidence import Query, Retrieval
from fathom.frozen import FrozenModel
from fathom.plan import PlanRevision
from fathom.ports import Answered, Calls
from tests.support.doubles.reasoner import Shape, SimulatedReasoner
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.doubles.web import simulated_web
from tests.support.lab import Lab, same

A = TypeVar("A", bound=FrozenModel)


def kinds(lab: Lab) -> Counter[str]:
    return Counter(ask.kind() for ask in lab.reasoner.asks)


async def test_a_subtask_that_is_judged_and_summed_up_on_reading_takes_no_further_ask(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=3, at_once=True)) as lab:
        report = await lab.start()
        events = await lab.events()

    asked = kinds(lab)
    assert asked["ExtractFindings"] == 3
    assert asked["AssessDepth"] == asked["SynthesizeSubtask"] == asked["RevisePlan"] == 0
    assert sorted(event.subtask_id for event in events if isinstance(event, Assessed)) == ["task_1", "task_2", "task_3"]
    assert [entry.evaluation is not None for entry in report.subtasks] == [True] * 3
    assert {synthesis.subtask_id for synthesis in report.syntheses} == {"task_1", "task_2", "task_3"}


async def test_the_next_round_asks_what_the_judge_named(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=1, rounds=2, quality="adequate", at_once=True)) as lab:
        await lab.start()
        events = await lab.events()

    first, second = [event.queries for event in events if isinstance(event, Allocated)]
    assert set(second.values()) == {("task_1 after 3 findings",)}
    assert set(first.values()) != set(second.values())
    assert kinds(lab)["AllocateQueries"] == 1


async def test_the_answers_of_children_follow_that_of_their_parent(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, children={1: 2}, at_once=True)) as lab:
        report = await lab.start(max_depth=2)

    assert kinds(lab)["SynthesizeSubtask"] == 0
    told = {synthesis.subtask_id: synthesis for synthesis in report.syntheses}
    parent, *children = (told[id] for id in ("task_1", "task_1.1", "task_1.2"))
    assert parent.text.endswith(" ".join(child.text for child in children))
    assert {id for child in children for id in child.findings} < set(parent.findings)


async def test_a_sum_rests_on_nothing_that_was_dropped(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=2, invented=1, at_once=True)) as lab:
        report = await lab.start()

    kept = {finding.id for finding in report.findings}
    assert kept
    for synthesis in report.syntheses:
        assert set(synthesis.findings) <= kept


@pytest.mark.parametrize("on_the_web", [False, True], ids=["documents", "web"])
async def test_what_rests_on_findings_of_others_keeps_their_evidence(on_the_web: bool, tmp_path: Path) -> None:
    where: Any = {"web": simulated_web(), "sources": ()} if on_the_web else {}
    shape = Shape(subtasks=3, dependencies={2: (1,), 3: (2,)}, at_once=True, concludes=True)
    async with Lab(tmp_path, shape, **where) as lab:
        report = await lab.start()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()

    found = {each.subtask_id: each for each in report.findings if each.subtask_id != "task_1"}
    answers = {each.subtask_id: each for each in report.syntheses}
    spans = {each.id for each in report.evidence}
    assert found.keys() == {"task_2", "task_3"}
    for id in found:
        first, drawn = answers[id].findings
        assert drawn == found[id].id and first in {each.id for each in report.findings if each.subtask_id != id}
        assert [each.findings for each in answers[id].statements] == [(first,), (drawn,)]
        assert answers[id].contradictions == ((first, drawn),)
        assert spans.issuperset(found[id].evidence)


async def test_what_contradicts_another_part_is_reviewed_with_both_sides_and_stays_in_the_answer(
    tmp_path: Path,
) -> None:
    shape = Shape(subtasks=2, dependencies={2: (1,)}, at_once=True, concludes=True, weak=("task_2",))
    async with Lab(tmp_path, shape) as lab:
        report = await lab.start()

    (review,) = [ask for ask in lab.reasoner.asks if isinstance(ask, RevisePlan)]
    (pair,) = review.synthesis.contradictions
    assert review.finished.subtask_id == "task_2"
    assert {finding.id: finding.subtask_id for finding in review.findings if finding.id in pair} == dict(
        zip(pair, ("task_1", "task_2"), strict=True)
    )
    (look,) = [ask for ask in lab.reasoner.asks if isinstance(ask, Reflect)]
    assert pair in [each for synthesis in look.syntheses for each in synthesis.contradictions]
    assert pair in [each for synthesis in report.syntheses for each in synthesis.contradictions]


async def test_a_contradiction_stays_in_the_answer_whatever_the_next_round_says(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=1, rounds=2, quality="adequate", at_once=True)) as lab:
        simulated = lab.reasoner.answer

        async def answer(ask: Any, calls: Any) -> Any:
            answered = await simulated(ask, calls)
            if isinstance(ask, ExtractFindings) and not ask.known:
                first, second = (finding.id for finding in answered.answer.findings[:2])
                opposed = answered.answer.synthesis.model_copy(update={"contradictions": ((first, second),)})
                return Answered(answered.answer.model_copy(update={"synthesis": opposed}))
            return answered

        lab.reasoner.answer = answer  # type: ignore[method-assign]
        report = await lab.start()

    (synthesis,) = report.syntheses
    assert len(synthesis.contradictions) == 1 and len(synthesis.findings) == 6


async def test_only_a_subtask_that_may_change_the_plan_is_reviewed(tmp_path: Path) -> None:
    revisions = {"task_2": PlanRevision(should_revise=False)}
    async with Lab(tmp_path, Shape(subtasks=3, revisions=revisions, at_once=True)) as lab:
        await lab.start()

    assert [ask.finished.subtask_id for ask in lab.reasoner.asks if isinstance(ask, RevisePlan)] == ["task_2"]


async def test_a_replay_and_a_second_process_take_the_same_turns(tmp_path: Path) -> None:
    shape = Shape(subtasks=4, rounds=2, quality="adequate", weak=("task_2",), dependencies={3: (1,)}, at_once=True)
    async with Lab(tmp_path, shape) as lab:
        report = await lab.start()
    async with Lab(tmp_path, shape) as other:
        assert same(await other.replay()) == same(report)
        assert other.calls == 0


class Watched(SimulatedRetriever):
    """Says when it was searched."""

    def __init__(self) -> None:
        super().__init__()
        self.searched = asyncio.Event()

    async def search(self, query: Query, *, limit: int) -> Retrieval:
        self.searched.set()
        return await super().search(query, limit=limit)


class Metered(SimulatedReasoner):
    """Plans only when the question was searched for."""

    metered = True

    def __init__(self, shape: Shape, source: Watched) -> None:
        super().__init__(shape)
        self._source = source

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:
        if isinstance(ask, PlanResearch):
            await self._source.searched.wait()
        return await super().answer(ask, calls)


async def test_the_question_is_searched_for_while_a_model_plans(tmp_path: Path) -> None:
    source = Watched()
    async with Lab(tmp_path, sources=[source]) as lab:
        lab.reasoner = Metered(Shape(subtasks=2), source)
        await asyncio.wait_for(lab.start(max_depth=2), 60)

    (plan,) = [ask for ask in lab.reasoner.asks if isinstance(ask, PlanResearch)]
    assert plan.sources
    assert not plan.preview.passages


async def test_a_model_that_reads_knows_the_other_parts_and_the_depth_and_rules_do_not_need_it(tmp_path: Path) -> None:
    source = Watched()
    async with Lab(tmp_path, sources=[source]) as lab:
        lab.reasoner = Metered(Shape(subtasks=2), source)
        await lab.start(max_depth=2)
    (tmp_path / "rules").mkdir()
    async with Lab(tmp_path / "rules", Shape(subtasks=2)) as rules:
        await rules.start(max_depth=2)

    told = {(ask.max_depth, ask.parts) for ask in lab.reasoner.asks if isinstance(ask, ExtractFindings)}
    assert told == {(2, ("Part 1", "Part 2"))}
    assert {(ask.max_depth, ask.parts) for ask in rules.reasoner.asks if isinstance(ask, ExtractFindings)} == {(1, ())}
