"""The HTTP server under every face of the service."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

import uvicorn

from fathom.api.listening import BACKLOG, room
from fathom.api.wire import Connection

KEEP_ALIVE_SECONDS = 15
"""How long a connection that asks nothing more stays open."""
GRACE_SECONDS = 1
"""How long an answer under way may take when the service ends; event streams end at once."""
END_SECONDS = 3.0
"""When the process ends at the latest: a thread in the middle of a computation cannot be told to stop."""


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
                http=Connection,
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

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Somebody wants it to end, and so it does in time."""
        if not self.should_exit:
            patience = threading.Timer(END_SECONDS, os._exit, [0])  # what is finished is durable, the rest is resumed
            patience.daemon = True
            patience.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and a polite end from outside end the service, and are done with then."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
