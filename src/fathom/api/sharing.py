"""Links that open one report, and nothing else: made and revoked by whoever is let in, followed by whoever has one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from fathom.api.depends import OfFathom, OfSessions, SessionId
from fathom.api.problems import WITH_A_BODY, documented, removes
from fathom.api.results import as_file
from fathom.api.security.headers import file_policy
from fathom.errors import NotFound
from fathom.frozen import FrozenModel
from fathom.outcomes import in_thread
from fathom.ports.tokens import SHARED, Token
from fathom.render import html
from fathom.sessions.tokens import Tokens, duration
from fathom.wiring.exports import exportable
from fathom.wiring.readings import snapshots_cited

router = APIRouter(tags=["results"])

FILES = ("docx", "pdf", "md", "bib", "ris", "csl.json")
"""What is had by a link besides the page: nothing that tells more than that does, as the whole texts would."""
LINKS = "/api/research/sessions/{session_id}/links"


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


@router.post(LINKS, summary="Share a report", status_code=201, responses=documented(404, *WITH_A_BODY))
async def create_link(
    session_id: SessionId, sessions: OfSessions, fathom: OfFathom, request: Annotated[LinkRequest | None, Body()] = None
) -> NewLink:
    """Make a link that opens the report of the session to whoever has it, and nothing else."""
    report = await sessions.report(session_id)
    lasts = duration(request.expires) if request and request.expires else None
    link, secret = await Tokens(fathom.links).create(report.run_id, expires=lasts)
    return NewLink(link=link, path=f"{SHARED}{secret}")


@router.get(LINKS, summary="List the links to a report", responses=documented(404))
async def list_links(session_id: SessionId, sessions: OfSessions, fathom: OfFathom) -> tuple[Token, ...]:
    """The links in force, oldest first; their addresses are known to those alone who have them."""
    run = await sessions.get(session_id)
    return tuple(each for each in await Tokens(fathom.links).in_force() if each.name == run.run_id)


@router.delete(LINKS + "/{link_id}", summary="Revoke a link", **removes(404))
async def revoke_link(
    session_id: SessionId,
    link_id: Annotated[str, Path(pattern=r"^lnk_[0-9a-f]{12}$", description="Id of the link.")],
    fathom: OfFathom,
) -> None:
    """Have a link open nothing any more."""
    link = await fathom.links.get(link_id)
    if link is None or link.name != session_id:
        raise NotFound(f"The session has no link '{link_id}'.")
    await fathom.links.revoke(link_id)


@router.get(SHARED + "{secret}", include_in_schema=False)
@router.get(SHARED + "{secret}/report.{ending}", include_in_schema=False)
async def follow_link(secret: str, sessions: OfSessions, fathom: OfFathom, ending: str = "") -> Response:
    """The report as a page, from where it is had as a file too."""
    link = await Tokens(fathom.links).check(secret)
    forms = {each: name for each, name in exportable(fathom.settings).items() if each in FILES}
    if link is None or (ending and ending not in forms):
        page = html.nothing_shared()
        return HTMLResponse(page, status_code=404, headers={"Content-Security-Policy": file_policy(page)})
    report = await sessions.report(link.name)
    if ending:
        return await as_file(report, ending, fathom)
    snapshots = await snapshots_cited(fathom.store, report)
    files = {f"{secret}/report.{each}": name for each, name in forms.items()}
    page = await in_thread(lambda: html.render(report, snapshots=snapshots, files=files))
    return HTMLResponse(page, headers={"Content-Security-Policy": f"{file_policy(page)} allow-downloads"})
