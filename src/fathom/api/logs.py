"""The log of the service: a line per request and per turn of a session, for people or for programs.

It holds ids, names of routes, and figures; never a question, a token, a cookie, a query string or a body.
"""

from __future__ import annotations

import contextvars
import json
import logging
import re
import sys
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Literal

from pydantic import SecretStr
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fathom.api.security.asking import METHODS, note, token_of
from fathom.settings import Settings
from fathom.text.harmless import inert

if TYPE_CHECKING:
    from fathom.api.metrics import Metrics

FIELDS = ("session", "request", "token", "client", "method", "route", "status", "ms")
"""What a record may carry besides its message, in the order in which it is written."""
UNKNOWN_ROUTE = "-"
"""The route of a request that none has taken: its path is the client's own words."""
QUIET = ("/api/health", "/metrics", "/assets/{path:path}")
"""Routes that machines ask all day long, and of which only failures are told."""

log = logging.getLogger("fathom.api")
current: contextvars.ContextVar[str] = contextvars.ContextVar("fathom_request", default="")
"""Id of the request under way."""

_TOKEN = re.compile(r"fathom_[\w-]{16,}|(?i:bearer)\s+\S+")
_SESSION = re.compile(r"run_[0-9a-z]{12}")
_HIDDEN = "[hidden]"
_SHORTEST_SECRET = 8


class _Lines(ABC, logging.Formatter):
    """One line per record, on which nothing that came from outside can begin another."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        self._secrets = sorted((each for each in secrets if len(each) >= _SHORTEST_SECRET), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        fields = {name: value for name in FIELDS if (value := getattr(record, name, "")) not in ("", None)}
        if "request" not in fields and (request_id := current.get()):
            fields["request"] = request_id
        told = {"message": self._harmless(record.getMessage()), **fields}
        if record.exc_info and record.exc_info[1] is not None:
            told["fault"] = self._harmless(" < ".join(_frames(record.exc_info[1])))
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return self._written(at, record.levelname.lower(), told)

    @abstractmethod
    def _written(self, at: str, level: str, told: dict[str, object]) -> str:
        """The line of a record: when, how grave, and the message before all else that is told."""

    def _harmless(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return inert(_TOKEN.sub(_HIDDEN, text))


class TextLines(_Lines):
    """`2026-07-01T12:00:00.000Z info  session taken up  session=run_…`"""

    def _written(self, at: str, level: str, told: dict[str, object]) -> str:
        message, *fields = told.items()
        return "  ".join([f"{at} {level:<7}{message[1]}", *(f"{name}={inert(str(value))}" for name, value in fields)])


class JsonLines(_Lines):
    """An object per line; its text is ASCII, so that no reader of lines sees another end of one."""

    def _written(self, at: str, level: str, told: dict[str, object]) -> str:
        return json.dumps({"time": at, "level": level, **told}, ensure_ascii=True, default=str)


def _frames(error: BaseException) -> Iterator[str]:
    """What an error is and where it was raised, innermost last; what it says may quote what was asked."""
    seen: BaseException | None = error
    while seen is not None:
        frames = traceback.extract_tb(seen.__traceback__)
        yield f"{type(seen).__name__} at " + " > ".join(
            f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames
        )
        seen = seen.__cause__ or seen.__context__


def set_up(settings: Settings, stream: IO[str] | None = None) -> None:
    """Have this process write its log to standard error, as `serve_log` says."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_formatter(settings.serve_log, _secrets_of(settings)))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("fathom").setLevel(logging.INFO)
    logging.raiseExceptions = False  # a log that nobody reads any more is no reason to say so in the midst of it


def _formatter(kind: Literal["text", "json"], secrets: Iterable[str]) -> _Lines:
    return JsonLines(secrets) if kind == "json" else TextLines(secrets)


def _secrets_of(settings: Settings) -> list[str]:
    values = (getattr(settings, name) for name in type(settings).model_fields)
    return [value.get_secret_value() for value in values if isinstance(value, SecretStr)]


class Requests:
    """Gives each request an id, and tells of it when it has been answered: in the log and in the figures."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = f"req_{token_hex(8)}"
        note(scope, request_id=request_id)
        current.set(request_id)
        began = time.perf_counter()
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                if made := _SESSION.search(headers.get("location", "")):
                    note(scope, session=made[0])
            else:
                self._metrics.sent(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception:
            status = status or 500
            raise
        finally:
            self._tell(scope, status, time.perf_counter() - began)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        """A request whose client has gone before it was answered has the status 0."""
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = route_of(scope)
        self._metrics.answered(method, route, status, seconds)
        quiet = route in QUIET and 0 < status < 400
        log.log(
            logging.DEBUG if quiet else logging.INFO,
            "answered",
            extra={
                "request": scope["state"]["request_id"],
                "token": token_of(scope),
                "method": method,
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 1),
                "session": scope["state"].get("session") or _session_of(scope),
            },
        )


def _session_of(scope: Scope) -> str:
    """The session that a request is about; a path that holds no id is the client's own words."""
    return named if _SESSION.fullmatch(named := scope.get("path_params", {}).get("session_id", "")) else ""


def route_of(scope: Scope) -> str:
    """The template of a request's address: its path is what the client made of it."""
    return str(getattr(scope.get("route"), "path", UNKNOWN_ROUTE))
