"""What the question leaves open, before it is planned: its person is asked, and what they answer becomes part of it."""

from __future__ import annotations

from fathom.asks import ClarifyQuestion
from fathom.clarification import clarified
from fathom.engine.approvals import approval
from fathom.engine.context import Context
from fathom.engine.steps.plan import previews, survey

ID = "question_1"


async def clarify(context: Context) -> None:
    """Ask what the question means, where that is wanted and the answer would change the plan.

    Unanswered in time, or left open, it is researched as it stands. A run that has been planned goes on as it is.
    """
    run, journal, state = context.run, context.journal, context.state
    is_decided = journal.decision(f"approval/{ID}") is not None
    is_begun = journal.has_asked("plan") or journal.has_researched("task_")
    if not is_decided and (context.replay or is_begun or not run.limits.clarify):
        return
    preview = await previews(context, at_hand=True) if context.reasoner.metered else state.material.preview
    ask = context.about(ClarifyQuestion, sources=state.material.sources, preview=preview, today=run.created_at[:10])
    left_open = await context.try_ask("clarify", ask, if_there_is_time=True)
    if left_open is None or not left_open.points:
        return
    answer = await approval(context, ID, "question", open_points=left_open.points)
    if answer is None:  # the run was told to stop
        return
    state.asked.clarified = known = clarified(run.query, left_open.points, answer.answers)
    if known.question != run.query:
        await context.understand(known.question)
        await survey(context)
