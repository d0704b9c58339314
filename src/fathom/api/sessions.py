"""Sessions: ask a question, see what becomes of it, stop it, go on with it, remove it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Query, Response

from fathom.api.depends import OfSessions, SessionId
from fathom.api.problems import documented
from fathom.limits import Limits
from fathom.noun import Noun
from fathom.plan import Mode
from fathom.ports import RunRecord, RunStatus
from fathom.sessions.requests import SessionRequest

router = APIRouter(prefix="/api/research/sessions", tags=["sessions"])

LIMIT = 20
MOST = 200


class SessionSummary(Noun):
    """A session as a listing shows it."""

    id: str
    """Its id."""
    query: str
    """The question."""
    language: str
    """ISO 639-1 code of the language of the question."""
    mode: Mode
    """As it was asked for."""
    status: RunStatus
    """How far it is."""
    partial: str | None
    """Why its report is incomplete; `None` when it is not."""
    stop_requested: bool
    """Whether it was asked to finish early."""
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """When it last changed."""
    seconds: float
    """Wall time spent so far, pauses excluded."""
    attempt: int
    """Counts how often it was taken up anew after it had ended with a partial report."""
    reasoner: str
    """Name and version of what answers the asks."""

    @classmethod
    def of(cls, run: RunRecord) -> SessionSummary:
        """The summary of a run."""
        names = [name for name in cls.model_fields if name != "id"]
        return cls(id=run.run_id, **{name: getattr(run, name) for name in names})


class SessionPage(Noun):
    """A part of the list of sessions."""

    sessions: tuple[SessionSummary, ...]
    """Newest first."""
    next: str | None
    """What to give as `before` for the sessions behind these; `None` when there are none."""


class ResumeRequest(Noun):
    """How to go on."""

    limits: Limits = Limits()
    """Limits that replace the session's own; one that is left out stays as it is."""


@router.post(
    "",
    operation_id="create_session",
    summary="Ask a question",
    status_code=201,
    responses={
        **documented(409, 415),
        200: {"model": SessionSummary, "description": "The key was known: the session of the earlier request."},
    },
)
async def create_session(
    request: SessionRequest,
    sessions: OfSessions,
    response: Response,
    idempotency_key: Annotated[
        str, Header(max_length=200, description="Your own name for the request: sent again, it starts nothing new.")
    ] = "",
) -> SessionSummary:
    """Store a question as a session that waits for a worker. It begins by itself, whether or not anybody looks on."""
    run, is_new = await sessions.create_once(request, key=idempotency_key)
    response.status_code = 201 if is_new else 200
    response.headers["Location"] = f"/api/research/sessions/{run.run_id}"
    return SessionSummary.of(run)


@router.get("", operation_id="list_sessions", summary="List sessions", responses=documented(404))
async def list_sessions(
    sessions: OfSessions,
    limit: Annotated[int, Query(ge=1, le=MOST, description="At most so many.")] = LIMIT,
    before: Annotated[str | None, Query(description="Only those that were created before this one.")] = None,
    status: Annotated[Sequence[RunStatus], Query(description="Only those with one of these.")] = (),
    q: Annotated[str, Query(max_length=1_000, description="Only those whose question holds this.")] = "",
) -> SessionPage:
    """Newest first, a page at a time."""
    runs = await sessions.newest(limit=limit + 1, before=before, statuses=status, text=q)
    shown = runs[:limit]
    return SessionPage(
        sessions=tuple(SessionSummary.of(run) for run in shown),
        next=shown[-1].run_id if len(runs) > limit else None,
    )


@router.get("/{session_id}", operation_id="get_session", summary="Look at a session", responses=documented(404))
async def get_session(session_id: SessionId, sessions: OfSessions) -> SessionSummary:
    """A session as it stands."""
    return SessionSummary.of(await sessions.get(session_id))


@router.post(
    "/{session_id}/cancel",
    operation_id="cancel_session",
    summary="Finish a session early",
    status_code=202,
    responses=documented(404),
)
async def cancel_session(session_id: SessionId, sessions: OfSessions) -> SessionSummary:
    """What is under way is finished, and a partial report is written. Nothing changes for one that has ended."""
    return SessionSummary.of(await sessions.cancel(session_id))


@router.post(
    "/{session_id}/resume",
    operation_id="resume_session",
    summary="Go on with a session",
    status_code=202,
    responses=documented(404, 409, 415),
)
async def resume_session(
    session_id: SessionId, sessions: OfSessions, request: Annotated[ResumeRequest | None, Body()] = None
) -> SessionSummary:
    """Go on with one that was stopped, limited, failed, or only planned; what is finished is not done again."""
    limits: dict[str, Any] = request.limits.model_dump(exclude_unset=True) if request else {}
    return SessionSummary.of(await sessions.resume(session_id, limits=limits))


@router.delete(
    "/{session_id}",
    operation_id="delete_session",
    summary="Remove a session",
    status_code=204,
    responses=documented(404),
)
async def delete_session(session_id: SessionId, sessions: OfSessions) -> None:
    """Remove it with its report and all that is only its own. One that is under way ends."""
    await sessions.delete(session_id)
