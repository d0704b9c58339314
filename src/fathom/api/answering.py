"""The HTTP server under every face of the service."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Literal

import uvicorn

from fathom.api.listening import BACKLOG, room
from fathom.api.wire import HttpConnection
from fathom.wiring.ending import END_SECONDS, SIGNALS, end, told_to_end

KEEP_ALIVE_SECONDS = 15
"""How long a connection that asks nothing more stays open."""
GRACE_SECONDS = 1
"""How long an answer under way may take when the service ends; event streams end at once."""


class HttpServer(uvicorn.Server):
    """Uvicorn, told what to leave out; a signal ends it and is not passed on.

    Args:
        ready: Called once requests are answered.
        ending: Called when no more are, to have streams end that would go on.
        lifespan: `off` for an application that has nothing to open and close.
    """

    def __init__(
        self,
        app: Callable[..., object],
        ready: Callable[[], None],
        *,
        ending: Callable[[], None] | None = None,
        lifespan: Literal["auto", "off"] = "auto",
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=HttpConnection,
                backlog=min(BACKLOG, room() // 4),  # so many come in before they are counted
                ws="none",
                lifespan=lifespan,
                log_config=None,
                access_log=False,  # ours says more, and nothing of the query
                server_header=False,
                proxy_headers=False,  # whoever asks could say that he is somebody else
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._ready = ready
        self._ending = ending

    def end(self) -> None:
        """Let no more in, and finish what is being answered."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets=sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer no more."""
        if self._ending is not None:
            self._ending()
        await super().shutdown(sockets=sockets)

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Ctrl-C and a polite end from outside end the service, in time, and are done with then."""
        within = dict.fromkeys(SIGNALS, END_SECONDS)
        return told_to_end(lambda _: self.end(), last=lambda _: end(0), within=within)
