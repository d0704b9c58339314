"""The page: one HTML file for every address of it, and the files that it loads."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi import APIRouter, Request, Response
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from fathom.api.security.headers import PAGE_POLICY
from fathom.page import ASSETS

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""Said here, as machines differ in what they think of an ending."""

router = APIRouter(include_in_schema=False)
_files = StaticFiles(packages=list(ASSETS))


@router.api_route("/", methods=["GET", "HEAD"])
@router.api_route("/check", methods=["GET", "HEAD"])
@router.api_route("/history", methods=["GET", "HEAD"])
@router.api_route("/library", methods=["GET", "HEAD"])
@router.api_route("/s/{id}", methods=["GET", "HEAD"])
async def index(request: Request) -> Response:
    """The page, whichever part of it is asked for."""
    return await _file(request, "index.html")


@router.api_route("/assets/{path:path}", methods=["GET", "HEAD"])
async def asset(request: Request, path: str) -> Response:
    """A file of the page."""
    return await _file(request, path)


async def nowhere(request: Request) -> Response:
    """The page for a reader who came to an address that it has not: it says so in the reader's language."""
    response = await _file(request, "index.html")
    response.status_code, response.headers["Content-Security-Policy"] = 404, PAGE_POLICY
    return response


async def _file(request: Request, path: str) -> Response:
    """A file that a browser keeps, and asks each time whether it is still the one."""
    response = await _files.get_response(path, request.scope)
    response.headers["Cache-Control"] = "no-cache"
    if isinstance(response, FileResponse):
        ending = PurePosixPath(path).suffix
        response.headers["Content-Type"] = MEDIA_TYPES.get(ending, "application/octet-stream")
    return response
