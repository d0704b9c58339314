"""Sessions: ask a question, see what becomes of it, stop it, go on with it, remove it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Query, Request, Response

from fathom.api.depends import OfFathom, OfLibrary, OfSessions, SessionId
from fathom.api.problems import WITH_A_BODY, documented, removes
from fathom.api.receiving import UPLOAD, UploadedFiles, received
from fathom.errors import Conflict, UsageError
from fathom.frozen import FrozenModel
from fathom.limits import Limits
from fathom.ports import RunRecord, RunStatus
from fathom.sessions.datasets import UploadedFile
from fathom.sessions.requests import FollowUpRequest, ForkRequest, LabelRequest, SessionRequest
from fathom.sessions.uploads import Incoming
from fathom.sessions.views import SessionSummary, SessionView, session_summaries, session_view
from fathom.wiring import Fathom

router = APIRouter(prefix="/api/research/sessions", tags=["sessions"])

IdempotencyKey = Annotated[
    str, Header(max_length=200, description="Your own name for the request: sent again, it starts nothing new.")
]
LIMIT = 20
MOST = 200


class SessionPage(FrozenModel):
    """A part of the list of sessions."""

    sessions: tuple[SessionSummary, ...]
    """Newest first."""
    next: str | None
    """What to give as `before` for the sessions behind these; `None` when there are none."""


class ThreadView(FrozenModel):
    """The sessions that follow each other."""

    sessions: tuple[SessionSummary, ...]
    """Oldest first; `follows` says which follows which."""


class ResumeRequest(FrozenModel):
    """How to go on."""

    limits: Limits = Limits()
    """Limits that replace the session's own; one that is left out stays as it is."""


ONCE: dict[int | str, dict[str, Any]] = {
    200: {"model": SessionView, "description": "The key was known: the session of the earlier request."}
}


async def _begun(begun: tuple[RunRecord, bool], fathom: Fathom, response: Response) -> SessionView:
    """A session that was asked for: a new one, or that of an earlier request with the same key."""
    run, is_new = begun
    response.status_code = 201 if is_new else 200
    response.headers["Location"] = f"/api/research/sessions/{run.run_id}"
    return await session_view(fathom.store, run)


@router.post("", summary="Ask a question", status_code=201, responses=documented(409, *WITH_A_BODY) | ONCE)
async def create_session(
    request: SessionRequest,
    sessions: OfSessions,
    fathom: OfFathom,
    response: Response,
    idempotency_key: IdempotencyKey = "",
) -> SessionView:
    """Queue a question as a session. A worker picks it up by itself, whether or not anybody is connected."""
    return await _begun(await sessions.create(request, key=idempotency_key), fathom, response)


@router.post("/import", summary="Import sessions", **UPLOAD)
async def import_sessions(library: OfLibrary, fathom: OfFathom, request: Request, response: Response) -> UploadedFiles:
    """Store sessions that another Fathom has exported as `report.zip`, to be read and exported.

    Each file gets a result of its own, whose `id` is that of the session: one that does not replay to its report is
    refused with the reason.
    """
    async with received(request, library.delivery("bundle")) as files:
        told = UploadedFiles(files=tuple([await _imported(file, fathom) for file in files]))
    response.status_code = told.status
    return told


async def _imported(file: Incoming, fathom: Fathom) -> UploadedFile:
    try:
        if file.refusal:
            raise UsageError(file.refusal)
        run, is_new = await fathom.take_in(file.path)
    except UsageError as error:
        failure = "taken" if isinstance(error, Conflict) else error.kind
        return UploadedFile(name=file.name, status="refused", id="", kind="bundle", reason=str(error), failure=failure)
    status: Literal["added", "unchanged"] = "added" if is_new else "unchanged"
    return UploadedFile(name=file.name, status=status, id=run.run_id, kind="bundle", reason="")


