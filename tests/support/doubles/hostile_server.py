"""A hostile server on this machine, for tests of whoever reads pages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from fathom_testing.hostile import PAGE, attack_at
from fathom_testing.local_server import LocalServer
from fathom_testing.model_server.http import Asked, Connection

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


class HostileServer(LocalServer):
    """A server in a thread of its own: below `/bomb`, `/endless`, … the attacks, at every other path a good page.

    >>> with HostileServer() as server:
    ...     server.url("/bomb").startswith("http://evil.localhost:"), server.requests
    (True, [])
    """

    def __init__(self, *, robots: Mapping[str, bytes | str] | None = None) -> None:
        """`robots` gives for a host the body of its robots.txt, or the path of what it answers instead.

        A host that is not named has none.
        """
        super().__init__()
        self._robots = dict(robots or {})
        self._requests: list[Request] = []
        self._busiest: dict[str, int] = {}
        self._at_work: dict[str, int] = {}

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

    async def _serve(self, connection: Connection) -> None:
        try:
            while not connection.gone and (asked := await connection.read()):
                host = asked.headers.get("host", "").partition(":")[0]
                target = f"{asked.path}?{asked.query}" if asked.query else asked.path
                self._requests.append(Request(host, target, asked.headers))
                self._at_work[host] = self._at_work.get(host, 0) + 1
                self._busiest[host] = max(self._busiest.get(host, 0), self._at_work[host])
                try:
                    await self._respond(connection, asked)
                finally:
                    self._at_work[host] -= 1
        except ConnectionError:
            return  # the client has hung up in the middle of an attack, as it should
        finally:
            connection.close()

    async def _respond(self, connection: Connection, asked: Asked) -> None:
        host = asked.headers.get("host", "").partition(":")[0]
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
