"""How often a client may ask."""

from __future__ import annotations

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.types import ASGIApp, Receive, Scope, Send

from fathom.api.problems import TOO_MANY, problem
from fathom.api.security.asking import CLOSED_PAGES, client_of, is_page

WRONG_TOKENS = 10
"""Tokens that are none which one address may show in a minute."""
COSTLY = ("/api/research/sessions", "/api/research/estimate", "/api/check")
"""What makes a session, or a plan, or has a text judged."""


class RateBudget:
    """So many requests in any minute, for each client.

    It is counted in memory: each process of a service lets a client ask so much, and forgets it when it ends.
    """

    def __init__(self, name: str, most: int) -> None:
        self._item = RateLimitItemPerMinute(most, namespace=name)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def take(self, client: str) -> int | None:
        """Count a request; `None` when it may be made, else the seconds until one may."""
        if self._limiter.hit(self._item, client):
            return None
        reset = self._limiter.get_window_stats(self._item, client).reset_time
        return max(1, math.ceil(reset - time.time()))


class Rates:
    """Lets each client ask so often and no more, and more rarely what costs more.

    Files of the page are not counted: one view of it asks for dozens, and to refuse one costs as much as to send it.
    """

    def __init__(self, app: ASGIApp, *, requests: int, starts: RateBudget) -> None:
        """`requests` are all of a client, `starts` those that make a session or a plan."""
        self._app = app
        self._requests = RateBudget("requests", requests)
        self._starts = starts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_page(scope["path"]) and scope["path"] not in CLOSED_PAGES:
            await self._app(scope, receive, send)
            return
        client = client_of(scope)
        wait = self._requests.take(client)
        if wait is None and scope["method"] == "POST" and _is_costly(scope["path"]):
            wait = self._starts.take(client)
        if wait is None:
            await self._app(scope, receive, send)
            return
        line = f"These are too many requests: the next one may be made in {wait} s."
        await problem(TOO_MANY, line, headers={"Retry-After": str(wait)})(scope, receive, send)


def _is_costly(path: str) -> bool:
    return path in COSTLY or (path.startswith(f"{COSTLY[0]}/") and path.endswith(("/resume", "/fork", "/ask")))
