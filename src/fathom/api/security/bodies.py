"""What a request may bring along: JSON, and files where files are taken, and of both only so much."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from fathom.api.problems import TOO_LARGE, WRONG_MEDIA_TYPE, problem
from fathom.api.security.asking import DOOR, only

JSON_BYTES = 1_000_000
"""What a body may have that is no file."""
DOOR_BYTES = 2_000
"""The same where nobody has been let in yet: a token is short, and to tell what is wrong with a long body costs."""
FILES_AT_ONCE = 4
"""So many of the largest files, or more smaller ones, may come in one request."""
UPLOADS = ("/api/knowledge/", "/api/datasets", "/api/research/sessions/import")
"""Where files are taken."""


class Bodies:
    """Refuses bodies that are no JSON where JSON is read, and those that are too large, announced or not.

    A form of another page can send text, a form or files without asking first, but never JSON.
    """

    def __init__(self, app: ASGIApp, *, upload_mb: int) -> None:
        self._app = app
        sizes = (DOOR_BYTES, JSON_BYTES, FILES_AT_ONCE * upload_mb * 1_000_000 + JSON_BYTES)
        self._door, self._short, self._long = (
            (size, RequestBodyLimitMiddleware(app, max_body_size=size)) for size in sizes
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        length = only(scope, "content-length")
        if length in (None, "0") and not Headers(scope=scope).get("transfer-encoding"):
            await self._app(scope, receive, send)
            return
        takes_files = scope["path"].startswith(UPLOADS)
        media_type = (only(scope, "content-type") or "").partition(";")[0].strip().lower()
        wanted = "multipart/form-data" if takes_files else "application/json"
        most, app = self._long if takes_files else self._door if scope["path"] in DOOR else self._short
        if media_type != wanted:
            line = f"The body must be {'files' if takes_files else 'JSON'}: send it with `Content-Type: {wanted}`."
            await problem(WRONG_MEDIA_TYPE, line)(scope, receive, send)
        elif length is not None and not (length.isdecimal() and int(length[:15]) <= most):
            line = f"The body is larger than {most // 1_000:,} kB, which is all that is taken at once."
            await problem(TOO_LARGE, line)(scope, receive, send)
        else:
            await app(scope, receive, send)
