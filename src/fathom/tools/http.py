"""A server at an address, over streamable HTTP."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from fathom.errors import MalformedReply, ProviderError, ResultTooLarge, TimedOut, Unreachable
from fathom.services.failures import Who, refusal
from fathom.tools.access import Access
from fathom.tools.failures import Failures, Lost

_CONNECT = 10.0
"""Seconds to connect, to send, and to wait for a free connection."""
_REASON = 10_000
"""Bytes that are read of what a refusal says."""


@contextlib.asynccontextmanager
async def connected(access: Access, failures: Failures, *, max_bytes: int, seconds: float) -> AsyncIterator[Any]:
    """The streams of a connection, as a transport of the SDK gives them, whose calls may take `seconds`."""
    client = _Client(
        access,
        failures,
        max_bytes=max_bytes,
        headers={**access.headers, "accept-encoding": "identity"},  # so that what is counted is what is held
        timeout=httpx2.Timeout(_CONNECT, read=seconds + _CONNECT),
        trust_env=not access.is_local,  # a proxy knows nothing of this machine
    )
    async with (
        client,
        streamable_http_client(access.url, http_client=client, max_sse_event_size=2 * max_bytes) as streams,
    ):
        yield streams


class _Client(httpx2.AsyncClient):
    """Turns each failure into an answer that carries its sign, so that one call fails and not the whole connection."""

    def __init__(self, access: Access, failures: Failures, *, max_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self._whom = access
        self._failures = failures
        self._max_bytes = max_bytes
        self._who = Who(
            title=access.who,
            host=httpx2.URL(access.url).host,
            address_setting="its url",
            advice={
                401: "check its headers",
                403: "check its headers",
                429: "ask it less often",
            },
        )

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            response = await super().send(request, **options)
        except httpx2.TimeoutException as error:
            return self._failed(request, TimedOut(f"{self._who} gave no answer in time: try again later."), error)
        except (httpx2.TransportError, ssl.SSLError, OSError) as error:
            return self._failed(request, self._unreachable(error), error)
        status = response.status_code
        if status in (401, 402, 403, 408, 429) or status >= 500:
            try:
                body = await _first(response, _REASON)
            finally:
                await response.aclose()
            for secret in self._whom.secrets:
                body = body.replace(secret.encode(), b"***")
            return self._failed(request, refusal(status, headers=response.headers, body=body, who=self._who))
        if response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
            await response.aclose()
            packed = MalformedReply(f"{self._who} packs its answers, which it was asked not to: ask its operator.")
            return self._failed(request, packed)
        if request.method == "POST":
            response.stream = _Counted(response, self._max_bytes, self._broken)
        return response

    def _unreachable(self, error: BaseException) -> ProviderError:
        why = self._whom.told(str(error) or type(error).__name__).rstrip(".")
        if "CERTIFICATE" in why.upper():
            return Unreachable(f"{self._who} cannot be trusted: {why}.")
        return Lost(f"{self._who} cannot be reached: {why}: check its url, and whether it runs.")

    def _broken(self, cause: httpx2.TransportError | None) -> str:
        """The sign of a body that has ended too soon, or is too large."""
        if cause is None:
            most = f"{self._max_bytes:,} bytes"
            return self._failures.note(ResultTooLarge(f"A result of {self._who} has over {most}: ask for less."))
        if isinstance(cause, httpx2.TimeoutException):
            return self._failures.note(TimedOut(f"{self._who} stopped in the middle of an answer: try again later."))
        return self._failures.note(Lost(f"{self._who} broke off in the middle of an answer: try again."))

    def _failed(
        self, request: httpx2.Request, error: ProviderError, cause: BaseException | None = None
    ) -> httpx2.Response:
        error.__cause__ = cause
        told = {"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": self._failures.note(error)}}
        return httpx2.Response(400, json=told, request=request)


class _Counted(httpx2.AsyncByteStream):
    """The body of an answer, which ends where it becomes too large."""

    def __init__(
        self, response: httpx2.Response, most: int, broken: Callable[[httpx2.TransportError | None], str]
    ) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self._inner = response.stream
        self._most = most
        self._broken = broken
        is_stream = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        self._error = httpx2.SSEError if is_stream else httpx2.StreamError  # what the SDK takes for a broken answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for chunk in self._inner:
                size += len(chunk)
                if size > self._most:
                    raise self._error(self._broken(None))
                yield chunk
        except httpx2.SSEError:
            raise
        except httpx2.TransportError as error:
            raise self._error(self._broken(error)) from error

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _first(response: httpx2.Response, most: int) -> bytes:
    body = b""
    with contextlib.suppress(httpx2.HTTPError):
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) >= most:
                break
    return body[:most]
