"""The service as a process: the page, the API and the worker on one event loop, until it is told to end."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fathom import wiring
from fathom.api.answering import HttpServer
from fathom.api.app import create_app
from fathom.sessions.worker import Worker

if TYPE_CHECKING:
    from fathom.sessions.service import Dataset
    from fathom.settings import Settings

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
