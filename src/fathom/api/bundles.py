"""Runs that others have exported: they come in as sessions that can be read."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from fathom.api.depends import OfFathom, OfLibrary
from fathom.api.receiving import UPLOAD, UploadedFiles, received
from fathom.errors import UsageError
from fathom.sessions.datasets import UploadedFile
from fathom.sessions.uploads import Incoming
from fathom.wiring import Fathom

router = APIRouter(prefix="/api/research/bundles", tags=["sessions"])


@router.post("", operation_id="import_sessions", summary="Import sessions", **UPLOAD)
async def import_sessions(library: OfLibrary, fathom: OfFathom, request: Request, response: Response) -> UploadedFiles:
    """Store sessions that another Fathom has exported as `report.zip`, to be read and exported.

    Each file gets a result of its own, whose `id` is that of the session. One is replayed before it is stored: a file
    that was altered, or that does not give its report, is refused with the reason.
    """
    async with received(request, library.delivery("bundle")) as files:
        told = UploadedFiles(files=tuple([await _taken_in(file, fathom) for file in files]))
    response.status_code = told.status
    return told


async def _taken_in(file: Incoming, fathom: Fathom) -> UploadedFile:
    if file.refusal:
        return UploadedFile(name=file.name, status="refused", id="", kind="bundle", reason=file.refusal)
    try:
        run, is_new = await fathom.take_in(file.path)
    except UsageError as error:
        return UploadedFile(name=file.name, status="refused", id="", kind="bundle", reason=str(error))
    return UploadedFile(
        name=file.name, status="added" if is_new else "unchanged", id=run.run_id, kind="bundle", reason=""
    )
