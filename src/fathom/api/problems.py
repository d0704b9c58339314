"""Every failure as a problem document (RFC 9457): what happened, to what, and what to do, and nothing internal."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fathom.api import page
from fathom.errors import (
    ConfigurationError,
    Conflict,
    FathomError,
    NotFound,
    ProviderError,
    RateLimited,
    StoreError,
    UsageError,
)
from fathom.frozen import FrozenModel
from fathom.text.places import Unplaced

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5
"""When to try again what the store could not do."""
ALWAYS = (401, 403, 421, 422, 429, 500, 503)
"""What every operation may answer with: its guards, what checks the request, and what it rests on."""
WITH_A_BODY = (400, 413, 415)
"""What an operation that reads JSON may answer with."""
MOST_ERRORS = 50
"""A request with more errors than that is told the first ones."""

log = logging.getLogger(__name__)


class WrongField(FrozenModel):
    """Something that is wrong with a request; what was sent is not repeated."""

    loc: tuple[str | int, ...]
    """Where it is: `body`, `query`, `header` or `path`, then the names of the fields."""
    msg: str
    """What is wrong."""
    type: str
    """The kind of the error, for programs."""


class Problem(FrozenModel):
    """Why a request was not carried out (RFC 9457)."""

    type: str
    """`urn:fathom:problem:` and the name of the kind of problem."""
    title: str
    """That kind in a few words; always the same for a `type`."""
    status: int
    """The status of the response."""
    detail: Unplaced
    """What happened, to what, and what to do, in a line."""
    errors: tuple[WrongField, ...] | None = None
    """What is wrong with the request, field by field; only there when that is the problem."""
    request_id: str | None = None
    """By this the log of the service knows the request; only there for a fault of the service."""


class Kind(NamedTuple):
    """A kind of problem."""

    name: str
    status: int
    title: str


UNAUTHORIZED = Kind("unauthorized", 401, "A token is needed")
FORBIDDEN = Kind("forbidden", 403, "It is not allowed")
NOT_FOUND = Kind("not-found", 404, "There is no such thing")
CONFLICT = Kind("conflict", 409, "Not as things stand")
TOO_LARGE = Kind("too-large", 413, "The request is too large")
WRONG_MEDIA_TYPE = Kind("wrong-media-type", 415, "The body is in a format that is not read here")
MISDIRECTED = Kind("misdirected", 421, "The service does not go by that name")
UNUSABLE = Kind("unusable", 422, "It cannot be done as it was asked for")
NOT_SET_UP = Kind("not-set-up", 422, "The service is not set up for that")
INVALID = Kind("invalid", 422, "The request is not valid")
TOO_MANY = Kind("too-many-requests", 429, "Too many requests")
PROVIDER = Kind("provider", 502, "Something outside has failed")
STORE = Kind("store", 503, "The store cannot be used")
FAULT = Kind("fault", 500, "A fault of the service")
_OF_STATUS = {kind.status: kind for kind in (NOT_FOUND, TOO_LARGE, WRONG_MEDIA_TYPE)}

_OF_ERRORS: dict[type[FathomError], Kind] = {
    NotFound: NOT_FOUND,
    Conflict: CONFLICT,
    UsageError: UNUSABLE,
    ConfigurationError: NOT_SET_UP,
    ProviderError: PROVIDER,
    StoreError: STORE,
}
_UNREAD = "There was an error parsing the body"
"""What the framework says of a body that is no text; ours says more."""
_LINES = {
    400: "The body of the request cannot be read: send JSON in UTF-8.",
    404: "There is nothing at this address: /docs tells what there is.",
    405: "This address does not take that method: /docs tells which it takes.",
    413: "The body of the request is too large.",
    415: "The body of the request must be JSON: send it with `Content-Type: application/json`.",
}


def problem(kind: Kind, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    """The response that tells a problem; `more` are further fields of it."""
    told = Problem(type=f"urn:fathom:problem:{kind.name}", title=kind.title, status=kind.status, detail=detail, **more)
    return Response(
        told.model_dump_json(exclude_none=True, ensure_ascii=True),
        status_code=told.status,
        headers=dict(headers or {}),
        media_type=MEDIA_TYPE,
    )


def fault(request_id: str) -> Response:
    """The response to a request that a fault of Fathom has ended."""
    line = "A fault in Fathom has ended the request: the log of the service tells more under its id."
    return problem(FAULT, line, request_id=request_id)


def of_error(error: FathomError) -> Response | None:
    """The response for an error that was raised on purpose; `None` for one that should not have come this far."""
    kind = next((_OF_ERRORS[each] for each in type(error).__mro__ if each in _OF_ERRORS), None)
    if kind is None:
        return None
    if kind is STORE:  # its line names a file of the service
        log.error("the store failed: %s", error)
        line = "The store cannot be used at the moment: try again. If it lasts, the log of the service tells why."
        return problem(kind, line, headers={"Retry-After": str(RETRY_SECONDS)})
    wait = error.retry_after if isinstance(error, RateLimited) else None
    return problem(kind, str(error), headers={"Retry-After": str(round(wait))} if wait is not None else None)


def of_status(status: int, *, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """The response for a status alone."""
    phrase = HTTPStatus(status).phrase
    kind = _OF_STATUS.get(status) or Kind(re.sub(r"[^a-z]+", "-", phrase.lower()), status, phrase)
    line = detail if detail and detail not in (phrase, _UNREAD) else _LINES.get(status, f"{phrase}.")
    return problem(kind, line, headers=headers)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that an operation may answer with, for its description."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": _MEANS[status], "content": {MEDIA_TYPE: {"schema": schema}}}
        for status in sorted({*statuses, *ALWAYS})
    }


def removes(*statuses: int) -> dict[str, Any]:
    """How an operation is described that removes something, with the problems that it may answer with."""
    return {"status_code": 204, "responses": documented(*statuses)}


_MEANS = {
    400: "The body cannot be read.",
    401: "A token is needed.",
    403: "It is not allowed.",
    404: "There is no such thing.",
    409: "It cannot be done as things stand.",
    413: "The body is too large.",
    415: "The body is in a format that is not read here.",
    421: "The service does not go by the name that it was asked under.",
    422: "The request is not valid, or cannot be done as it was asked for.",
    429: "Too many requests: try again after `Retry-After` seconds.",
    500: "A fault of the service.",
    502: "Something outside has failed: a model, a search, a server of data.",
    503: "The store cannot be used at the moment: try again after `Retry-After` seconds.",
}


def install(app: FastAPI) -> None:
    """Have an application answer every failure with a problem document."""
    app.add_exception_handler(FathomError, _on_error)
    app.add_exception_handler(HTTPException, _on_status)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_middleware(Faults)


class Faults:
    """Turns what nobody expected into a problem document and a line of the log, both with the request's id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception:
            request_id = str(scope.get("state", {}).get("request_id") or f"req_{secrets.token_hex(8)}")
            log.exception("a request failed by a fault of Fathom", extra={"request": request_id})
            if begun:  # too late to say so: the server breaks the response off
                raise
            await fault(request_id)(scope, receive, send)


async def _on_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, FathomError)
    response = of_error(error)
    if response is None:
        raise error
    return response


async def _on_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_read = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")
    if error.status_code == 404 and is_read and not request.url.path.startswith(("/api/", "/assets/")):
        return await page.nowhere(request)
    if error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    return of_status(error.status_code, detail=error.detail, headers=error.headers)


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    if any(each["loc"][:1] == ("path",) for each in errors):
        return problem(NOT_FOUND, _LINES[404])
    if any(each["loc"] == ("body",) for each in errors) and not _is_json(request) and await request.body():
        return of_status(415)
    wrong = tuple(
        WrongField(loc=tuple(_short(part) for part in each["loc"]), msg=each["msg"], type=each["type"])
        for each in errors[:MOST_ERRORS]
    )
    first = f"{'.'.join(map(str, wrong[0].loc))}: {wrong[0].msg}" if wrong else "Something is wrong with it"
    return problem(INVALID, f"{first}.", errors=wrong)


def _is_json(request: Request) -> bool:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json"))


def _short(part: str | int) -> str | int:
    """A name that a client made up is told no longer than this."""
    return part if isinstance(part, int) else part[:100]
