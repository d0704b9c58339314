"""The HTTP server under every face of the service."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

KEEP_ALIVE_SECONDS = 15
"""How long a connection that asks nothing more stays open."""
GRACE_SECONDS = 1
"""How long an answer under way may take when the service ends; event streams end at once."""


class HttpServer(uvicorn.Server):
    """Uvicorn, told what to leave out; a signal ends it and is not passed on."""

    def __init__(self, app: Callable[..., object], ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,  # type: ignore[arg-type]
                ws="none",
                log_config=None,
                access_log=False,  # ours says more, and nothing of the query
                server_header=False,
                proxy_headers=False,  # whoever asks could say that he is somebody else
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._ready = ready

    def end(self) -> None:
        """Let no more in, and finish what is being answered."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets=sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:  # type: ignore[override]
        """Ctrl-C and a polite end from outside end the service, and are done with then."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
