"""A reasoner that does more than it was asked for is cut back."""

from __future__ import annotations

from fathom.engine.steps.plan import at_most
from fathom.plan import MasterPlan, Subtask


def test_a_plan_is_cut_to_the_first_subtasks_and_nothing_waits_for_the_rest() -> None:
    subtasks = tuple(
        Subtask(subtask_id=f"task_{number}", description="?", priority=number, dependencies=needs)
        for number, needs in ((1, ()), (2, ("task_3",)), (3, ()))
    )
    plan = MasterPlan(is_complex=True, execution_mode="hierarchical", subtasks=subtasks)
    cut = at_most(plan, 2)
    assert [(subtask.subtask_id, subtask.dependencies) for subtask in cut.subtasks] == [("task_1", ()), ("task_2", ())]
    assert at_most(plan, 3) == plan
