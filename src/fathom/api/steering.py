"""What a session waits for its person to approve, the answers to that, and what it is told while it is under way."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from fathom.api.depends import OfFathom, OfSessions, SessionId
from fathom.api.problems import WITH_A_BODY, documented
from fathom.frozen import FrozenModel
from fathom.report import Estimate
from fathom.sessions.views import SessionView, session_view
from fathom.steering import Answer, Approval, Command

router = APIRouter(prefix="/api/research/sessions/{session_id}", tags=["sessions"])


ApprovalId = Annotated[
    str, Path(pattern=r"^[a-z_0-9.]{1,100}$", description="Id of the approval.", examples=["plan_1"])
]


class Approvals(FrozenModel):
    """What a session waits for."""

    approvals: tuple[Approval, ...]
    """In the order of being asked."""


class SteerRequest(FrozenModel, defer_build=False):
    """What to do otherwise."""

    command: Command
    """`skip` leaves a subtask out, `deeper` looks into it further, whatever is thought of its depth; `write` ends the
    research and has the report written from what was found."""
    subtask_id: str | None = Field(default=None, max_length=100)
    """Which subtask; none of `write`."""


@router.get("/approvals", summary="What a session waits for", responses=documented(404))
async def list_approvals(session_id: SessionId, sessions: OfSessions) -> Approvals:
    """What the session would do and waits with: its plan, drill-downs, revisions, as `limits.approve` has it; and what
    its question leaves open, as `limits.clarify` has it."""
    return Approvals(approvals=(await sessions.get(session_id)).waiting_for)


@router.post(
    "/approvals/{approval_id}",
    summary="Answer what a session waits for",
    status_code=202,
    responses=documented(404, 409, *WITH_A_BODY),
)
async def answer_approval(
    session_id: SessionId, approval_id: ApprovalId, said: Answer, sessions: OfSessions, fathom: OfFathom
) -> SessionView:
    """Accept it or not; a plan may also be edited, or made again with a remark, and an open question answered.

    The first answer stands; whoever comes later, or too late, is told so (409). An answer that cannot be carried out,
    as a plan whose parts wait for each other, leaves the approval open (422).
    """
    await sessions.answer(session_id, said, approval_id)
    return await session_view(fathom.store, await sessions.get(session_id))


@router.post(
    "/approvals/{approval_id}/estimate",
    summary="What a plan would take if it was edited so",
    responses=documented(404, 409, *WITH_A_BODY),
)
async def estimate_answer(
    session_id: SessionId, approval_id: ApprovalId, said: Answer, sessions: OfSessions
) -> Estimate:
    """What the session would take by its plan with these `parts`. It asks nobody anything, and goes on waiting."""
    return await sessions.expected(session_id, said, approval_id)


@router.post("/steer", summary="Steer a session", status_code=202, responses=documented(404, 409, *WITH_A_BODY))
async def steer_session(
    session_id: SessionId, told: SteerRequest, sessions: OfSessions, fathom: OfFathom
) -> SessionView:
    """Leave a subtask out, look into one further, or have the report written now. It is heard within seconds.

    What was found for a subtask that is left out stays. Where it is too late, the answer says so (409).
    """
    await sessions.steer(session_id, told.command, told.subtask_id)
    return await session_view(fathom.store, await sessions.get(session_id))
