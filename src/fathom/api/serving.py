"""The service as a process: the page, the API and the worker on one event loop, until it is told to end."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from fathom import wiring
from fathom.api.app import create_app
from fathom.sessions.worker import Worker

if TYPE_CHECKING:
    from fathom.sessions.service import Dataset
    from fathom.settings import Settings

KEEP_ALIVE_SECONDS = 15
"""How long a connection that asks nothing more stays open."""
GRACE_SECONDS = 1
"""How long an answer under way may take when the service ends; event streams end at once."""

log = logging.getLogger(__name__)


async def serve(
    settings: Settings,
    *,
    sockets: Sequence[socket.socket],
    datasets: Sequence[Dataset] = (),
    ready: Callable[[], None],
) -> None:
    """Answer on `sockets`, which are closed at the end, and carry out sessions, until SIGINT or SIGTERM.

    Args:
        ready: Called once requests are answered.

    Raises:
        StoreError: a file cannot be used.
    """
    async with wiring.opened_resources(settings) as resources:
        worker = Worker(resources, most=settings.serve_sessions)
        app = create_app(resources, worker=worker, datasets=datasets)
        server = HttpServer(app, ready)
        working = asyncio.create_task(worker.run(), name="worker")
        working.add_done_callback(lambda _: server.end())
        try:
            await server.serve(sockets=list(sockets))
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
        if not working.cancelled() and (fault := working.exception()):
            raise fault


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
