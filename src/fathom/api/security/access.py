"""Who is let in: whoever shows a token, in a header or in the cookie that the login gives a browser for it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from fathom.api.problems import TOO_MANY, UNAUTHORIZED, documented, problem
from fathom.api.security.asking import address_of, is_open, note, only
from fathom.api.security.rates import WRONG_TOKENS, RateBudget
from fathom.frozen import FrozenModel
from fathom.ports.tokens import Token
from fathom.sessions.tokens import Tokens

COOKIE = "fathom_token"
COOKIE_SECONDS = 90 * 24 * 3600
"""How long a browser keeps a token that has no end of its own."""


class Door:
    """Knows tokens, and how many wrong ones an address has shown."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._wrong = RateBudget("wrong tokens", WRONG_TOKENS)

    async def open(self, secret: str | None, scope: Scope) -> Token | Response:
        """The token of a secret, or the answer to whoever has none.

        A right token is let in however many wrong ones have come from its address: there, behind a proxy, may be many.
        """
        token = await self._tokens.check(secret) if secret else None
        if token is not None:
            return token
        if secret is None:
            line = "This service asks for a token: send it as `Authorization: Bearer TOKEN`, or log in on the page."
            return problem(UNAUTHORIZED, line, headers={"WWW-Authenticate": 'Bearer realm="fathom"'})
        if wait := self._wrong.take(address_of(scope)):
            line = f"Too many wrong tokens have come from there: try again in {wait} s."
            return problem(TOO_MANY, line, headers={"Retry-After": str(wait)})
        line = "The token is not known, or no longer in force: `fathom token create` makes a new one."
        challenge = 'Bearer realm="fathom", error="invalid_token"'
        return problem(UNAUTHORIZED, line, headers={"WWW-Authenticate": challenge})


class TokenNeeded:
    """Asks every request for a token but those for the page's own files and the door."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        answer = await self._door.open(_secret_of(scope), scope)
        if isinstance(answer, Token):
            note(scope, token_id=answer.token_id)
            await self._app(scope, receive, send)
            return
        await answer(scope, receive, send)


def _secret_of(scope: Scope) -> str | None:
    """What a request shows to be let in; `None` when it shows nothing. A header counts before a cookie."""
    authorization = only(scope, "authorization")
    if authorization is not None:
        scheme, _, secret = authorization.partition(" ")
        return secret.strip() if scheme.lower() == "bearer" else ""
    for header in Headers(scope=scope).getlist("cookie"):
        if kept := cookie_parser(header).get(COOKIE):
            return kept
    return None


# ── The door of the page ───────────────────────────────────────────────────────────────────────────────────────────

router = APIRouter(prefix="/api", tags=["service"])


class Login(FrozenModel, defer_build=False):  # as `SessionRequest`
    """What a person shows to be let in."""

    token: Annotated[str, Field(max_length=200)]
    """A token, as `fathom token create` printed it."""


@router.post("/login", status_code=204, response_class=Response, summary="Log in", responses=documented(401, 415, 429))
async def log_in(login: Login, request: Request) -> Response:
    """Store a token in a cookie that scripts cannot read and other sites cannot send."""
    door: Door = request.app.state.door
    answer = await door.open(login.token.strip(), request.scope)
    if isinstance(answer, Response):
        return answer
    response = Response(status_code=204)
    _set_cookie(response, request, login.token.strip(), seconds=_seconds_left(answer))
    return response


@router.post("/logout", status_code=204, response_class=Response, summary="Log out", responses=documented())
async def log_out(request: Request) -> Response:
    """Delete the cookie. The token itself stays valid."""
    response = Response(status_code=204)
    _set_cookie(response, request, "", seconds=0)
    return response


def _set_cookie(response: Response, request: Request, secret: str, *, seconds: int) -> None:
    asked_over = request.headers.get("origin", "").partition("://")[0]  # a proxy may have ended the encryption
    response.set_cookie(
        COOKIE,
        secret,
        max_age=seconds,
        path="/",
        httponly=True,
        samesite="strict",
        secure="https" in (request.url.scheme, asked_over),
    )


def _seconds_left(token: Token) -> int:
    if token.expires_at is None:
        return COOKIE_SECONDS
    left = (datetime.fromisoformat(token.expires_at) - datetime.now(UTC)).total_seconds()
    return max(0, min(COOKIE_SECONDS, int(left)))
