"""What a run may not go on with by itself: it asks its person, waits, and goes on as proposed when nobody answers."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from fathom.engine.context import Context
from fathom.errors import Conflict
from fathom.events import ApprovalAsked, ApprovalGiven
from fathom.steering import About, Answer, Approval, Given

LOOK_SECONDS = 0.25
"""How often it is looked whether somebody has answered, in whatever process."""


async def approval(
    context: Context, id: str, about: About, *, is_begun: bool = False, **proposal: Any
) -> Answer | None:
    """What the person of the run says to a proposal; to accept it, where nobody is to be asked or answers in time.

    The answer is decided in the journal: a run that is taken up, and a replay, find it there. A run that was told to
    stop, or to leave that part out, while it waited has none; the next attempt of one that was stopped asks again.

    Args:
        id: Names it within the run.
        is_begun: Whether an earlier process has gone on with it without asking.
        proposal: Further fields of the `Approval`.
    """
    path = f"approval/{id}"
    decided = context.journal.decision(path)
    if decided is None:
        limits = context.run.limits
        if is_begun or not (limits.clarify if about == "question" else about in limits.approve):
            return Answer(decision="accept")
        if context.replay or context.journal.reason is not None or _is_left_out(context, proposal.get("subtask_id")):
            return None
        given = await _waited(context, path, Approval(id=id, about=about, **proposal))
        if given is None:
            return None
        decided = await context.decide(path, given.model_dump(mode="json"))
    given = Given.model_validate(decided)
    if given.by == "time" and about != "question":  # which the report names
        context.told.unapproved.add(id)
    await context.emit(ApprovalGiven(approval_id=id, about=about, decision=given.answer.decision, by=given.by))
    return given.answer


async def _waited(context: Context, key: str, asked: Approval) -> Given | None:
    """The answer, once there is one: the first that somebody gives, or that of the clock; `None` when the run stops.

    Whoever takes the run up asks anew, and waits as long again: the answer may have come while nobody was at work.
    """
    store, run, journal, open_ones = context.store, context.run, context.journal, context.told.asked
    seconds = run.limits.approval_time
    until = None if seconds is None else datetime.now(UTC) + timedelta(seconds=seconds)
    asked = asked.model_copy(update={"until": until and until.isoformat(timespec="seconds")})
    open_ones[asked.id] = asked
    await store.update_run(run.run_id, fence=context.fence, waiting_for=tuple(open_ones.values()))
    await context.emit(ApprovalAsked(approval=asked))
    said: str | None = None
    stopped = asyncio.ensure_future(journal.stopping.wait())
    try:
        with journal.waiting():
            while said is None and not stopped.done() and not _is_left_out(context, asked.subtask_id):
                said = (await store.directions(run.run_id)).get(key)
                left = LOOK_SECONDS if until is None else (until - datetime.now(UTC)).total_seconds()
                if said is None and left <= 0:
                    said = await _by_default(context, key)
                elif said is None:
                    await asyncio.wait([stopped], timeout=min(left, LOOK_SECONDS))
    finally:
        stopped.cancel()
    del open_ones[asked.id]
    await store.update_run(run.run_id, fence=context.fence, waiting_for=tuple(open_ones.values()))
    return Given.model_validate_json(said) if said is not None else None


def _is_left_out(context: Context, subtask_id: str | None) -> bool:
    return subtask_id is not None and context.journal.leaves_out(subtask_id)


async def _by_default(context: Context, key: str) -> str | None:
    """The answer of the clock, unless somebody was faster: who comes later is told so."""
    given = Given(answer=Answer(decision="accept"), by="time").model_dump_json()
    try:
        await context.store.direct(context.run.run_id, key, given)
    except Conflict:
        return None
    return given
