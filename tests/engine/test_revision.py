"""What a finished subtask may change in the plan, and what it may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fathom.asks import RevisePlan
from fathom.engine.revision import change_of, changed
from fathom.events import PlanRevised, SubtaskStarted
from fathom.plan import MasterPlan, PlanRevision, Subtask, check_graph
from tests.support.doubles.reasoner import Shape, jittered
from tests.support.lab import Lab, same


def task(n: int, description: str = "", **fields: Any) -> Subtask:
    return Subtask(subtask_id=f"task_{n}", description=description or f"What is part {n} of it?", **fields)


PLAN = MasterPlan(is_complex=True, execution_mode="hierarchical", subtasks=(task(1), task(2), task(3, priority=3)))


def revision(**fields: Any) -> PlanRevision:
    return PlanRevision.model_validate({"should_revise": True, "estimated_impact": 0.9, **fields})


def change(revision: PlanRevision, *, startable: tuple[str, ...] = ("task_3",), places: int = 9) -> Any:
    return change_of(PLAN, revision, startable=startable, taken=["task_1", "task_2", "task_3", "task_4"], places=places)


def test_new_subtasks_get_ids_of_their_own_and_keep_their_dependencies_among_each_other() -> None:
    new = (task(1, "New A", dependencies=("task_2", "task_8")), task(7, "New B", dependencies=("task_7", "task_1")))
    more = task(9, "New C", dependencies=("task_7",), depth=2, parent_id="task_1")
    made = change(revision(new_subtasks=(*new, more)))
    assert [(each.subtask_id, each.dependencies) for each in made.added] == [
        ("task_5", ("task_2",)),  # task_8 is nowhere
        ("task_6", ("task_1",)),  # the plan's own task_1, not the new one; never itself
        ("task_7", ("task_6",)),
    ]
    assert made.added[2].depth == 0 and made.added[2].parent_id is None
    check_graph(changed(PLAN, made).subtasks)


def test_a_subtask_that_says_what_another_one_says_is_not_added() -> None:
    same_words = (task(8, "what is PART 2, of it"), task(9, "New"), task(10, "new!"))
    assert [each.description for each in change(revision(new_subtasks=same_words)).added] == ["New"]


def test_no_more_subtasks_are_added_than_there_are_places() -> None:
    new = tuple(task(n, f"New {n}") for n in range(10, 15))
    assert len(change(revision(new_subtasks=new), places=2).added) == 2


def test_a_subtask_that_has_started_is_not_removed() -> None:
    made = change(revision(removed_subtasks=("task_2", "task_3", "task_9")))
    assert made.removed == ("task_3",)
    assert [each.subtask_id for each in changed(PLAN, made).subtasks] == ["task_1", "task_2"]


def test_priorities_are_addressed_by_id_and_order_the_plan() -> None:
    made = change(revision(priority_changes={"task_1": 5, "task_9": 1}))
    assert made.priority_changes == {"task_1": 5}
    assert [each.subtask_id for each in changed(PLAN, made).subtasks] == ["task_2", "task_3", "task_1"]


@pytest.mark.parametrize(
    "declined",
    [
        revision(estimated_impact=0.7, removed_subtasks=("task_3",)),
        revision(removed_subtasks=("task_1",)),
        PlanRevision(should_revise=False, removed_subtasks=("task_3",), estimated_impact=1.0),
    ],
)
def test_what_gains_too_little_or_cannot_be_done_changes_nothing(declined: PlanRevision) -> None:
    made = change(declined)
    assert not made.accepted and made.reason


# ── In a run ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_added_subtasks_are_researched_and_removed_ones_never_start(tmp_path: Path) -> None:
    revisions = {
        "task_1": revision(
            new_subtasks=(task(9, "What else?", dependencies=("task_2",), priority=3),),
            removed_subtasks=("task_3",),
            priority_changes={"task_4": 9},
        )
    }
    shape = Shape(subtasks=4, dependencies={2: (1,), 3: (2,), 4: (3,)}, revisions=revisions)
    async with Lab(tmp_path, shape, latency=jittered(0.002)) as lab:
        report = await lab.start()
        events = await lab.events()
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()

    assert [(entry.subtask_id, entry.status) for entry in report.subtasks] == [
        ("task_1", "completed"),
        ("task_2", "completed"),
        ("task_5", "completed"),
        ("task_4", "completed"),
        ("task_3", "removed"),
    ]
    assert "task_3" not in [event.subtask_id for event in events if isinstance(event, SubtaskStarted)]
    (told,) = [event for event in events if isinstance(event, PlanRevised)]
    assert told.accepted and told.removed == ("task_3",) and told.added[0].subtask_id == "task_5"


async def test_the_plan_changes_no_more_often_than_allowed(tmp_path: Path) -> None:
    revisions = {f"task_{n}": revision(new_subtasks=(task(90, f"What else of {n}?"),)) for n in range(1, 9)}
    async with Lab(tmp_path, Shape(subtasks=4, revisions=revisions), latency=jittered(0.003)) as lab:
        report = await lab.start(max_revisions=2)
        asked = [ask for ask in lab.reasoner.asks if isinstance(ask, RevisePlan)]
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
    assert len(report.subtasks) == 6
    # one at a time: the second review sees what the first one has added
    assert [len(ask.plan.subtasks) for ask in asked] == [4, 5]


async def test_revisions_count_towards_max_subtasks(tmp_path: Path) -> None:
    revisions = {"task_1": revision(new_subtasks=tuple(task(n, f"New {n}") for n in range(20, 29)))}
    async with Lab(tmp_path, Shape(subtasks=3, revisions=revisions)) as lab:
        report = await lab.start(max_subtasks=5)
    assert len(report.subtasks) == 5 and report.partial == "max_subtasks"


@pytest.mark.parametrize("salt", ["a", *(pytest.param(salt, marks=pytest.mark.soak) for salt in "bcd")])
async def test_a_replay_takes_the_same_turns_whatever_ends_first(tmp_path: Path, salt: str) -> None:
    revisions = {
        "task_1": revision(new_subtasks=(task(50, "From one"),), removed_subtasks=("task_5",)),
        "task_2": revision(new_subtasks=(task(60, "From two"),), removed_subtasks=("task_6",)),
        "task_3": revision(new_subtasks=(task(70, "From three"),), priority_changes={"task_1": 8}),
    }
    shape = Shape(subtasks=6, dependencies={5: (3,), 6: (3, 4)}, revisions=revisions, children={4: 2})
    async with Lab(tmp_path, shape, latency=jittered(0.004, salt=salt)) as lab:
        report = await lab.start(max_revisions=2, max_depth=2)
    async with Lab(tmp_path, shape, latency=jittered(0.001, salt="other")) as lab:
        assert (await lab.replay()).model_dump_json() == report.model_dump_json()
        assert lab.calls == 0
    assert same(report)
