"""What a browser is told it may do with an answer: nothing that the page does not need."""

from __future__ import annotations

import base64
import hashlib
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fathom.api.security.asking import is_page

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Of the page: its own files alone, nothing inline, nothing of another host."""
API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
"""Of what the API tells: were it shown as a page, it could do nothing at all."""

_STYLE = re.compile(r"<style[^>]*>(.*?)</style>", re.DOTALL | re.IGNORECASE)

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def file_policy(html: str) -> str:
    """The policy of a file that shows text from outside: its own style sheets, by their digests, and no script.

    >>> file_policy("<style>p{}</style>").split("; ")[1]
    "style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='"
    """
    digests = (hashlib.sha256(style.encode()).digest() for style in _STYLE.findall(html))
    styles = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; style-src {styles}; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox"
    )


class BrowserRules:
    """Puts the rules on every answer, refusals included.

    Over plain HTTP nothing is said of HTTPS: whoever puts a proxy with a certificate before the service says it there.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_shown = is_page(scope["path"])

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    headers[name] = value
                allows = "access-control-allow-origin" in headers
                headers["Cross-Origin-Resource-Policy"] = "cross-origin" if allows else "same-origin"
                headers.setdefault("Content-Security-Policy", PAGE_POLICY if is_shown else API_POLICY)
                if not is_shown:  # what a session knows is no business of a disk, or of a proxy on the way
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, sending)
