"""The service as a process: the page, the API and the worker on one event loop, until it is told to end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fathom import wiring
from fathom.api.answering import HttpServer
from fathom.api.app import create_app
from fathom.api.listening import ListeningHost, listen
from fathom.api.security.guard import Guard
from fathom.sessions.garbage import collecting_seldom
from fathom.sessions.tokens import Tokens
from fathom.sessions.worker import Worker

if TYPE_CHECKING:
    from fathom.sessions.datasets import ServedDataset
    from fathom.settings import Settings


async def serve(
    settings: Settings, place: ListeningHost, *, datasets: Sequence[ServedDataset] = (), ready: Callable[[str], None]
) -> None:
    """Answer requests and carry out sessions until SIGINT or SIGTERM.

    Args:
        ready: Called with the address of the page once requests are answered.

    Raises:
        StoreError: a file cannot be used.
        ConfigurationError: the port is taken, or nobody could be let in.
    """
    async with wiring.Fathom(settings) as fathom:
        await fathom.get_ready()
        guard = Guard(settings, Tokens(fathom.tokens), place)
        await guard.check()
        sockets = listen(place, settings.serve_port)
        worker = Worker(fathom, most=settings.serve_sessions)
        server = HttpServer(
            create_app(fathom, worker=worker, datasets=datasets, access=guard),
            lambda: ready(place.url(sockets[0].getsockname()[1])),
            ending=guard.streams.end,
            lifespan="off",
        )
        with collecting_seldom():
            working = asyncio.create_task(worker.run(), name="worker")
            working.add_done_callback(lambda _: server.end())
            try:
                await server.serve(sockets=sockets)
            finally:
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)
        if not working.cancelled() and (fault := working.exception()):
            raise fault
