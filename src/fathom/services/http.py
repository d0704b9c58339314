"""Asks a service over HTTP: at its pace, again when that may help, and never longer or more than is allowed."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from fathom.errors import ConfigurationError, MalformedReply, ProviderFault, RateLimited, TimedOut, Unreachable
from fathom.services.failures import Who, refusal
from fathom.services.pace import Pace
from fathom.text.harmless import inert
from fathom.urls import is_loopback
from fathom.version import __version__

LARGEST = 5_000_000
"""Bytes that a reply may have, unpacked."""
CONNECT = 10.0
"""Seconds to wait for a connection."""
TRIES = 3
"""How often the same request is sent, the first time included."""
LONGEST_WAIT = 10.0
"""Seconds of one wait before a request is sent again; who asks us to wait longer is not asked again."""
_SHORTEST_KEY = 4
"""Characters; what is shorter is no secret, and stands in every text."""


class Reply(BaseModel):
    """Base of what a service sends: what is not expected is ignored, what is expected must have its type."""

    model_config = ConfigDict(strict=True, extra="ignore", hide_input_in_errors=True, frozen=True)


R = TypeVar("R", bound=BaseModel)


class Service:
    """One service, under one key. Redirects are not followed: a key goes nowhere else.

    A key belongs into a header or a body, never behind the `?` of an address, which ends up in logs.
    """

    def __init__(
        self,
        who: Who,
        *,
        address: str,
        pace: Pace,
        key: SecretStr | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 20.0,
        first_wait: float = 0.5,
        largest: int = LARGEST,
    ) -> None:
        """Nothing is opened before the first call. `address` is one that `checked_address` has returned.

        Args:
            who: whom errors name.
            pace: at which it may be asked, all its calls together.
            key: blotted out wherever the service quotes it.
            headers: of every request.
            timeout: seconds for one reply, from the first byte sent to the last one read.
            first_wait: seconds before a failed request is sent again; doubles each time.
            largest: bytes that a reply may have, unpacked.
        """
        self.address = address
        self.who = who
        self._headers = {"Accept-Encoding": "gzip", "User-Agent": f"Fathom/{__version__}", **(headers or {})}
        self._blots = _spellings(key)
        self._timeout = timeout
        self._first_wait = first_wait
        self._pace = pace
        self._largest = largest
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Let go of the connections; the next call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def get(self, path: str, reply: type[R], *, params: Mapping[str, str] | None = None) -> R:
        """The reply to a `GET`, in the shape of `reply`.

        Raises:
            ProviderError: as `fetch`; `MalformedReply` when it has not that shape.
        """
        return self._read(reply, await self.fetch("GET", path, params=params))

    async def post(self, path: str, reply: type[R], *, json: Mapping[str, Any]) -> R:
        """The reply to a `POST`, in the shape of `reply`.

        Raises:
            ProviderError: as `fetch`; `MalformedReply` when it has not that shape.
        """
        return self._read(reply, await self.fetch("POST", path, json=json))

    async def fetch(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, Any] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> bytes:
        """The body of a reply, the key blotted out in it.

        Raises:
            RateLimited: it asks us to wait, for longer than we do.
            Unauthorized: it refuses the key, or its plan is spent.
            TimedOut: no whole reply in time.
            Unreachable: no connection.
            ProviderFault: it failed, thrice.
            MalformedReply: the reply is too large.
            ProviderError: it refuses the request.
            ConfigurationError: by what it says, a setting is wrong.
        """
        for tries in range(1, TRIES + 1):
            if (held := self._pace.held) > LONGEST_WAIT:
                raise RateLimited(f"{self.who} wants to be left alone: wait {held:.0f} seconds.", retry_after=held)
            await self._pace.turn()
            try:
                return await self._once(method, path, params=params, json=json, data=form)
            except (RateLimited, ProviderFault, Unreachable) as error:
                asked = error.retry_after if isinstance(error, RateLimited) else None
                wait = self._first_wait * 2 ** (tries - 1) if asked is None else asked
                if isinstance(error, RateLimited):
                    self._pace.hold(wait)
                if tries == TRIES or wait > LONGEST_WAIT:
                    raise
                await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def at(self, address: str) -> Service:
        """The same service at another of its addresses, at the same pace; only for one that takes no key."""
        if self._blots:
            raise ValueError("a key goes to no other address")
        who = replace(self.who, host=address.partition("://")[2])
        return Service(
            who,
            address=address,
            pace=self._pace,
            headers=self._headers,
            timeout=self._timeout,
            first_wait=self._first_wait,
            largest=self._largest,
        )

    def hold(self, seconds: float) -> None:
        """Ask it nothing for so long, where it has said so otherwise than by its status."""
        self._pace.hold(seconds)

    def malformed(self, why: str) -> MalformedReply:
        """The error for a reply that has not the promised shape. `why` quotes nothing of it."""
        return MalformedReply(
            f"{self.who} gave an answer that cannot be read ({why}): check {self.who.address_setting}."
        )

    async def _once(self, method: str, path: str, **sent: Any) -> bytes:
        try:
            async with (
                asyncio.timeout(self._timeout),  # httpx limits the wait for each piece, not for the whole
                self._opened().stream(method, f"{self.address}{path}", **sent) as reply,
            ):
                body = await self._body(reply)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise TimedOut(f"{self.who} gave no answer within {self._timeout:g} seconds: try again.") from error
        except httpx.DecodingError as error:
            raise self.malformed("it is packed in a way that it should not be") from error
        except httpx.HTTPError as error:
            why = inert(self._blotted(str(error).encode("utf-8", "replace")).decode(), width=100)
            raise Unreachable(
                f"{self.who} cannot be reached ({why or type(error).__name__}): "
                f"check the network and {self.who.address_setting}."
            ) from error
        if not reply.is_success:
            refused = refusal(reply.status_code, headers=reply.headers, body=body, who=self.who)
            raise ConfigurationError(str(refused)) if reply.status_code in self.who.wrong else refused
        return body

    async def _body(self, reply: httpx.Response) -> bytes:
        if not reply.is_success:  # of a failure the beginning is enough
            return self._blotted(await self._gathered(reply, most=100_000, whole=False))
        return self._blotted(await self._gathered(reply, most=self._largest, whole=True))

    async def _gathered(self, reply: httpx.Response, *, most: int, whole: bool) -> bytes:
        """The reply, unpacked.

        Raises:
            MalformedReply: it is larger than `most`, and was wanted `whole`.
        """
        body = bytearray()
        async for piece in _unpacked(reply, self, most=most):
            body += piece
            if len(body) > most:
                if whole:
                    raise self.malformed(f"it is larger than {most // 1_000_000} MB")
                break
        return bytes(body[:most])

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers=self._headers,
                timeout=httpx.Timeout(self._timeout, connect=min(self._timeout, CONNECT)),
                follow_redirects=False,
                trust_env=not is_loopback(httpx.URL(self.address).host),  # a proxy knows nothing of this machine
            )
        return self._client

    def _blotted(self, data: bytes) -> bytes:
        for blot in self._blots:
            data = data.replace(blot, b"***")
        return data

    def _read(self, reply: type[R], body: bytes) -> R:
        try:
            return reply.model_validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(map(str, first["loc"]))
            why = first["msg"].partition(":")[0] if first["type"] == "json_invalid" else first["msg"]
            raise self.malformed(inert(f"{where}: {why}" if where else why, width=200)) from error


async def _unpacked(reply: httpx.Response, service: Service, *, most: int) -> AsyncIterator[bytes]:
    """The pieces of a reply; one piece of a packed reply never becomes longer than `most`.

    Raises:
        MalformedReply: it is packed wrongly, or in another way than was offered.
    """
    packing = reply.headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", ""):
        raise service.malformed("it is packed in a way that was not asked for")
    opener = zlib.decompressobj(wbits=31) if packing == "gzip" else None
    async for piece in reply.aiter_raw():
        try:
            yield opener.decompress(piece, most + 1) if opener else piece
        except zlib.error as error:
            raise service.malformed("it is packed wrongly") from error


def _spellings(key: SecretStr | None) -> tuple[bytes, ...]:
    """The ways in which a service may quote a key: as it is, as in an address, as in JSON."""
    text = key.get_secret_value() if key else ""
    if len(text) < _SHORTEST_KEY:
        return ()
    ways = {text, quote(text, safe=""), quote(text), json.dumps(text)[1:-1], text.replace("/", "\\/")}
    return tuple(way.encode() for way in sorted(ways, key=len, reverse=True))
