"""The little web as a server: many sites below `.localhost` on one port, and a search engine that knows them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from fathom_testing.hostile import attack_at
from fathom_testing.little_web.bulk import bulk_page, is_bulk
from fathom_testing.little_web.folder import Folder
from fathom_testing.little_web.log import Log, Visit
from fathom_testing.little_web.page import LittlePage
from fathom_testing.little_web.ranking import Entry, Ranking
from fathom_testing.little_web.world import World
from fathom_testing.local_server import LocalServer
from fathom_testing.model_server.http import Asked, Connection

if TYPE_CHECKING:
    from fathom_testing.search_server import SearchServer

HOSTILE = "hostile.localhost"
"""Where every path is an attack of `fathom_testing.hostile`: `/bomb`, `/endless`, `/chain/12`."""
_WITH_KEY = "brave exa serper tavily".split()


class LittleWeb(LocalServer):
    """A web on this machine, in a thread of its own; several may run at once.

    >>> with LittleWeb() as web:
    ...     web.url("wiki.localhost").startswith("http://wiki.localhost:"), web.visits
    (True, [])
    """

    def __init__(
        self,
        *,
        port: int = 0,
        seed: int = 1,
        size: int = 24,
        latency: float = 0.0,
        search_latency: float = 0.0,
        log: Path | None = None,
        generated: bool = True,
    ) -> None:
        """`size` is the number of topics; `latency` and `search_latency` are the seconds of a page and of a search.

        Without `generated` it holds nothing but what is mounted by `serve`.

        Raises:
            ConfigurationError: the log cannot be written.
        """
        super().__init__(port=port)
        self._seed = seed
        self._size = size
        self._generated = generated
        self.latency = latency
        """Seconds that each page takes, robots.txt excluded."""
        self._search_latency = search_latency
        self._slow: dict[str, float] = {}
        self._folders: dict[str, Folder] = {}
        self._log = Log(log)
        self._held.callback(self._log.close)

    @property
    def search(self) -> SearchServer:
        """The search engine, which speaks the formats of all providers."""
        return self._search

    def url(self, host: str, path: str = "/") -> str:
        """The address of a path of a site."""
        return f"http://{host}:{self._port}{path}"

    @cached_property
    def world(self) -> World:
        """What is true of the generated pages."""
        return World(port=self._port, seed=self._seed, size=self._size)

    @property
    def visits(self) -> list[Visit]:
        """Every request so far, those under way included; searches are none."""
        return list(self._log.visits)

    def slow(self, url: str, seconds: float) -> None:
        """Let a page take so long."""
        host, _, target = url.removeprefix("http://").partition("/")
        self._slow[f"{host.partition(':')[0]}/{target}"] = seconds

    def serve(self, root: Path, *, host: str, names: Iterable[str] | None = None) -> str:
        """Mount a folder of files as a site, each file at the path that is its name; the address of the site.

        Args:
            names: Those that are served, relative to `root`; without them, all that can be read.
        """
        self._folders[host] = Folder.of(host, root, names=names)
        self.__dict__.pop("_ranking", None)
        return self.url(host, "")

    def entries(self) -> list[Entry]:
        """What the search engine knows."""
        found = self.world.entries() if self._generated else []
        for host, folder in self._folders.items():
            found += folder.entries(self.url(host, ""))
        return found

    def rank(self, query: str, limit: int) -> list[Entry]:
        """What the search engine finds, best first."""
        return self._ranking(query, limit)

    def environment(self) -> dict[str, str]:
        """Settings under which `fathom research … --web` asks this web and no other."""
        from fathom_testing.search_server.wires import NAMES

        return {
            "FATHOM_SEARCH": "searxng",
            "FATHOM_PRIVATE_HOSTS": f"*.localhost:{self._port}",
            "FATHOM_PAGE_DELAY": "0",
            "FATHOM_SEARCH_RATES": json.dumps(dict.fromkeys(NAMES, 1000)),
            **{f"FATHOM_{name.upper()}_BASE_URL": self._search.base(name) for name in NAMES},
            **{f"FATHOM_{name.upper()}_API_KEY": "no-key" for name in _WITH_KEY},
        }

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking(self.entries())

    def __enter__(self) -> Self:
        """Start to listen, and let itself be searched.

        Raises:
            ConfigurationError: the port is taken.
        """
        super().__enter__()
        from fathom_testing.search_server import SearchServer  # it knows our entries: neither can come first

        self._search = self._held.enter_context(SearchServer(self.rank, latency=self._search_latency))
        return self

    async def _respond(self, connection: Connection, asked: Asked) -> None:
        place = asked.headers.get("host", "").lower()
        host, target = place.partition(":")[0], f"{asked.path}?{asked.query}" if asked.query else asked.path
        now = time.monotonic() - self._began
        visit = Visit(len(self._log.visits) + 1, host, target, f"http://{place}{target}", now)
        visit.method, visit.headers = asked.method, asked.headers
        self._log.visits.append(visit)
        if asked.path != "/robots.txt":
            await connection.wait(self._slow.get(host + target, self.latency))
        if host == HOSTILE and (attack := attack_at(asked.path)):
            return await attack(connection, asked)
        page = self._find(host, target) if asked.method in ("GET", "HEAD") else LittlePage(host, target, status=405)
        await self._answer(connection, asked, visit, page or LittlePage(host, target, body=_MISSING, status=404))
        return self._log.end(visit, time.monotonic() - self._began)

    def _find(self, host: str, target: str) -> LittlePage | None:
        path = target.partition("?")[0]
        if folder := self._folders.get(host):
            return folder.page(path)
        if is_bulk(host):
            return bulk_page(host, path)
        return self.world.find(host, target) if self._generated else None

    async def _answer(self, connection: Connection, asked: Asked, visit: Visit, page: LittlePage) -> None:
        headers = {"content-type": page.content_type, "etag": page.etag, **dict(page.headers)}
        since = asked.headers.get("if-modified-since")
        known = asked.headers.get("if-none-match") == page.etag or (since and since == headers.get("last-modified"))
        visit.status = 304 if known and page.status == 200 else page.status
        visit.size = len(page.body) if visit.status != 304 and asked.method == "GET" else 0
        if visit.status != 304:
            headers["content-length"] = str(len(page.body))
        connection.open(visit.status, headers)
        if visit.size:
            connection.write(page.body)
        await connection.drain()


_MISSING = b"<!DOCTYPE html><title>404 Not Found</title><h1>Not Found</h1><p>There is no such page.</p>"
