"""The MCP server as a process: it answers one client over standard input and output, or any number over HTTP, and
carries out what they start."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from fathom import wiring
from fathom.mcp_server.handlers import ToolHandlers
from fathom.mcp_server.papers import Papers
from fathom.mcp_server.server import server_of
from fathom.outcomes import settle
from fathom.sessions.datasets import ServedDataset
from fathom.sessions.garbage import collecting_seldom
from fathom.sessions.service import Sessions
from fathom.sessions.worker import Worker
from fathom.settings import Settings
from fathom.wiring.ending import END_SECONDS, SIGNALS, end, told_to_end

if TYPE_CHECKING:
    from fastapi import FastAPI

    from fathom.api.listening import ListeningHost
    from fathom.api.security.guard import Guard

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
async def _opened(
    fathom: wiring.Fathom,
    datasets: Sequence[ServedDataset],
    wait_to_start: Callable[[Any], int | None] | None = None,
) -> AsyncIterator[tuple[Server[Any], _Crew]]:
    """The server of a home (see `server_of`), and who carries out what it is asked for."""
    worker = Worker(fathom, most=fathom.settings.serve_sessions)
    crew = _Crew(worker)
    sessions = Sessions(fathom, worker=worker, datasets=datasets)
    try:
        handlers, papers = ToolHandlers(sessions, fathom), Papers(sessions, fathom.store)
        yield server_of(handlers, papers, on_work=crew.begin, wait_to_start=wait_to_start), crew
    finally:
        await crew.end()


async def over_stdio(settings: Settings, *, datasets: Sequence[ServedDataset] = (), ready: Callable[[], None]) -> None:
    """Answer one client over standard input and output until the input ends; a signal ends the process.

    Args:
        ready: Called once requests are answered.

    Raises:
        StoreError: a file cannot be used.
    """
    loop = asyncio.get_running_loop()
    signalled: asyncio.Future[int] = loop.create_future()

    def heard(number: int) -> None:
        loop.call_soon_threadsafe(settle, signalled, number)

    with told_to_end(heard, last=lambda number: end(128 + number), within=dict.fromkeys(SIGNALS, END_SECONDS)):
        async with wiring.Fathom(settings) as fathom:
            await fathom.get_ready()
            async with _opened(fathom, datasets) as (server, _):
                ready()
                talking = asyncio.create_task(_talk(server), name="stdio")
                both: tuple[asyncio.Future[Any], ...] = (talking, signalled)
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if not signalled.done():
                    await talking
        if signalled.done():
            end(128 + signalled.result())  # a thread still waits for input, and nothing can wake it


async def _talk(server: Server[Any]) -> None:
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    except* (BrokenPipeError, ConnectionResetError):
        log.info("the client has gone")


async def over_http(
    settings: Settings, place: ListeningHost, *, datasets: Sequence[ServedDataset] = (), ready: Callable[[str], None]
) -> None:
    """Answer any number of clients until SIGINT or SIGTERM, behind the guards of the service.

    Args:
        ready: Called with the address once requests are answered.

    Raises:
        StoreError: a file cannot be used.
        ConfigurationError: the port is taken, or nobody could be let in.
    """
    from fathom.api.answering import HttpServer
    from fathom.api.listening import listen
    from fathom.api.security.asking import MCP, client_of
    from fathom.api.security.guard import Guard
    from fathom.sessions.tokens import Tokens

    async with wiring.Fathom(settings) as fathom:
        await fathom.get_ready()
        guard = Guard(settings, Tokens(fathom.tokens), place)
        await guard.check()
        async with _opened(fathom, datasets, lambda request: guard.starts.take(client_of(request.scope))) as (
            server,
            crew,
        ):
            sockets = listen(place, settings.serve_port)
            await crew.begin()  # here no run has started it to ask it something
            http = HttpServer(
                _guarded(server, guard),
                lambda: ready(place.url(sockets[0].getsockname()[1]) + MCP),
                ending=guard.streams.end,
            )
            with collecting_seldom():
                await http.serve(sockets=sockets)


def _guarded(server: Server[Any], guard: Guard) -> FastAPI:
    """The server as an application; the guards look at names and origins, so that the SDK need not."""
    from fastapi import FastAPI
    from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
    from starlette.routing import Route

    from fathom.api import problems
    from fathom.api.security.asking import MCP

    manager = StreamableHTTPSessionManager(server)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=lambda _: manager.run())
    app.router.routes.append(Route(MCP, StreamableHTTPASGIApp(manager)))
    problems.install(app)
    guard(app)
    return app
