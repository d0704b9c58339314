"""A session again, as a new one, and what has changed in its report since."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Query, Response
from fastapi.responses import HTMLResponse

from fathom.api.depends import OfFathom, OfSessions, SessionId
from fathom.api.problems import WITH_A_BODY, documented
from fathom.api.sessions import ResumeRequest
from fathom.comparison.records import Comparison
from fathom.outcomes import in_thread
from fathom.ports import RunRecord
from fathom.sessions.views import SessionView, session_view
from fathom.wiring import Fathom

router = APIRouter(prefix="/api/research/sessions/{session_id}", tags=["sessions"])

Earlier = Annotated[
    str | None,
    Query(description="The session to compare with; without it, the one that this one updates or was forked from."),
]


class ForkRequest(ResumeRequest):
    """What is to be different."""

    question: str | None = None
    """Asked in place of that of the session; in whatever language."""


@router.post(
    "/update",
    operation_id="update_session",
    summary="Ask the question of a session anew",
    status_code=201,
    responses=documented(404, 409, *WITH_A_BODY),
)
async def update_session(
    session_id: SessionId,
    sessions: OfSessions,
    fathom: OfFathom,
    response: Response,
    request: Annotated[ResumeRequest | None, Body()] = None,
) -> SessionView:
    """Queue the question of a session as a new one, over what its sources hold today: documents are read again, the web
    and data asked again. What a model has answered is not paid for again. Its `comparison` tells what has changed."""
    limits = request.limits.model_dump(exclude_unset=True) if request else {}
    return await _new(await sessions.again(session_id, update=True, limits=limits), fathom, response)


@router.post(
    "/fork",
    operation_id="fork_session",
    summary="Ask the sources of a session another question",
    status_code=201,
    responses=documented(404, *WITH_A_BODY),
)
async def fork_session(
    session_id: SessionId,
    sessions: OfSessions,
    fathom: OfFathom,
    response: Response,
    request: Annotated[ForkRequest | None, Body()] = None,
) -> SessionView:
    """Queue a session again as a new one with its settings and sources, and with another question or other limits."""
    request = request or ForkRequest()
    limits = request.limits.model_dump(exclude_unset=True)
    return await _new(await sessions.again(session_id, question=request.question, limits=limits), fathom, response)


@router.get(
    "/comparison",
    operation_id="get_comparison",
    summary="What has changed in its report",
    responses=documented(404, 409),
)
async def get_comparison(session_id: SessionId, sessions: OfSessions, earlier: Earlier = None) -> Comparison:
    """The report beside that of an earlier session: sentences that are the same, new, gone or changed, and sources."""
    return await sessions.compare(session_id, earlier)


@router.get(
    "/comparison/article",
    operation_id="get_comparison_article",
    summary="What has changed, as a part of a page",
    response_class=HTMLResponse,
    responses=documented(404, 409),
)
async def comparison_article(session_id: SessionId, sessions: OfSessions, earlier: Earlier = None) -> HTMLResponse:
    """The same as an `<article>` with all text escaped, for a page that brings the style sheets."""
    from fathom.render.html import compared

    comparison = await sessions.compare(session_id, earlier)
    return HTMLResponse(await in_thread(compared.article, comparison))


async def _new(run: RunRecord, fathom: Fathom, response: Response) -> SessionView:
    """A session that was just stored."""
    response.headers["Location"] = f"/api/research/sessions/{run.run_id}"
    return await session_view(fathom.store, run)
