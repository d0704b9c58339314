"""What a person says to a run that is under way: answers to what it asks, stored for whoever carries it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.errors import Conflict, NotFound, UsageError
from fathom.steering import Given, check_answer, in_words

if TYPE_CHECKING:
    from fathom.ports import RunRecord, RunStore
    from fathom.steering import Answer, Approval, Command


def approval_of(run: RunRecord, approval_id: str | None) -> Approval:
    """What a run waits for, by its id, or the only thing that it waits for.

    Raises:
        Conflict: it waits for nothing.
        NotFound: it waits for nothing of that name.
        UsageError: it waits for several things, and none is named.
    """
    known = {each.id: each for each in run.waiting_for}
    if not known:
        raise Conflict(f"The run {run.run_id} waits for no approval.")
    if approval_id is None and len(known) > 1:
        raise UsageError(f"The run {run.run_id} waits for several approvals, name one of them: {', '.join(known)}.")
    id = approval_id or next(iter(known))
    if id not in known:
        raise NotFound(f"The run {run.run_id} waits for no approval '{id}', but for {', '.join(known)}.")
    return known[id]


def asked_of(run: RunRecord, said: Answer, approval_id: str | None) -> Approval:
    """What a run waits for that can be answered so; the errors of `answer`."""
    asked = approval_of(run, approval_id)
    check_answer(asked, said, most=run.limits.max_subtasks)
    return asked


async def answer(store: RunStore, run_id: str, said: Answer, approval_id: str | None) -> Approval:
    """Store the answer to what a run waits for; what that was.

    Raises:
        NotFound: no such run, or it has asked nothing of that name.
        Conflict: it waits for no answer any more, or somebody was faster.
        UsageError: the answer cannot be carried out; the approval stays open.
    """
    run = await store.run(run_id)
    if approval_id and all(each.id != approval_id for each in run.waiting_for):
        if earlier := (await store.directions(run.run_id)).get(f"approval/{approval_id}"):
            by = Given.model_validate_json(earlier).by
            why = "the time for it was up" if by == "time" else "it was answered before"
            raise Conflict(f"It is too late for '{approval_id}' of the run {run.run_id}: {why}.")
        if not run.is_active:
            raise Conflict(f"The run {run.run_id} has ended: it waits for no approval.")
    asked = asked_of(run, said, approval_id)
    await store.direct(run.run_id, f"approval/{asked.id}", Given(answer=in_words(asked, said)).model_dump_json())
    return asked


async def steer(store: RunStore, run_id: str, command: Command, subtask_id: str | None) -> RunRecord:
    """Tell a run that is under way what to do otherwise: whoever carries it out hears it within seconds.

    Raises:
        NotFound: no such run, or it has no such subtask.
        Conflict: the run, its research or the subtask has ended, or it was told that before.
        UsageError: the command needs a subtask, or takes none.
    """
    from fathom.sessions.progress import RunProgress

    if (subtask_id is None) != (command == "write"):
        raise UsageError(f"`{command}` names {'no part' if command == 'write' else 'a part, such as `task_2`'}.")
    run, progress = await store.run(run_id), RunProgress()
    for stored in await store.events(run.run_id):
        progress.take(stored)
    if run.status == "queued":
        raise Conflict(f"The run {run.run_id} has not begun: cancel it instead.")
    if run.status != "running":
        raise Conflict(f"It is too late: the run {run.run_id} has ended.")
    if progress.step.name not in _RESEARCHES:
        raise Conflict(f"It is too late: the run {run.run_id} has done its research, and writes its report.")
    key = f"write/{run.attempt}"
    if subtask_id is not None:
        row = progress.rows.get(subtask_id)
        if row is None:
            known = ", ".join(progress.rows) or "none yet"
            raise NotFound(f"The run {run.run_id} has no part '{subtask_id}'. It has: {known}.")
        if row.status not in ("pending", "researching"):
            raise Conflict(f"It is too late: {subtask_id} of the run {run.run_id} is {row.status}.")
        key = f"{command}/{subtask_id}"
    await store.direct(run.run_id, key, "true")
    return run


_RESEARCHES = {"starting", "planning", "asking", "waiting_for_you", "researching", "researching_again"}
"""What a run is doing while it can be steered."""
