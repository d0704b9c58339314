"""The connections of the service: each sends what it has to say in time, or is closed, as is one too many."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Literal

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from fathom.api.listening import room
from fathom.api.security.asking import address_of

HEAD_SECONDS = 15.0
"""How long a client may take for the head of a request, from the connection or from its first byte on."""
BODY_SECONDS = 30.0
"""How long it may keep silent in the middle of a body."""

FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
"""What a connection is told for which there is no room."""

LEAST_RATE = 20_000
"""Bytes of a body that must come in a second, on average; `BODY_SECONDS` are given to begin with."""
REST_SECONDS = 5.0
"""How long a client may go on with a body that nobody reads, as it has its answer already."""

Waiting = Literal["head", "body", "rest"]


def most_connections() -> int:
    """How many may be open at once: the other files that the process may open are for its sessions and their data."""
    return room() // 2


def most_of_one_address() -> int:
    """How many of them one address may hold, so that others get in."""
    return most_connections() // 2


_held: Counter[str] = Counter()
"""Open connections of this process, by address."""


class HttpConnection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, which itself waits for whoever never finishes a request."""

    _deadline: asyncio.TimerHandle | None = None
    _waiting: Waiting | None = None
    _since = 0.0
    _came = 0
    _address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client may ask."""
        super().connection_made(transport)
        self._address = address_of({"client": self.client})
        _held[self._address] += 1
        if len(self.connections) > most_connections() or _held[self._address] > most_of_one_address():
            transport.write(FULL)
            transport.close()  # nothing more is read
        else:
            self._wait_for("head")

    def data_received(self, data: bytes) -> None:
        """Something has come, and something may still be missing."""
        super().data_received(data)
        self._came += len(data)
        match self.conn.their_state:
            case h11.IDLE if self.conn.trailing_data[0]:
                self._wait_for("head")
            case h11.SEND_BODY:
                self._wait_for("rest" if self.conn.our_state is h11.DONE else "body")
            case _:  # between two requests the server's own patience counts
                self._wait_for(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._wait_for(None)
        _held.subtract([self._address])
        if not _held[self._address]:
            del _held[self._address]
        super().connection_lost(exc)

    def _wait_for(self, what: Waiting | None) -> None:
        """Only a body is given more time for what comes of it, and no more than that is worth."""
        if what != self._waiting:
            self._since, self._came = self.loop.time(), 0
        elif what != "body":
            return
        if self._deadline is not None:
            self._deadline.cancel()
        seconds = {"head": HEAD_SECONDS, "rest": REST_SECONDS}.get(what or "", BODY_SECONDS)
        if what == "body":
            whole = self._since + BODY_SECONDS + self._came / LEAST_RATE
            seconds = min(seconds, whole - self.loop.time())
        self._deadline = self.loop.call_later(seconds, self._close) if what else None
        self._waiting = what

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
