"""A run that asks what its question means: what is answered becomes part of it, once, whoever carries the run out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fathom.asks import ClarifyQuestion, PlanResearch
from fathom.clarification import Choice, OpenPoint, clarified
from fathom.errors import Conflict, UsageError
from fathom.events import ApprovalAsked, ApprovalGiven, Stopping, Understood
from fathom.report import Report
from fathom.steering import Answer, Approval, check_answer
from fathom.wiring.steering import answer
from tests.engine.asked import asked, broken_off
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab, same

LEAVES_OPEN = Shape(left_open=("year", "town"))
AS_IT_STANDS = Answer(decision="accept")


def says(*answers: str) -> Answer:
    return Answer(decision="answer", answers=answers)


async def said(lab: Lab, given: Answer, **limits: Any) -> Report:
    """The report of a run that is given an answer."""
    run = asyncio.ensure_future(lab.start(clarify=True, **limits))
    await answer(lab.store, "run_one", given, (await asked(lab)).id)
    return await run


def planned(lab: Lab) -> str:
    """The question that was planned."""
    return next(ask.query for ask in lab.reasoner.asks if isinstance(ask, PlanResearch))


async def test_nobody_is_asked_unless_it_is_wanted_or_where_the_question_is_clear(tmp_path: Path) -> None:
    async with Lab(tmp_path / "unwanted", LEAVES_OPEN) as lab, Lab(tmp_path / "clear") as clear:
        for each, wanted in ((lab, False), (clear, True)):
            report = await each.start(clarify=wanted)
            assert not [event for event in await each.events() if isinstance(event, ApprovalAsked)]
            assert "clarified" not in report.model_dump(mode="json")
        assert not [ask for ask in lab.reasoner.asks if isinstance(ask, ClarifyQuestion)]


async def test_what_is_answered_is_part_of_the_question_from_then_on(tmp_path: Path) -> None:
    async with Lab(tmp_path, LEAVES_OPEN) as lab:
        report = await said(lab, says("2", ""))
        stands = (await lab.record()).query
        assert planned(lab) == f"{stands} of year 2"
        assert [each.question for each in await lab.events() if isinstance(each, Understood)] == [planned(lab)]
        assert report.query == stands and report.clarified
        assert (report.clarified.question, report.clarified.answers) == (planned(lab), ("year 2", ""))
        assert [each for each in report.limitations if "Which town? (town 1; town 2)" in each]
        assert not [each for each in report.limitations if "year" in each or "Approvals" in each]
        assert same(await lab.replay()) == same(report)


async def test_several_answers_and_own_words_lead_the_question(tmp_path: Path) -> None:
    async with Lab(tmp_path, LEAVES_OPEN) as lab:
        report = await said(lab, says("1", "the one on the hill"))
        assert planned(lab) == f"year 1; the one on the hill: {(await lab.record()).query}"
        assert report.clarified and not report.clarified.open
        assert same(await lab.replay()) == same(report)


async def test_left_open_it_is_the_run_that_asks_nobody_and_the_report_says_so(tmp_path: Path) -> None:
    async with Lab(tmp_path / "alone", LEAVES_OPEN) as lab, Lab(tmp_path / "asked", LEAVES_OPEN) as other:
        alone, left = await lab.start(), await said(other, AS_IT_STANDS)
        assert planned(lab) == planned(other) and [each.text for each in alone.claims] == [
            each.text for each in left.claims
        ]
        assert len([each for each in left.limitations if "left open" in each]) == 2
        assert not [each for each in await other.events() if isinstance(each, Understood)]


async def test_unanswered_in_time_it_is_taken_as_it_stands_and_a_late_answer_is_told_so(tmp_path: Path) -> None:
    async with Lab(tmp_path, LEAVES_OPEN) as lab:
        report = await lab.start(clarify=True, approval_time=0.3)
        assert planned(lab) == (await lab.record()).query
        assert [each.by for each in await lab.events() if isinstance(each, ApprovalGiven)] == ["time"]
        assert len([each for each in report.limitations if "left open" in each]) == 2
        assert not [each for each in report.limitations if "Approvals" in each]
        assert same(await lab.replay()) == same(report)
        with pytest.raises(Conflict, match="the time for it was up"):
            await answer(lab.store, "run_one", says("1"), "question_1")


async def test_it_is_answered_once(tmp_path: Path) -> None:
    async with Lab(tmp_path, LEAVES_OPEN) as lab, Lab(tmp_path) as other:
        run = asyncio.ensure_future(lab.start(clarify=True))
        id = (await asked(lab)).id
        outcomes = await asyncio.gather(
            answer(lab.store, "run_one", says("1"), id),
            answer(other.store, "run_one", says("2"), id),
            return_exceptions=True,
        )
        assert sorted(type(each).__name__ for each in outcomes) == ["Approval", "Conflict"]
        await run
        with pytest.raises(Conflict, match="it was answered before"):
            await answer(lab.store, "run_one", says("1"), id)


async def test_answered_after_a_restart_it_repeats_no_call(tmp_path: Path) -> None:
    """One process asks and dies, another answers, a third goes on: the calls of a run of one process."""
    async with Lab(tmp_path / "alone", LEAVES_OPEN, latency=jittered(0.01)) as alone:
        whole = await said(alone, says("2", "1"))
    async with Lab(tmp_path / "several", LEAVES_OPEN, latency=jittered(0.01)) as first:
        run = asyncio.ensure_future(first.start(clarify=True))
        await asked(first)
        await broken_off(run)
    async with Lab(tmp_path / "several") as second:
        await answer(second.store, "run_one", says("2", "1"), None)
    async with Lab(tmp_path / "several", LEAVES_OPEN, latency=jittered(0.01)) as third:
        report = await third.resume()
        performed = first.reasoner.performed + third.reasoner.performed
        assert len(performed) == len(set(performed)) and set(performed) == set(alone.reasoner.performed)
        searched = [each for lab in (first, third) for each in lab.sources[0].searches]
        assert len(searched) == len(alone.sources[0].searches)
        assert report.clarified == whole.clarified and same(await third.replay()) == same(report)


async def test_waiting_takes_nothing_of_the_time_of_the_research(tmp_path: Path) -> None:
    async with Lab(tmp_path, LEAVES_OPEN) as lab:
        run = asyncio.ensure_future(lab.start(clarify=True, max_time=1.5))
        await asked(lab)
        await asyncio.sleep(2.5)
        await answer(lab.store, "run_one", says("1"), None)
        report = await run
        assert report.partial is None and report.usage.seconds < 1.5
        assert not [each for each in await lab.events() if isinstance(each, Stopping)]


async def test_the_plan_of_what_is_meant_is_approved_next(tmp_path: Path) -> None:
    async with Lab(tmp_path, LEAVES_OPEN) as lab:
        run = asyncio.ensure_future(lab.start(clarify=True, approve=("plan",)))
        await answer(lab.store, "run_one", says("town 1"), (await asked(lab)).id)  # to the first point, in own words
        plan = await asked(lab, but="question_1")
        assert plan.about == "plan" and planned(lab).startswith("town 1: ")
        await answer(lab.store, "run_one", AS_IT_STANDS, plan.id)
        assert (await run).partial is None


async def test_a_run_that_has_been_planned_is_not_asked(tmp_path: Path) -> None:
    async with Lab(tmp_path, LEAVES_OPEN, latency=jittered(0.02)) as lab:
        run = asyncio.ensure_future(lab.start())
        await lab.has_asked(4)
        await broken_off(run)
    async with Lab(tmp_path, LEAVES_OPEN) as lab:
        await lab.resume(clarify=True)
        assert not [each for each in await lab.events() if isinstance(each, ApprovalAsked)]


async def test_a_run_that_is_stopped_while_it_waits_asks_again(tmp_path: Path) -> None:
    async with Lab(tmp_path, LEAVES_OPEN) as lab:
        cancel = asyncio.Event()
        run = asyncio.ensure_future(lab.start(clarify=True, cancel=cancel))
        await asked(lab)
        cancel.set()
        stopped = await run
        assert stopped.partial == "cancelled" and stopped.clarified is None
        again = asyncio.ensure_future(lab.resume())
        await answer(lab.store, "run_one", says("1"), (await asked(lab)).id)
        report = await again
        assert report.partial is None and report.clarified and same(await lab.replay()) == same(report)


POINT = OpenPoint(
    question="Which?", choices=tuple(Choice(label=each, question=f"{each}, then?") for each in ("2023", "2026"))
)


@pytest.mark.parametrize(
    ("answers", "question"),
    [
        (("1",), "2023, then?"),
        ((" 2026 ",), "2026, then?"),
        (("2024",), "2024: Then?"),
        (("\x07",), "Then?"),
        ((), "Then?"),
        (("すべて",), "すべて：Then?"),
    ],
)
def test_an_answer_is_a_number_a_choice_or_own_words(answers: tuple[str, ...], question: str) -> None:
    assert clarified("Then?", [POINT], answers).question == question


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (says("3"), "no choice 3"),
        (says("0"), "no choice 0"),
        (says("1", "2"), "2 answers are given"),
        (Answer(decision="reject"), "or accepted as it stands"),
        (Answer(decision="again", remark="but not so"), "or accepted as it stands"),
    ],
)
def test_what_cannot_be_meant_leaves_it_open(given: Answer, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        check_answer(Approval(id="question_1", about="question", open_points=(POINT,)), given, most=20)


def test_a_plan_has_nothing_to_be_answered() -> None:
    with pytest.raises(UsageError):
        check_answer(Approval(id="plan_1", about="plan"), says("1"), most=20)
