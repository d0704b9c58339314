"""What a session waits for its person to approve, and the answers to that."""

from __future__ import annotations

from fastapi import APIRouter

from fathom.api.depends import OfFathom, OfSessions, SessionId
from fathom.api.problems import WITH_A_BODY, documented
from fathom.frozen import FrozenModel
from fathom.sessions.views import SessionView, session_view
from fathom.steering import Answer, Approval

router = APIRouter(prefix="/api/research/sessions/{session_id}", tags=["sessions"])


class Approvals(FrozenModel):
    """What a session waits for."""

    approvals: tuple[Approval, ...]
    """In the order of being asked."""


@router.get("/approvals", operation_id="list_approvals", summary="What a session waits for", responses=documented(404))
async def list_approvals(session_id: SessionId, sessions: OfSessions) -> Approvals:
    """What the session would do and waits with: its plan, drill-downs, revisions, as `limits.approve` has it."""
    return Approvals(approvals=(await sessions.get(session_id)).waiting_for)


@router.post(
    "/approvals/{approval_id}",
    operation_id="answer_approval",
    summary="Answer what a session waits for",
    status_code=202,
    responses=documented(404, 409, *WITH_A_BODY),
)
async def answer_approval(
    session_id: SessionId, approval_id: str, said: Answer, sessions: OfSessions, fathom: OfFathom
) -> SessionView:
    """Accept it or not; a plan may also be edited, or made again with a remark.

    The first answer stands; whoever comes later, or too late, is told so (409). An answer that cannot be carried out,
    as a plan whose parts wait for each other, leaves the approval open (422).
    """
    await sessions.answer(session_id, said, approval_id)
    return await session_view(fathom.store, await sessions.get(session_id))