@router.get("", summary="List sessions", responses=documented(404))
async def list_sessions(
    fathom: OfFathom,
    limit: Annotated[int, Query(ge=1, le=MOST, description="At most so many.")] = LIMIT,
    before: Annotated[str | None, Query(description="Only those that were created before this one.")] = None,
    status: Annotated[Sequence[RunStatus], Query(description="Only those with one of these.")] = (),
    q: Annotated[str, Query(max_length=1_000, description="Only those whose question or name holds this.")] = "",
    pinned: Annotated[bool | None, Query(description="Only those that are pinned, or that are not.")] = None,
    kb: Annotated[str, Query(max_length=64, description="Only those of this knowledge base.")] = "",
) -> SessionPage:
    """Sessions, newest first, one page at a time."""
    runs = await fathom.store.runs(limit=limit + 1, before=before, statuses=status, text=q, pinned=pinned, kb=kb)
    shown = runs[:limit]
    return SessionPage(
        sessions=tuple(await session_summaries(fathom.store, shown)),
        next=shown[-1].run_id if len(runs) > limit else None,
    )


@router.get("/{session_id}", summary="Look at a session", responses=documented(404))
async def get_session(session_id: SessionId, sessions: OfSessions, fathom: OfFathom) -> SessionView:
    """A session as it stands."""
    return await session_view(fathom.store, await sessions.get(session_id))


@router.post("/{session_id}/label", summary="Name or pin a session", responses=documented(404, *WITH_A_BODY))
async def label_session(
    session_id: SessionId, request: LabelRequest, sessions: OfSessions, fathom: OfFathom
) -> SessionView:
    """Call a session by a name of your own in lists, or keep it at the top. Its question and its report stay."""
    return await session_view(fathom.store, await sessions.label(session_id, request))


@router.post("/{session_id}/cancel", summary="Finish a session early", status_code=202, responses=documented(404))
async def cancel_session(session_id: SessionId, sessions: OfSessions, fathom: OfFathom) -> SessionView:
    """Stop a session: calls in flight are finished and a partial report is written. An ended session stays as it is."""
    return await session_view(fathom.store, await sessions.cancel(session_id))


@router.post(
    "/{session_id}/resume",
    summary="Go on with a session",
    status_code=202,
    responses=documented(404, 409, *WITH_A_BODY),
)
async def resume_session(
    session_id: SessionId,
    sessions: OfSessions,
    fathom: OfFathom,
    request: Annotated[ResumeRequest | None, Body()] = None,
) -> SessionView:
    """Continue a session that was stopped, ran into a limit, failed or was only planned; finished work is kept."""
    limits: dict[str, Any] = request.limits.model_dump(exclude_unset=True) if request else {}
    return await session_view(fathom.store, await sessions.resume(session_id, limits=limits))


@router.post(
    "/{session_id}/fork",
    summary="Research a session again",
    status_code=201,
    responses=documented(404, 409, *WITH_A_BODY) | ONCE,
)
async def fork_session(
    session_id: SessionId,
    request: ForkRequest,
    sessions: OfSessions,
    fathom: OfFathom,
    response: Response,
    idempotency_key: IdempotencyKey = "",
) -> SessionView:
    """Queue a session again as a new one, with its settings and sources: its question over what they hold today, which
    with `update` is compared, or another one. What a model has answered before is not paid for again."""
    return await _begun(await sessions.fork(session_id, request, key=idempotency_key), fathom, response)


@router.post(
    "/{session_id}/ask",
    summary="Ask a question that follows a session",
    status_code=201,
    responses=documented(404, 409, *WITH_A_BODY) | ONCE,
)
async def ask_on(
    session_id: SessionId,
    request: FollowUpRequest,
    sessions: OfSessions,
    fathom: OfFathom,
    response: Response,
    idempotency_key: IdempotencyKey = "",
) -> SessionView:
    """Queue a question as a session that follows another one, with its settings and sources. What its thread has read
    answers first; only what that does not answer is asked of the sources. The session must have a report."""
    return await _begun(await sessions.ask(session_id, request, key=idempotency_key), fathom, response)


@router.get("/{session_id}/thread", summary="List the sessions that follow each other", responses=documented(404))
async def get_thread(session_id: SessionId, sessions: OfSessions, fathom: OfFathom) -> ThreadView:
    """The thread of a session: the one that it began with, and all that follow it or each other. Each that has a
    `title` has a report."""
    runs = await sessions.thread(session_id)
    return ThreadView(sessions=tuple(await session_summaries(fathom.store, runs)))


@router.delete("/{session_id}", summary="Remove a session", **removes(404))
async def delete_session(session_id: SessionId, sessions: OfSessions) -> None:
    """Delete a session with its report and everything that only it uses. A running session is stopped first."""
    await sessions.delete(session_id)
