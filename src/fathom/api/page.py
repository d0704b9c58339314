"""The page: one HTML file for every address of it, and the files that it loads."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from fathom.page import ASSETS

MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".md": "text/markdown",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""Said here, as what a machine thinks of an ending differs from one to the next."""

router = APIRouter(include_in_schema=False)
_files = StaticFiles(packages=list(ASSETS))


@router.get("/")
@router.get("/history")
@router.get("/library")
@router.get("/s/{id}")
async def index(request: Request) -> Response:
    """The page, whichever part of it is asked for."""
    return await _file(request, "index.html")


@router.get("/assets/{path:path}")
async def asset(request: Request, path: str) -> Response:
    """A file of the page."""
    return await _file(request, path)


async def _file(request: Request, path: str) -> Response:
    """A file that a browser keeps, and asks each time whether it is still the one."""
    response = await _files.get_response(path.lstrip("/"), {**request.scope, "method": request.method})
    response.headers["Cache-Control"] = "no-cache"
    if isinstance(response, FileResponse):
        media_type = MEDIA_TYPES.get(Path(path).suffix, "application/octet-stream")
        response.headers["Content-Type"] = (
            f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
        )
    return response
