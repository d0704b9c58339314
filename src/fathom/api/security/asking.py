"""What the guards know of a request: who asks, by what, and what of the service is asked."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

SAFE = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""
METHODS = (*SAFE, "POST", "DELETE")
"""Those that the service knows at all."""

PAGES = ("/", "/check", "/history", "/library", "/docs")
"""What a browser shows as a page."""
PAGES_BELOW = ("/assets/", "/s/")
"""The same for all that is below these."""
CLOSED_PAGES = ("/docs",)
"""Pages that tell something by themselves."""
DOOR = ("/api/health", "/api/login", "/api/logout")
"""What of the API is asked without a token."""
STREAM = "/events"
"""How the address of a stream of events ends."""
MCP = "/mcp"
"""Where the MCP server is asked: any answer of it may be a stream, that lasts as long as a session is waited for."""

Middleware = Callable[[ASGIApp], ASGIApp]


def is_page(path: str) -> bool:
    """Whether it is a page or a file of one; all else is asked by programs."""
    return path in PAGES or path.startswith(PAGES_BELOW)


def is_open(path: str) -> bool:
    """Whether it is asked without a token: the page, which tells nothing by itself, and the door.

    >>> is_open("/"), is_open("/api/health"), is_open("/api/health/"), is_open("/api/research/sessions")
    (True, True, False, False)
    """
    return path in DOOR or (is_page(path) and path not in CLOSED_PAGES)


def is_stream(scope: Scope) -> bool:
    """Whether what is asked for may be answered as a stream of events."""
    path: str = scope["path"]
    return path == MCP or (scope["method"] == "GET" and path.startswith("/api/") and path.endswith(STREAM))


def address_of(scope: Scope) -> str:
    """The network that a request comes from: its address, or the /64 of one of IPv6, for these cost nothing.

    What a proxy says of whom it stands for is not believed: anybody could say so.

    >>> address_of({"client": ("2001:db8::1:2:3:4", 1)}), address_of({"client": ("10.0.0.7", 1)})
    ('2001:db8::/64', '10.0.0.7')
    """
    host = (scope.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return "unknown"
    if address.version == 4 or address.is_loopback:
        return str(address)
    if mapped := address.ipv4_mapped:
        return str(mapped)
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))


def client_of(scope: Scope) -> str:
    """Who asks: a token, or else an address."""
    return token_of(scope) or address_of(scope)


def token_of(scope: Scope) -> str:
    """Id of the token that the request was let in by; empty without one."""
    return str(scope.get("state", {}).get("token_id", ""))


def note(scope: Scope, **what: Any) -> None:
    """Keep something with a request, for what handles it later."""
    scope["state"] = {**scope.get("state", {}), **what}


def only(scope: Scope, name: str) -> str | None:
    """The value of a header that is there once; `None` when it is missing, and empty when it is there twice."""
    found = Headers(scope=scope).getlist(name)
    return None if not found else found[0] if len(found) == 1 else ""


def around(app: ASGIApp, guards: Iterable[Middleware]) -> ASGIApp:
    """The application behind the guards, the first of them outermost; a web socket, which nothing here takes, ends."""
    guarded = app
    for guard in reversed(list(guards)):
        guarded = guard(guarded)

    async def http_alone(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await guarded(scope, receive, send)
        elif scope["type"] == "lifespan":
            await app(scope, receive, send)

    return http_alone
