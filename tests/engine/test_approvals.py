"""What a run waits with for its person: what is decided, by whom, and that it is decided once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fathom.asks import PlanResearch
from fathom.errors import Conflict, NotFound, Rejected, UsageError
from fathom.events import ApprovalAsked, ApprovalGiven, DrilledDown, Planned, PlanRevised, Stopping, SubtaskStarted
from fathom.plan import PlanRevision, Subtask
from fathom.report import Report
from fathom.steering import Answer, EditedPart, edited
from fathom.wiring.steering import answer
from tests.engine.asked import asked, broken_off, until
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab, same

ACCEPT, REJECT = Answer(decision="accept"), Answer(decision="reject")
REVISION = PlanRevision(
    should_revise=True,
    estimated_impact=0.9,
    revision_reasoning="something new has come up",
    new_subtasks=(Subtask(subtask_id="task_9", description="What came up?"),),
    removed_subtasks=("task_3",),
)


async def said(lab: Lab, *answers: Answer, **limits: Any) -> Report:
    """The report of a run that is given one answer after the other."""
    run = asyncio.ensure_future(lab.start(**limits))
    before = ""
    for each in answers:
        now = await asked(lab, but=before)
        await answer(lab.store, "run_one", each, now.id)
        before = now.id
    return await run


async def test_nobody_is_asked_unless_it_is_wanted(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(children={1: 1})) as lab:
        await lab.start()
        assert not [each for each in await lab.events() if isinstance(each, ApprovalAsked)]


async def test_a_plan_that_is_accepted_gives_the_report_of_a_run_that_asks_nobody(tmp_path: Path) -> None:
    async with Lab(tmp_path / "alone") as lab, Lab(tmp_path / "asked") as other:
        alone, approved = await lab.start(), await said(other, ACCEPT, approve=("plan",))
        assert approved.model_copy(update={"limits": alone.limits, "created_at": "", "usage": alone.usage}) == (
            alone.model_copy(update={"created_at": ""})
        )
        assert (await other.record()).waiting_for == ()
        assert [each.by for each in await other.events() if isinstance(each, ApprovalGiven)] == ["person"]


async def test_a_plan_is_carried_out_as_it_was_edited_also_by_a_replay(tmp_path: Path) -> None:
    parts = (
        EditedPart(subtask_id="task_3", description="What is part 3 of it?"),
        EditedPart(description="A further part"),
        EditedPart(subtask_id="task_1", description="Part 1 in other words", dependencies=("task_3",)),
    )
    async with Lab(tmp_path) as lab:
        report = await said(lab, Answer(decision="edit", parts=parts), approve=("plan",))
        [plan] = [each.plan for each in await lab.events() if isinstance(each, Planned)]
        assert [(each.subtask_id, each.description, each.dependencies) for each in plan.subtasks] == [
            ("task_3", "What is part 3 of it?", ()),
            ("task_5", "A further part", ()),
            ("task_1", "Part 1 in other words", ("task_3",)),
        ]
        assert [each.subtask_id for each in report.subtasks] == ["task_3", "task_5", "task_1"]
        assert same(await lab.replay()) == same(report)


async def test_a_plan_is_made_again_with_a_remark_as_often_as_it_is_wanted(tmp_path: Path) -> None:
    again = Answer(decision="again", remark="but leave the history out")
    async with Lab(tmp_path) as lab:
        report = await said(lab, again, again, ACCEPT, approve=("plan",))
        asks = [ask for ask in lab.reasoner.asks if isinstance(ask, PlanResearch)]
        assert [(ask.remark, len(ask.before)) for ask in asks] == [("", 0), *[(again.remark, 4)]]  # an equal ask is one
        assert [each.approval_id for each in await lab.events() if isinstance(each, ApprovalGiven)] == [
            "plan_1",
            "plan_2",
            "plan_3",
        ]
        assert same(await lab.replay()) == same(report)


async def test_a_plan_that_is_rejected_is_proposed_again_when_the_run_is_taken_up(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        with pytest.raises(Rejected, match="Resume it"):
            await said(lab, REJECT, approve=("plan",))
        assert (await lab.record()).status == "failed" and not (await lab.record()).waiting_for
        again = asyncio.ensure_future(lab.resume())
        assert (await asked(lab)).id == "plan_2"
        await answer(lab.store, "run_one", ACCEPT, None)
        assert same(await again) == same(await lab.replay())


async def test_unanswered_it_goes_on_as_proposed_and_the_report_says_so(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(children={1: 2})) as lab:
        report = await lab.start(approve=("plan", "drilldown"), approval_time=0.3)
        given = [each for each in await lab.events() if isinstance(each, ApprovalGiven)]
        assert {each.by for each in given} == {"time"} and {each.about for each in given} == {"plan", "drilldown"}
        assert any(
            "Approvals that nobody gave in time" in each and f": {len(given)}." in each for each in report.limitations
        )
        assert same(await lab.replay()) == same(report)
        with pytest.raises(Conflict, match="the time for it was up"):
            await answer(lab.store, "run_one", ACCEPT, "plan_1")


async def test_the_first_answer_stands_and_every_other_one_is_told_so(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab, Lab(tmp_path) as other:
        run = asyncio.ensure_future(lab.start(approve=("plan",)))
        id = (await asked(lab)).id
        outcomes = await asyncio.gather(
            *(answer(each.store, "run_one", ACCEPT, id) for each in (lab, other, lab)), return_exceptions=True
        )
        assert sorted(type(each).__name__ for each in outcomes) == ["Approval", "Conflict", "Conflict"]
        await run
        with pytest.raises(Conflict):
            await answer(lab.store, "run_one", REJECT, id)


async def test_what_was_never_asked_cannot_be_answered(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        run = asyncio.ensure_future(lab.start(approve=("plan",)))
        await asked(lab)
        with pytest.raises(NotFound, match="plan_1"):
            await answer(lab.store, "run_one", ACCEPT, "plan_7")
        await answer(lab.store, "run_one", ACCEPT, None)
        await run


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ((), "no part left"),
        (("a", ""), "Part 2 of the plan is empty"),
        (tuple("abcdefghijklmnopqrstu"), "21 parts and the run may have 20"),
    ],
)
async def test_a_plan_that_cannot_be_carried_out_leaves_the_approval_open(
    tmp_path: Path, parts: tuple[str, ...], says: str
) -> None:
    async with Lab(tmp_path) as lab:
        run = asyncio.ensure_future(lab.start(approve=("plan",)))
        await asked(lab)
        wrong = Answer(decision="edit", parts=tuple(EditedPart(description=each) for each in parts))
        with pytest.raises(UsageError, match=says):
            await answer(lab.store, "run_one", wrong, None)
        await answer(lab.store, "run_one", ACCEPT, None)
        assert (await run).partial is None


@pytest.mark.parametrize(
    ("needs", "says"),
    [
        ({1: ("task_2",), 2: ("task_1",)}, "form a circle"),
        ({1: ("task_7",)}, "task_7, which is not in the plan"),
        ({2: ("task_2",)}, "form a circle"),
    ],
)
def test_dependencies_that_lead_nowhere_or_in_a_circle_are_refused(
    needs: dict[int, tuple[str, ...]], says: str
) -> None:
    proposed = [Subtask(subtask_id=f"task_{n}", description=f"Part {n}") for n in (1, 2)]
    parts = [
        EditedPart(subtask_id=each.subtask_id, description=each.description, dependencies=needs.get(n))
        for n, each in enumerate(proposed, start=1)
    ]
    with pytest.raises(UsageError, match=says):
        edited(proposed, parts)


def test_whoever_waited_for_a_part_that_was_dropped_waits_no_more() -> None:
    first, second = (
        Subtask(subtask_id="task_1", description="First"),
        Subtask(subtask_id="task_2", description="Second", dependencies=("task_1",), estimated_importance=0.4),
    )
    [left] = edited([first, second], [EditedPart(subtask_id="task_2", description="Second")])
    assert left.dependencies == () and left.estimated_importance == 0.4 and left.priority == 1


async def test_while_one_branch_waits_the_others_are_finished(tmp_path: Path) -> None:
    async with Lab(tmp_path, Shape(children={1: 2})) as lab:
        run = asyncio.ensure_future(lab.start(approve=("drilldown",)))
        assert (await asked(lab)).subtask_id == "task_1"

        async def three_ended() -> bool | None:
            return [each.kind for each in await lab.events()].count("subtask_ended") == 3 or None

        assert await until(three_ended) and not run.done()
        await answer(lab.store, "run_one", REJECT, None)
        report = await run
        assert not [each for each in await lab.events() if isinstance(each, DrilledDown)]
        assert same(await lab.replay()) == same(report)


async def test_a_revision_is_carried_out_only_when_it_is_approved(tmp_path: Path) -> None:
    shape = Shape(dependencies={3: (2,), 4: (3,)}, children={2: 2}, revisions={"task_1": REVISION})
    for said_, removed in ((ACCEPT, {"task_3"}), (REJECT, set[str]())):
        async with Lab(tmp_path / said_.decision, shape, latency=jittered(0.01)) as lab:
            report = await said(lab, said_, approve=("revision",))
            [change] = [each for each in await lab.events() if isinstance(each, PlanRevised)]
            assert change.accepted == bool(removed) and set(change.removed) == removed
            started = {each.subtask_id for each in await lab.events() if isinstance(each, SubtaskStarted)}
            assert ("task_3" in started) != bool(removed)
            assert same(await lab.replay()) == same(report)


async def test_a_run_that_is_stopped_while_it_waits_asks_again_when_it_goes_on(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        cancel = asyncio.Event()
        run = asyncio.ensure_future(lab.start(approve=("plan",), cancel=cancel))
        await asked(lab)
        cancel.set()
        assert (await run).partial == "cancelled" and (await lab.record()).waiting_for == ()
        assert same(await lab.replay())
        again = asyncio.ensure_future(lab.resume())
        await asked(lab)
        await answer(lab.store, "run_one", ACCEPT, None)
        report = await again
        assert report.partial is None and same(await lab.replay()) == same(report)


async def test_waiting_takes_nothing_of_the_time_of_the_research(tmp_path: Path) -> None:
    async with Lab(tmp_path) as lab:
        run = asyncio.ensure_future(lab.start(approve=("plan",), max_time=1.5))
        await asked(lab)
        await asyncio.sleep(3)
        await answer(lab.store, "run_one", ACCEPT, None)
        report = await run
        assert report.partial is None and report.usage.seconds < 1.5
        assert not [each for each in await lab.events() if isinstance(each, Stopping)]


async def test_a_process_that_takes_a_run_up_behind_its_plan_does_not_ask_for_it(tmp_path: Path) -> None:
    shape = Shape(children={1: 2})
    async with Lab(tmp_path, shape, latency=jittered(0.02)) as lab:
        run = asyncio.ensure_future(lab.start())
        await lab.has_asked(6)
        await broken_off(run)
    async with Lab(tmp_path, shape) as lab:
        await lab.resume(approve=("plan",))
        assert not [each for each in await lab.events() if isinstance(each, ApprovalAsked)]


async def test_four_processes_answer_after_restarts_and_repeat_no_call(tmp_path: Path) -> None:
    """One asks and dies, one answers meanwhile, two go on: as many calls as in a run of one process."""
    shape = Shape(dependencies={4: (1,)}, children={2: 2}, revisions={"task_1": REVISION})
    every = ("plan", "drilldown", "revision")

    async def process(work: Callable[[Lab], Awaitable[None]], *, resumes: bool, **limits: Any) -> list[tuple[str, str]]:
        async with Lab(folder, shape, latency=jittered(0.01)) as lab:
            run = asyncio.ensure_future(lab.resume() if resumes else lab.start(**limits))
            await work(lab)
            await broken_off(run) if not run.done() else run.result()
            return lab.reasoner.performed

    async def all_answered(lab: Lab) -> None:
        await asked(lab)
        while (record := await lab.record()).status == "running":
            for each in record.waiting_for:
                try:
                    await answer(lab.store, "run_one", ACCEPT, each.id)
                except Conflict:
                    continue
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.2)

    async def until_asked(lab: Lab) -> None:
        await asked(lab, about="drilldown")
        await asked(lab, about="revision")
        await asyncio.sleep(0.5)

    async def plan_asked(lab: Lab) -> None:
        await asked(lab)

    folder = tmp_path / "alone"
    alone = await process(all_answered, resumes=False, approve=every)
    folder = tmp_path / "four"
    done = await process(plan_asked, resumes=False, approve=every)
    async with Lab(folder, shape) as second:
        await answer(second.store, "run_one", ACCEPT, None)
    done += await process(until_asked, resumes=True)
    async with Lab(folder, shape) as third:
        for each in (await third.record()).waiting_for:
            await answer(third.store, "run_one", ACCEPT, each.id)
    done += await process(all_answered, resumes=True)

    assert len(done) == len(set(done)), "a call was repeated"
    assert set(done) == set(alone)
    async with Lab(folder, shape) as lab:
        report = await lab.store.report("run_one")
        assert same(await lab.replay()) == same(report) and lab.calls == 0
