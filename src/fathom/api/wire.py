"""The connections of the service: each sends what it has to say in time, or is closed, as is one too many."""

from __future__ import annotations

import asyncio
from typing import Literal

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from fathom.api.listening import room

HEAD_SECONDS = 15.0
"""How long a client may take for the head of a request, from the connection or from its first byte on."""
BODY_SECONDS = 30.0
"""How long it may keep silent in the middle of a body, and how long it may go on with one that nobody reads."""

FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
"""What a connection is told for which there is no room."""

Waiting = Literal["head", "body", "rest"]


def most_connections() -> int:
    """How many may be open at once: the other files that the process may open are for its sessions and their data."""
    return room() // 2


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, which itself waits for whoever never finishes a request."""

    _deadline: asyncio.TimerHandle | None = None
    _waiting: Waiting | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client may ask."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.write(FULL)
            transport.close()  # nothing more is read
        else:
            self._wait_for("head")

    def data_received(self, data: bytes) -> None:
        """Something has come, and something may still be missing."""
        super().data_received(data)
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
        super().connection_lost(exc)

    def _wait_for(self, what: Waiting | None) -> None:
        """Only a body is given more time for every byte of it."""
        if what == self._waiting and what != "body":
            return
        if self._deadline is not None:
            self._deadline.cancel()
        seconds = HEAD_SECONDS if what == "head" else BODY_SECONDS
        self._deadline = self.loop.call_later(seconds, self._close) if what else None
        self._waiting = what

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
