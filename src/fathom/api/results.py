"""What a session has found: its report in several forms."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Response

from fathom.api.depends import OfSessions, SessionId
from fathom.api.problems import documented
from fathom.render import formats
from fathom.report import Report

router = APIRouter(prefix="/api/research/sessions/{session_id}", tags=["results"])

Download = Annotated[bool, Query(description="Whether a browser is to keep it as a file.")]
IfNoneMatch = Annotated[str | None, Header(description="The `ETag` of what is known already.")]

_UNCHANGED = {"description": "It is what is known already."}


@router.get(
    "/report.json",
    operation_id="get_report_json",
    summary="The report as JSON",
    response_model=Report,
    responses={**documented(404), 304: _UNCHANGED},
)
async def report_json(
    session_id: SessionId, sessions: OfSessions, if_none_match: IfNoneMatch = None, download: Download = False
) -> Response:
    """The report with every claim, its evidence and what it was read from: version 1 of a public contract."""
    report = await sessions.report(session_id)
    return await _told(report, "json", "application/json", if_none_match, download=download)


@router.get(
    "/report.md",
    operation_id="get_report_markdown",
    summary="The report as Markdown",
    response_class=Response,
    responses={
        **documented(404),
        200: {"description": "The report.", "content": {"text/markdown": {"schema": {"type": "string"}}}},
        304: _UNCHANGED,
    },
)
async def report_markdown(
    session_id: SessionId,
    sessions: OfSessions,
    style: Annotated[
        Literal["report", "summary", "bullets"], Query(description="The whole, a summary of it, or its points.")
    ] = "report",
    if_none_match: IfNoneMatch = None,
    download: Download = False,
) -> Response:
    """The report for people, with its sources as footnotes."""
    report = await sessions.report(session_id)
    kind = "markdown" if style == "report" else style
    return await _told(report, kind, "text/markdown", if_none_match, download=download)


async def _told(report: Report, format: str, media_type: str, known: str | None, *, download: bool) -> Response:
    """A report in a format; without its body when it is known already."""
    text = await asyncio.to_thread(lambda: formats.get(format)(report).encode("utf-8", "replace"))
    return _file(text, media_type, known, name=f"{report.run_id}.{media_type.split('/')[1]}" if download else "")


def _file(body: bytes, media_type: str, known: str | None, *, name: str) -> Response:
    import hashlib

    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if known and tag in [each.strip().removeprefix("W/") for each in known.split(",")]:
        return Response(status_code=304, headers=headers)
    if name:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return Response(body, media_type=media_type, headers=headers)
