"""As much of HTTP/1.1 as a server of tests needs, over asyncio streams."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

_LOOK = 0.25
"""Seconds between two looks whether the client is still there."""


@dataclass(frozen=True)
class Asked:
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    query: str = ""
    """What stands behind the `?` of the address."""

    def json(self) -> dict[str, Any]:
        """The body as an object.

        Raises:
            ValueError: it is none.
        """
        value = json.loads(self.body or b"{}")
        if not isinstance(value, dict):
            raise ValueError("The body is not a JSON object.")
        return value


class Connection:
    """One connection of a client, kept open from call to call."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> Asked | None:
        """The next request; `None` when the client has hung up.

        Raises:
            ValueError: it is no HTTP.
        """
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
            method, target, _ = first.split(" ", 2)
            headers = {key.strip().lower(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
            if "chunked" in headers.get("transfer-encoding", ""):
                body = await self._chunked()
            else:
                body = await self._reader.readexactly(int(headers.get("content-length", 0)))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        path, _, query = target.partition("?")
        return Asked(method, path, headers, body, query)

    async def _chunked(self) -> bytes:
        body = b""
        while size := int((await self._reader.readline()).partition(b";")[0], 16):
            body += (await self._reader.readexactly(size + 2))[:-2]
        await self._reader.readline()
        return body

    @property
    def gone(self) -> bool:
        """Whether the client has hung up."""
        return self._reader.at_eof() or self._writer.is_closing()

    async def wait(self, seconds: float) -> None:
        """Do nothing for so long, or until the client hangs up."""
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        await self.wait_out(lambda: until - clock())

    async def wait_out(self, left: Callable[[], float]) -> None:
        """Do nothing while `left` tells seconds, which may change meanwhile, or until the client hangs up."""
        while (seconds := left()) > 0 and not self.gone:  # noqa: ASYNC110 - streams tell no hang-up
            await asyncio.sleep(min(seconds, _LOOK))

    def open(self, status: int, headers: dict[str, str]) -> None:
        """Begin the answer."""
        lines = [f"HTTP/1.1 {status} {_phrase(status)}", *(f"{name}: {value}" for name, value in headers.items())]
        self.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        if not self._writer.is_closing():
            self._writer.write(data)

    def chunk(self, data: bytes) -> None:
        """Send a part of an answer of unknown length; an empty one ends it."""
        self.write(b"%x\r\n%b\r\n" % (len(data), data))

    async def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """The whole answer."""
        lines = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
        self.open(status, lines)
        self.write(body)
        await self.drain()

    async def drain(self) -> None:
        """Wait until the client has taken what was sent, unless it has hung up."""
        try:
            await self._writer.drain()
        except ConnectionError:
            self._writer.close()

    def reset(self) -> None:
        """Break the connection, so that the client sees a reset."""
        connected = self._writer.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def close(self) -> None:
        """Hang up, once all that was written is sent."""
        self._writer.close()


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else "Overloaded"
