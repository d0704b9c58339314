"""What a session has found: its findings, and its report in every form."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, get_args
from urllib.parse import quote

from fastapi import APIRouter, Header, Path, Query, Response
from fastapi.responses import HTMLResponse, PlainTextResponse

from fathom.api.depends import OfFathom, OfSessions, SessionId
from fathom.api.problems import documented
from fathom.api.security.headers import file_policy
from fathom.comparison.records import Comparison
from fathom.events import Extracted, StoredEvent
from fathom.findings import Synthesis
from fathom.frozen import FrozenModel
from fathom.outcomes import in_thread
from fathom.render import formats, html
from fathom.report import Report
from fathom.sessions.views import SessionSummary, SubtaskView, session_view
from fathom.text.harmless import file_name
from fathom.text.places import Unplaced
from fathom.wiring import Fathom
from fathom.wiring.exports import BUNDLE, FORMS, Ending, exported
from fathom.wiring.readings import report_if_any, snapshots_cited

router = APIRouter(prefix="/api/research/sessions/{session_id}", tags=["results"])

Download = Annotated[bool, Query(description="Whether a browser is to keep it as a file.")]
IfNoneMatch = Annotated[str | None, Header(description="The `ETag` of what is known already.")]
Style = Literal["report", "summary", "bullets"]

_UNCHANGED = {"description": "It is what is known already."}


def _as(media_type: str) -> dict[int | str, dict[str, object]]:
    """The responses of a report in one form."""
    told = {"description": "The report.", "content": {media_type: {"schema": {"type": "string"}}}}
    return {**documented(404), 200: told, 304: _UNCHANGED}


class ResultFinding(FrozenModel):
    """Something that was found, whether the report tells it or not."""

    id: str
    """Its id."""
    claim: str
    """What it says; while the session is at work, the beginning of it."""
    subtask_id: str
    """The subtask that it was found for."""
    title: str
    """Title of the document that it was found in, the first of several."""
    uri: Unplaced
    """Address of that document; of a local file its name."""
    evidence: tuple[str, ...]
    """Ids of its evidence in the report, strongest first; none as long as there is no report."""
    confidence: float | None
    """Probability that it is true given its evidence; `None` as long as there is no report."""


class Results(FrozenModel):
    """What a session has found so far, or in the end."""

    session: SessionSummary
    """The session."""
    subtasks: tuple[SubtaskView, ...]
    """Its subtasks, each behind its parent."""
    findings: tuple[ResultFinding, ...]
    """Everything that was found, in the order of finding; of a round without a report yet, its first ones."""
    syntheses: tuple[Synthesis, ...]
    """What each subtask amounts to; none as long as there is no report."""
    report: Report | None
    """The report as `report.json` has it; `None` as long as there is none."""


@router.get("/results", summary="Everything that was found", response_model=Results, responses=documented(404))
async def get_results(session_id: SessionId, sessions: OfSessions, fathom: OfFathom) -> Response:
    """The subtasks, findings and syntheses, and the report; of a running session, what exists so far."""
    store, run = fathom.store, await sessions.get(session_id)
    view = await session_view(store, run)
    report = await sessions.report(run.run_id) if await report_if_any(store, run.run_id) else None
    findings = _of_report(report) if report else _of_events(await store.events(run.run_id))

    def written() -> bytes:
        results = Results(
            session=SessionSummary.like(view),
            subtasks=view.subtasks,
            findings=tuple(findings),
            syntheses=report.syntheses if report else (),
            report=report,
        )
        return results.model_dump_json(ensure_ascii=True).encode()

    return Response(await in_thread(written), media_type="application/json")


@router.get(
    "/report.json", summary="The report as JSON", response_model=Report, responses={**documented(404), 304: _UNCHANGED}
)
async def get_report_json(
    session_id: SessionId, sessions: OfSessions, if_none_match: IfNoneMatch = None, download: Download = False
) -> Response:
    """The report as JSON: every claim, its evidence and its source. The schema is a public contract."""
    report = await sessions.report(session_id)
    return await _told(
        report.model_dump_json, "application/json", if_none_match, _kept_as(report, "json") if download else {}
    )


@router.get(
    "/report.md", summary="The report as Markdown", response_class=PlainTextResponse, responses=_as("text/markdown")
)
async def get_report_markdown(
    session_id: SessionId,
    sessions: OfSessions,
    style: Annotated[Style, Query(description="The whole, a summary of it, or its points.")] = "report",
    if_none_match: IfNoneMatch = None,
    download: Download = False,
) -> Response:
    """The report as Markdown, with its sources at the end."""
    report = await sessions.report(session_id)
    kind = "markdown" if style == "report" else style
    return await _told(
        lambda: formats.get(kind)(report), "text/markdown", if_none_match, _kept_as(report, "md") if download else {}
    )


@router.get(
    "/report.html", summary="The report as one HTML file", response_class=HTMLResponse, responses=_as("text/html")
)
async def get_report_html(
    session_id: SessionId,
    sessions: OfSessions,
    fathom: OfFathom,
    if_none_match: IfNoneMatch = None,
    download: Download = False,
) -> Response:
    """The report as one self-contained HTML file; its footnotes show the quotations."""
    report = await sessions.report(session_id)
    snapshots = await snapshots_cited(fathom.store, report)
    headers = _kept_as(report, "html") if download else {}
    return await _told(
        lambda: html.render(report, snapshots=snapshots), "text/html", if_none_match, headers, policy=file_policy
    )


@router.get(
    "/report.{ending}",
    summary="The report, or its sources, as another file",
    response_class=Response,
    responses={
        **documented(404, 502),
        200: {"description": "The file.", "content": {FORMS[each].media_type: {} for each in get_args(Ending)}},
        304: _UNCHANGED,
    },
)
async def get_report_file(
    session_id: SessionId,
    ending: Annotated[Ending, Path(description="Says what it is: the whole report, or its sources alone.")],
    sessions: OfSessions,
    fathom: OfFathom,
    if_none_match: IfNoneMatch = None,
    download: Download = False,
) -> Response:
    """The same as `fathom export` writes to a file of that ending."""
    return await as_file(await sessions.report(session_id), ending, fathom, known=if_none_match, download=download)


@router.get(
    "/report/article", summary="The report as a part of a page", response_class=HTMLResponse, responses=_as("text/html")
)
async def get_report_article(
    session_id: SessionId, sessions: OfSessions, fathom: OfFathom, if_none_match: IfNoneMatch = None
) -> Response:
    """The report as an `<article>` with all text escaped, for a page that brings the style sheets."""
    report = await sessions.report(session_id)
    snapshots = await snapshots_cited(fathom.store, report)
    return await _told(lambda: html.article(report, snapshots=snapshots), "text/html", if_none_match, {})


@router.get("/comparison", summary="What has changed in a report", responses=documented(404, 409))
async def get_comparison(
    session_id: SessionId,
    sessions: OfSessions,
    earlier: Annotated[str | None, Query(description="Of this session; else of the one that it is again.")] = None,
) -> Comparison:
    """The report beside an earlier one: which sentences and sources are the same, new, gone or changed."""
    return await sessions.compare(session_id, earlier)


async def as_file(
    report: Report, ending: str, fathom: Fathom, *, known: str | None = None, download: bool = True
) -> Response:
    """A report, or its sources, in the form that an ending says; for `known` see `_told`."""
    if ending == BUNDLE:
        content = await fathom.bundle(report.run_id)
    else:
        snapshots = await snapshots_cited(fathom.store, report)
        content = await exported(report, ending, fathom.settings, snapshots=snapshots)
    headers = _kept_as(report, ending) if download else {}
    return await _told(lambda: content, FORMS[ending].media_type, known, headers)


def _of_report(report: Report) -> Iterator[ResultFinding]:
    evidence = {each.id: each.source_id for each in report.evidence}
    sources = {source.id: source for source in report.sources}
    for finding in report.findings:
        source = sources[evidence[finding.evidence[0]]]
        yield ResultFinding.like(finding, title=source.title, uri=source.uri)


def _of_events(events: Sequence[StoredEvent]) -> Iterator[ResultFinding]:
    """What the events show; a finding that a process has found again is told once."""
    found: dict[str, ResultFinding] = {}
    for stored in events:
        if isinstance(stored.event, Extracted):
            for each in stored.event.shown:
                subtask_id = stored.event.subtask_id
                found[each.finding_id] = ResultFinding.like(
                    each, id=each.finding_id, subtask_id=subtask_id, evidence=(), confidence=None
                )
    yield from found.values()


async def _told(
    write: Callable[[], str | bytes],
    media_type: str,
    known: str | None,
    more: Mapping[str, str],
    *,
    policy: Callable[[str], str] | None = None,
) -> Response:
    """A text that is written by a thread, as it may be long; without its body when it is known already.

    Args:
        known: What the client has, by `ETag`.
        more: Further headers.
        policy: What a browser may do with the text.
    """

    def written() -> tuple[bytes, dict[str, str]]:
        text = write()
        body = text.encode("utf-8", "replace") if isinstance(text, str) else text
        headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"', "Cache-Control": "no-cache", **more}
        if policy is not None and isinstance(text, str):
            headers["Content-Security-Policy"] = policy(text)
        return body, headers

    body, headers = await in_thread(written)
    if known and {"*", headers["ETag"]} & {each.strip().removeprefix("W/") for each in known.split(",")}:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)


def _kept_as(report: Report, ending: str) -> dict[str, str]:
    """The header by which a browser keeps a report as a file that is named after it."""
    name = quote(f"{file_name(report.title)}.{ending}")
    return {"Content-Disposition": f"attachment; filename=\"{report.run_id}.{ending}\"; filename*=UTF-8''{name}"}
