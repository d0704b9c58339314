"""By what name, and from which page, the service is asked: against rebound names and forged requests."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from fathom.api.listening import ListeningHost
from fathom.api.problems import FORBIDDEN, MISDIRECTED, problem
from fathom.api.security.asking import SAFE, is_page, only
from fathom.errors import ConfigurationError

ASKED_HEADERS = ("Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", "If-None-Match")
"""Headers that pages of other origins may send."""
TOLD_HEADERS = ("Content-Disposition", "ETag", "Location", "Retry-After", "X-Request-Id")
"""Headers that they may read."""

_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f.]*:[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?", re.I)
"""All that `Host` may be: an address in brackets or a name, and a port, with nothing around them."""
_HERE = ("localhost", "127.0.0.1", "::1")


def checked_origins(given: Sequence[str]) -> tuple[str, ...]:
    """Origins as a browser writes them.

    >>> checked_origins(["https://Tools.example.org:443/"])
    ('https://tools.example.org',)

    Raises:
        ConfigurationError: one of them is none, or stands for every page there is.
    """
    return tuple(map(_origin, given))


def _origin(given: str) -> str:
    try:
        parts = urlsplit(given.strip())
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username)
    if parts.scheme not in ("http", "https") or not parts.hostname or "*" in given or not bare:
        raise ConfigurationError(f"'{given}' is no origin of a page: write it like https://tools.example.org.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")


_PORTS = {"http": 80, "https": 443}


class HostNames:
    """Answers only to the names that the service goes by.

    A page elsewhere can have its own name lead to this machine, and would then be of the same origin; but its requests
    carry that name. An address written in numbers cannot be led astray, so any of them will do where all are listened
    on.
    """

    def __init__(self, app: ASGIApp, place: ListeningHost, names: Collection[str]) -> None:
        self._app = app
        self._any_address = place.is_everywhere
        here = _HERE if place.is_loopback or place.is_everywhere else ()
        self._names = {*here, place.host.strip("[]").lower(), *place.addresses, *(name.strip("[]") for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = only(scope, "host")
        if host is not None and self._is_ours(host):
            await self._app(scope, receive, send)
            return
        line = "The service does not go by the name in `Host`: whoever runs it adds it to `serve_names` if it shall."
        await problem(MISDIRECTED, line)(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        found = _HOST.fullmatch(host)
        if found is None or not 0 < int(found["port"] or 80) < 65_536:
            return False
        name = (found["six"] or found["name"]).lower()
        return name in self._names or (self._any_address and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class OwnPage:
    """Refuses what a page of another origin has a browser ask, unless that origin is allowed.

    Whoever asks without a browser says nothing of an origin, and needs no page to be fooled by. A browser says it with
    every request that could change something, and with each says where it comes from; what a link leads to may be
    looked at.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        self._app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._may(scope):
            await self._app(scope, receive, send)
            return
        line = "A page of another origin has asked: whoever runs the service adds it to `serve_origins` if it may."
        await problem(FORBIDDEN, line)(scope, receive, send)

    def _may(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        origin = only(scope, "origin")
        if origin is not None and origin in self._origins:
            return True
        site = headers.get("sec-fetch-site")
        if scope["method"] in SAFE:
            if is_page(scope["path"]) or site in (None, "same-origin", "none"):
                return True
            return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if origin is not None and (origin, site) != ("null", "same-origin"):  # as `no-referrer` has some forms say
            return origin in (f"http://{headers['host']}", f"https://{headers['host']}")
        return site in (None, "same-origin", "none")
