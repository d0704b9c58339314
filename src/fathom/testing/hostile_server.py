"""A hostile server on this machine, for tests of whoever reads pages."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from fathom.testing.hostile import PAGE, attack_at
from fathom.testing.model_server.http import Asked, Connection

ETAG = '"first"'
"""What the server calls the version of every good page."""


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    host: str
    """Without the port."""
    target: str
    """Path and query."""
    headers: Mapping[str, str]
    """By name in lower case."""


class HostileServer:
    """A server in a thread of its own: below `/bomb`, `/endless`, … the attacks, at every other path a good page.

    >>> with HostileServer() as server:
    ...     server.url("/bomb").startswith("http://evil.localhost:"), server.requests
    (True, [])
    """

    def __init__(self, *, robots: Mapping[str, bytes | str] | None = None) -> None:
        """`robots` gives for a host the body of its robots.txt, or the path of what it answers instead.

        A host that is not named has none.
        """
        self._robots = dict(robots or {})
        self._requests: list[Request] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ready = threading.Event()
        self._busiest: dict[str, int] = {}
        self._at_work: dict[str, int] = {}
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="hostile-server", daemon=True)

    def url(self, path: str, *, host: str = "evil.localhost") -> str:
        """The address of a path; every name below `.localhost` is one of its hosts."""
        return f"http://{host}:{self.port}{path}"

    @property
    def requests(self) -> list[Request]:
        """Every request so far but those for a robots.txt."""
        return [each for each in self._requests if each.target != "/robots.txt"]

    @property
    def robots_requests(self) -> list[Request]:
        """Every request for a robots.txt so far."""
        return [each for each in self._requests if each.target == "/robots.txt"]

    @property
    def connections(self) -> int:
        """Connections that clients hold open."""
        return len(self._tasks)

    def busiest(self, host: str) -> int:
        """The most requests to a host that were under way at once."""
        return self._busiest.get(host, 0)

    def __enter__(self) -> HostileServer:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=512)
        self.port: int = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(Connection(reader, writer)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, connection: Connection) -> None:
        try:
            while not connection.gone and (asked := await connection.read()):
                host = asked.headers.get("host", "").partition(":")[0]
                target = f"{asked.path}?{asked.query}" if asked.query else asked.path
                self._requests.append(Request(host, target, asked.headers))
                self._at_work[host] = self._at_work.get(host, 0) + 1
                self._busiest[host] = max(self._busiest.get(host, 0), self._at_work[host])
                try:
                    await self._respond(connection, host, asked)
                finally:
                    self._at_work[host] -= 1
        except ConnectionError:
            return  # the client has hung up in the middle of an attack, as it should
        finally:
            connection.close()

    async def _respond(self, connection: Connection, host: str, asked: Asked) -> None:
        if asked.path == "/robots.txt":
            robots = self._robots.get(host, "/status/404")
            if isinstance(robots, bytes):
                return await connection.send(200, robots, {"content-type": "text/plain"})
            path, _, query = robots.partition("?")
            asked = Asked("GET", path, asked.headers, b"", query)
        if attack := attack_at(asked.path):
            return await attack(connection, asked)
        if asked.headers.get("if-none-match") == ETAG:
            return connection.open(304, {"etag": ETAG})
        await asyncio.sleep(0.01)  # so that two at once are seen
        return await connection.send(200, PAGE, {"content-type": "text/html; charset=utf-8", "etag": ETAG})
