"""The connections below HTTP: to checked places only, and never with more bytes than are allowed."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

from fathom.errors import PageRefused, PageTooLarge
from fathom.pages.guard import AddressGuard
from fathom.text.harmless import inert

_ATTEMPTS = 4
_ATTEMPT_SECONDS = 5.0
_HEAD_BYTES = 192 * 1024


class BoundedStream(httpcore.AsyncNetworkStream):
    """A connection that counts what comes, and knows what came last."""

    def __init__(self, inner: httpcore.AsyncNetworkStream, among: set[BoundedStream]) -> None:
        """`among` are those that are open; it is one of them until it is closed."""
        self._inner, self._among = inner, among
        among.add(self)
        self._came = 0
        self.allowed = _HEAD_BYTES
        """Bytes that may come in all; to be raised when the head of the answer is there."""
        self.last = b""
        """What came last."""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's name
        """The next bytes, `b""` at the end.

        Raises:
            PageTooLarge: more came than is allowed.
        """
        data = await self._inner.read(max_bytes, timeout)
        self._came += len(data)
        if self._came > self.allowed:
            raise PageTooLarge(f"more than {self.allowed:,} bytes came, head and packing included")
        if data:
            self.last = data
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's name
        """Send bytes."""
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        """Hang up."""
        self._among.discard(self)
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
    ) -> httpcore.AsyncNetworkStream:
        """The same connection, encrypted."""
        try:
            inner = await self._inner.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:  # also when it is given up, which httpcore does not tidy up behind
            await self.aclose()
            raise
        self._among.discard(self)
        return BoundedStream(inner, self._among)

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks about a connection."""
        return self._inner.get_extra_info(info)


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects to places that the guard has checked, and to these only: no name is looked up a second time."""

    def __init__(self, guard: AddressGuard, inner: httpcore.AsyncNetworkBackend | None = None) -> None:
        self._guard = guard
        self.open: set[BoundedStream] = set()
        """Connections that nobody has closed yet."""
        self._inner = inner or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the host.

        Raises:
            PageRefused: it is not on the public internet.
            httpcore.ConnectError: no connection.
        """
        *others, last = (await self._guard.places(host, port))[:_ATTEMPTS]
        for place in others:
            try:
                return await self._connect(place, port, _ATTEMPT_SECONDS, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue  # the next of its places may answer
        return await self._connect(last, port, timeout, local_address, socket_options)

    async def _connect(
        self,
        place: str,
        port: int,
        seconds: float | None,
        local_address: str | None,
        options: Iterable[httpcore.SOCKET_OPTION] | None,
    ) -> httpcore.AsyncNetworkStream:
        return BoundedStream(await self._inner.connect_tcp(place, port, seconds, local_address, options), self.open)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Refused: a page is never on a socket of this machine."""
        del timeout, socket_options
        raise PageRefused(f"{inert(path, width=100)!r} is no place of a page.")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
