"""Links that open one report, and nothing else: made and revoked by whoever is let in, followed by whoever has one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from fathom.api.depends import OfFathom, OfSessions, SessionId
from fathom.api.problems import documented
from fathom.api.results import in_form, kept_as
from fathom.api.security.headers import file_policy
from fathom.errors import NotFound
from fathom.frozen import FrozenModel
from fathom.outcomes import in_thread
from fathom.ports.tokens import SHARED, Token
from fathom.render import html
from fathom.sessions.tokens import Tokens, duration
from fathom.wiring import Fathom
from fathom.wiring.exports import BUNDLE, FORMS, exportable
from fathom.wiring.readings import snapshots_cited

router = APIRouter(prefix="/api/research/sessions/{session_id}/links", tags=["results"])
followed = APIRouter(prefix=SHARED.rstrip("/"), include_in_schema=False)

Secret = Annotated[str, Path(max_length=100)]


class LinkRequest(FrozenModel, defer_build=False):  # as `SessionRequest`
    """What a link is to be."""

    expires: Annotated[str, Field(max_length=20)] = ""
    """How long it is in force: `12h`, `30d`, `8w`, `1y`; empty for until it is revoked."""


class NewLink(FrozenModel):
    """A link that was made."""

    link: Token
    """What is known of it."""
    path: str
    """Its address at this service, which cannot be shown again."""


class Links(FrozenModel):
    """The links to a report."""

    links: tuple[Token, ...]
    """Those in force, oldest first."""


@router.post("", operation_id="create_link", summary="Share a report", status_code=201, responses=documented(404, 415))
async def create_link(
    session_id: SessionId, sessions: OfSessions, fathom: OfFathom, request: Annotated[LinkRequest | None, Body()] = None
) -> NewLink:
    """Make a link that opens the report of the session to whoever has it, and nothing else."""
    report = await sessions.report(session_id)
    lasts = duration(request.expires) if request and request.expires else None
    link, secret = await Tokens(fathom.links).create(report.run_id, expires=lasts)
    return NewLink(link=link, path=f"{SHARED}{secret}")


@router.get("", operation_id="list_links", summary="List the links to a report", responses=documented(404))
async def list_links(session_id: SessionId, sessions: OfSessions, fathom: OfFathom) -> Links:
    """The links in force; their addresses are known to those alone who have them."""
    run = await sessions.get(session_id)
    return Links(links=tuple(each for each in await Tokens(fathom.links).in_force() if each.name == run.run_id))


@router.delete(
    "/{link_id}", operation_id="revoke_link", summary="Revoke a link", status_code=204, responses=documented(404)
)
async def revoke_link(
    session_id: SessionId, link_id: Annotated[str, Path(pattern=r"^lnk_[0-9a-f]{12}$")], fathom: OfFathom
) -> None:
    """Have a link open nothing any more."""
    link = await fathom.links.get(link_id)
    if link is None or link.name != session_id:
        raise NotFound(f"The session has no link '{link_id}'.")
    await fathom.links.revoke(link_id)


@followed.get("/{secret}")
async def shared_report(secret: Secret, request: Request, sessions: OfSessions, fathom: OfFathom) -> Response:
    """The report as a page, with what it can be kept as."""
    link = await Tokens(fathom.links).check(secret)
    if link is None:
        page = html.nothing_shared()
        return HTMLResponse(page, status_code=404, headers={"Content-Security-Policy": file_policy(page)})
    report = await sessions.report(link.name)
    files = {f"{request.url.path}/report.{ending}": name for ending, name in _files(fathom).items()}
    snapshots = await snapshots_cited(fathom.store, report)
    page = await in_thread(lambda: html.render(report, snapshots=snapshots, files=files))
    return HTMLResponse(page, headers={"Content-Security-Policy": f"{file_policy(page)} allow-downloads"})


@followed.get("/{secret}/report.{ending}")
async def shared_file(secret: Secret, ending: str, sessions: OfSessions, fathom: OfFathom) -> Response:
    """The report as a file, whatever it can be kept as here, but for the bundle: that tells more than the report."""
    link = await Tokens(fathom.links).check(secret)
    if link is None or ending not in _files(fathom):
        raise NotFound("This link does not open that: it may have been revoked.")
    report = await sessions.report(link.name)
    content = await in_form(report, ending, fathom)
    return Response(content, media_type=FORMS[ending].media_type, headers=kept_as(report, ending))


def _files(fathom: Fathom) -> dict[str, str]:
    return {ending: name for ending, name in exportable(fathom.settings).items() if ending != BUNDLE}
