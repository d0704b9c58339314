"""The MCP server as a process: it answers one client over standard input and output, or any number over HTTP, and
carries out what they start."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from fathom import wiring
from fathom.mcp_server.desk import Desk
from fathom.mcp_server.papers import Papers
from fathom.mcp_server.server import server_of
from fathom.sessions.service import Dataset, Sessions
from fathom.sessions.worker import Worker
from fathom.settings import Settings

PATH = "/mcp"
"""Where it is asked over HTTP."""

log = logging.getLogger(__name__)


class _Crew:
    """The worker of this process, which begins when there may be something to carry out."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Have runs carried out from now on."""
        if self._task is not None and self._task.done():  # it ends by itself only when the store fails it
            log.error("the worker has ended and is started again", exc_info=self._task.exception())
            self._task = None
        if self._task is None:
            self._task = asyncio.create_task(self._worker.run(), name="worker")

    async def end(self) -> None:
        """Let go of what is under way, for whoever comes next."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


@asynccontextmanager
async def _opened(settings: Settings, datasets: Sequence[Dataset]) -> AsyncIterator[tuple[Server[Any], _Crew]]:
    """The server of a home."""
    async with wiring.opened_resources(settings) as resources:
        worker = Worker(resources, most=settings.serve_sessions)
        crew = _Crew(worker)
        sessions = Sessions(resources, worker=worker, datasets=datasets)
        try:
            yield server_of(Desk(sessions, resources), Papers(sessions), on_work=crew.begin), crew
        finally:
            await crew.end()


async def over_stdio(settings: Settings, *, datasets: Sequence[Dataset] = ()) -> None:
    """Answer one client over standard input and output until the input ends; a signal ends the process.

    Raises:
        StoreError: a file cannot be used.
    """
    loop = asyncio.get_running_loop()
    signalled: asyncio.Future[int] = loop.create_future()

    def heard(number: int) -> None:
        if not signalled.done():
            signalled.set_result(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: loop.call_soon_threadsafe(heard, number))
    async with _opened(settings, datasets) as (server, _):
        talking = asyncio.create_task(_talk(server), name="stdio")
        both: tuple[asyncio.Future[Any], ...] = (talking, signalled)
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not signalled.done():
            await talking
    if signalled.done():
        os._exit(128 + signalled.result())  # a thread still waits for input, and nothing can wake it


async def _talk(server: Server[Any]) -> None:
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    except* (BrokenPipeError, ConnectionResetError):
        log.info("the client has gone")


async def over_http(
    settings: Settings,
    *,
    sockets: Sequence[socket.socket],
    datasets: Sequence[Dataset] = (),
    ready: Callable[[], None],
) -> None:
    """Answer any number of clients on `sockets`, which are closed at the end, until SIGINT or SIGTERM.

    Args:
        ready: Called once requests are answered.

    Raises:
        StoreError: a file cannot be used.
    """
    from fathom.api.answering import HttpServer

    async with _opened(settings, datasets) as (server, crew):
        await crew.begin()  # here no run has started it to ask it something
        app = server.streamable_http_app(streamable_http_path=PATH, host=settings.serve_host)
        await HttpServer(app, ready).serve(sockets=list(sockets))
