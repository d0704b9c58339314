"""Looking at the run as a whole: experts before the plan, and a judgement of the findings in each look back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fathom.asks import Ask, GeneratePerspectives, PlanResearch, Reflect
from fathom.events import CallFailed, Reflected
from fathom.limits import Limits
from fathom.ports import Answered
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.report import Report
from fathom.text.phrases import phrases
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab, same

WHOLE: dict[str, Any] = {"max_perspectives": 2, "max_validations": 2, "max_reflections": 2}
SHAPE = Shape(subtasks=3, weak=("task_2",))


def of(kind: type[Ask[Any]], lab: Lab) -> list[Any]:
    return [ask for ask in lab.reasoner.asks if isinstance(ask, kind)]


async def test_nobody_is_asked_unless_the_limits_allow_it(tmp_path: Path) -> None:
    async with Lab(tmp_path, SHAPE) as lab:
        report = await lab.start()
    assert "GeneratePerspectives" not in report.usage.calls
    assert (report.perspectives, report.validation, report.gaps) == ((), None, None)


async def test_experts_are_asked_once_before_the_plan_and_the_plan_sees_them(tmp_path: Path) -> None:
    async with Lab(tmp_path, SHAPE) as lab:
        report = await lab.start(max_perspectives=2)

    kinds = [ask.kind() for ask in lab.reasoner.asks]
    assert kinds[:2] == ["GeneratePerspectives", "PlanResearch"] and kinds.count("GeneratePerspectives") == 1
    (asked,), (planned,) = of(GeneratePerspectives, lab), of(PlanResearch, lab)
    assert (asked.topic, asked.num_perspectives) == (report.query, 2)
    assert [each.name for each in planned.perspectives] == ["Reader 1", "Reader 2"]
    assert report.perspectives == planned.perspectives


async def test_the_look_back_judges_the_findings_as_often_as_the_limits_allow(tmp_path: Path) -> None:
    async with Lab(tmp_path / "twice", SHAPE) as lab:
        report = await lab.start(**WHOLE)
        assert [ask.validates for ask in of(Reflect, lab)] == [True, True]
    async with Lab(tmp_path / "once", SHAPE) as lab:
        await lab.start(max_validations=1, max_reflections=2)
        assert [ask.validates for ask in of(Reflect, lab)] == [True, False]

    assert report.validation and report.validation.status == "NEEDS_REVISION"
    assert report.gaps and report.gaps.coverage_by_question["task_2"] == 0.4
    assert report.usage.calls["Reflect"] == 2 and "ValidateFindings" not in report.usage.calls


async def test_what_is_judged_is_all_that_was_found_with_the_subtasks_as_questions(tmp_path: Path) -> None:
    shape = Shape(subtasks=2, dependencies={2: (1,)}, children={1: 1})
    async with Lab(tmp_path, shape) as lab:
        await lab.start(max_depth=2, max_validations=1)

    (ask,) = of(Reflect, lab)
    assert [question.id for question in ask.questions] == ["task_1", "task_1.1", "task_2"]
    assert ask.questions[2].depends_on == ("task_1",) and len(ask.findings) == 9
    rest_on = {evidence.document for finding in ask.findings for evidence in finding.evidence}
    assert {document.sha256 for document in ask.documents} == rest_on
    assert ask.new_findings == (6, 3) and ask.docs_processed >= len(rest_on) and ask.total_docs_available == 40


async def test_a_part_that_its_children_look_into_lacks_what_they_lack(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(subtasks=1, children={1: 2}, rounds=2)) as lab:
        await lab.start(max_depth=2, max_refinements=0)

    (ask,) = of(Reflect, lab)
    assert ask.evaluations["task_1.1"].missing == ("3 findings",)
    assert ask.evaluations["task_1"].missing == ("3 findings",), "once"
    assert not ask.evaluations["task_1"].is_sufficient


@pytest.mark.parametrize("failing", ["GeneratePerspectives", "Reflect"])
async def test_a_judgement_that_fails_is_told_and_stops_nothing(tmp_path: Path, failing: str) -> None:
    async with Lab(tmp_path, Shape(subtasks=3, failing=(failing,))) as lab:
        report = await lab.start(**WHOLE)
        events = await lab.events()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()

    assert failing in {event.call for event in events if isinstance(event, CallFailed)}
    assert report.partial is None and report.claims
    assert not (report.perspectives if failing == "GeneratePerspectives" else report.validation)


async def test_a_replay_makes_no_call_and_gives_the_same_bytes(tmp_path: Path) -> None:
    async with Lab(tmp_path, SHAPE, latency=jittered(0.002)) as lab:
        report = await lab.start(**WHOLE)
        told = await lab.events()
    async with Lab(tmp_path, SHAPE) as lab:
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert lab.calls == 0 and await lab.events() == told


@pytest.mark.parametrize("after", [1, 2, 14, 16])
async def test_a_run_that_was_broken_off_goes_on_without_asking_anything_twice(tmp_path: Path, after: int) -> None:
    async with Lab(tmp_path / "whole", SHAPE) as lab:
        whole = await lab.start(**WHOLE)
        needed = lab.calls
    async with Lab(tmp_path / "broken", SHAPE, latency=jittered(0.01)) as lab:
        run = asyncio.create_task(lab.start(**WHOLE))
        await lab.has_asked(after)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        durable = [each for each in await lab.store.journal("run_one") if each.kind != "decide"]
    async with Lab(tmp_path / "broken", SHAPE) as lab:
        report = await lab.resume()
        assert lab.calls == needed - len(durable)
    assert same(report) == same(whole)


@pytest.mark.parametrize("max_calls", range(1, 30, 4))
async def test_a_budget_that_ends_in_between_ends_the_run_as_ever(tmp_path: Path, max_calls: int) -> None:
    async with Lab(tmp_path, SHAPE) as lab:
        report = await lab.start(max_calls=max_calls, **WHOLE)
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert report.partial in (None, "max_calls")
        finished = await lab.resume(max_calls=None)
    assert finished.partial is None and finished.validation and len(finished.perspectives) == 2


@pytest.mark.parametrize("limits", [WHOLE, {"max_perspectives": 1}, {"max_validations": 5, "max_reflections": 1}])
async def test_what_the_run_took_lies_within_its_estimate(tmp_path: Path, limits: dict[str, Any]) -> None:
    async with Lab(tmp_path, SHAPE) as lab:
        report = await lab.start(**limits)
    assert report.estimate.calls_low <= lab.calls <= report.estimate.calls_high


# ── In the report ──────────────────────────────────────────────────────────────────────────────────────────────────


async def reported(folder: Path, *, language: str, **limits: Any) -> Report:
    async with Lab(folder, SHAPE) as lab:
        await lab.create(**limits)
        fence = await lab.store.acquire("run_one")
        await lab.store.update_run("run_one", fence=fence, language=language)
        return await lab.resume()


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_what_the_findings_leave_open_is_a_limitation_and_a_suggestion(tmp_path: Path, language: str) -> None:
    words = phrases(language)

    report = await reported(tmp_path, language=language, max_validations=2, max_reflections=2)

    told = words.doubts["coverage"].format(what="Part 2")
    assert report.limitations.count(told) == 1 and report.markdown.count(told) == 1
    assert words.search_again.format(what="task_2 gap") in report.suggestions


async def test_what_was_researched_since_is_no_limitation_any_more(tmp_path: Path) -> None:
    report = await reported(tmp_path, language="en", max_validations=1, max_reflections=2)

    assert report.validation and report.validation.issues and report.gaps and report.gaps.gaps
    assert not any("Part 2" in line for line in report.limitations)
    assert not any("task_2 gap" in line for line in report.suggestions)


# ── By rules alone ─────────────────────────────────────────────────────────────────────────────────────────────────


class ByRules(Lab):
    """Plans and reads as simulated; looks back by the rules of the extractive reasoner."""

    def __init__(self, folder: Path, shape: Shape, *, second: str = "What is part 2 of it?") -> None:
        """`second` is what the second subtask asks; the texts tell of many parts of the sea."""
        super().__init__(folder, shape)
        simulated, rules = self.reasoner.answer, ExtractiveReasoner()

        async def answer(ask: Any, calls: Any) -> Any:
            if isinstance(ask, GeneratePerspectives | Reflect):
                self.reasoner.asks.append(ask)
                return await rules.answer(ask, calls)
            answered = await simulated(ask, calls)
            if isinstance(ask, PlanResearch):
                plan = answered.answer
                asked = [each.model_copy(update={"description": second}) for each in plan.subtasks[1:2]]
                subtasks = (plan.subtasks[0], *asked, *plan.subtasks[2:])
                return Answered(plan.model_copy(update={"subtasks": subtasks}))
            return answered

        self.reasoner.answer = answer  # type: ignore[method-assign]


ABSENT = "How do whales and Krill shape part 2 of it?"


async def test_by_rules_a_run_without_judgement_looks_back_as_it_always_did(tmp_path: Path) -> None:
    async with ByRules(tmp_path, Shape(subtasks=2), second=ABSENT) as lab:
        await lab.start(max_reflections=1)
        events = await lab.events()

    assert [event.weak for event in events if isinstance(event, Reflected)] == [()]


async def test_a_deep_run_does_both(tmp_path: Path) -> None:
    deep = Limits.for_effort("deep").model_dump()
    async with ByRules(tmp_path, SHAPE) as lab:
        report = await lab.start(**deep)
    assert len(report.perspectives) == 3 and report.validation and report.gaps
