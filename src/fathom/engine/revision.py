"""What a finished subtask may change in the plan: pure rules, and the change as it is decided."""

from __future__ import annotations

from collections.abc import Iterable

from fathom.events import PlanRevised
from fathom.plan import MasterPlan, PlanRevision, Subtask
from fathom.text.analysis import terms

MIN_IMPACT = 0.7
"""A revision that gains no more than this is not carried out."""


def change_of(
    plan: MasterPlan, revision: PlanRevision, *, startable: Iterable[str], taken: Iterable[str], places: int
) -> PlanRevised:
    """What of `revision` is carried out on `plan`.

    `startable` are the subtasks that have not started, `taken` all ids ever given at the root level, `places` the
    subtasks that `max_subtasks` still allows. A subtask that says what another one says is not added.
    """
    if not revision.should_revise:
        return PlanRevised(accepted=False, reason=revision.revision_reasoning or "nothing changes the plan")
    if revision.estimated_impact <= MIN_IMPACT:
        return PlanRevised(accepted=False, reason=f"an impact of {revision.estimated_impact:.2f} is too low")
    ids = {subtask.subtask_id for subtask in plan.subtasks}
    removed = tuple(id for id in dict.fromkeys(revision.removed_subtasks) if id in ids and id in set(startable))
    priorities = {id: priority for id, priority in revision.priority_changes.items() if id in ids and priority >= 1}
    added = _added(plan, revision, removed=set(removed), taken=set(taken), places=places)
    if not (added or removed or priorities):
        return PlanRevised(accepted=False, reason="nothing of it could be carried out")
    told = revision.revision_reasoning
    return PlanRevised(accepted=True, reason=told, added=added, removed=removed, priority_changes=priorities)


def _added(
    plan: MasterPlan, revision: PlanRevision, *, removed: set[str], taken: set[str], places: int
) -> tuple[Subtask, ...]:
    said = {_words(subtask.description) for subtask in plan.subtasks}
    new: dict[str, Subtask] = {}
    for each in revision.new_subtasks:
        if (words := _words(each.description)) not in said:
            new.setdefault(words, each)
    next_number = 1 + max(int(id.removeprefix("task_")) for id in taken)
    added: list[Subtask] = []
    names: dict[str, str] = {}
    standing = {each.subtask_id: each.subtask_id for each in plan.subtasks if each.subtask_id not in removed}
    for number, subtask in enumerate([*new.values()][:places], start=next_number):
        known = names | standing  # where two clash, the plan's own is meant; only earlier ones: no circle can arise
        id = f"task_{number}"
        names.setdefault(subtask.subtask_id, id)
        place = {"subtask_id": id, "parent_id": None, "depth": 0}
        needs = tuple(dict.fromkeys(known[each] for each in subtask.dependencies if each in known))
        why = subtask.reason or revision.revision_reasoning
        added.append(subtask.model_copy(update={**place, "dependencies": needs, "reason": why}))
    return tuple(added)


def _words(description: str) -> str:
    """What two descriptions that say the same have in common."""
    return " ".join(terms(description)) or description.casefold()


def changed(plan: MasterPlan, change: PlanRevised) -> MasterPlan:
    """The plan with `change` carried out, by priority. Dependants of a removed subtask keep going."""
    gone = set(change.removed)
    subtasks = [
        subtask.model_copy(
            update={
                "priority": change.priority_changes.get(subtask.subtask_id, subtask.priority),
                "dependencies": tuple(id for id in subtask.dependencies if id not in gone),
            }
        )
        for subtask in (*plan.subtasks, *change.added)
        if subtask.subtask_id not in gone
    ]
    ordered = tuple(sorted(subtasks, key=lambda subtask: subtask.priority))
    more = {"is_complex": True, "execution_mode": "hierarchical"} if len(ordered) > 1 else {}
    return plan.model_copy(update={"subtasks": ordered, **more})
