"""The little web as a server: many sites below `.localhost` on one port, and a search engine that knows them."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from fathom.errors import ConfigurationError
from fathom.testing.hostile import attack_at
from fathom.testing.little_web.bulk import bulk_page, is_bulk
from fathom.testing.little_web.folder import Folder
from fathom.testing.little_web.log import Log, Visit
from fathom.testing.little_web.page import LittlePage
from fathom.testing.little_web.ranking import Entry, Ranking
from fathom.testing.little_web.world import World
from fathom.testing.model_server.http import Asked, Connection

if TYPE_CHECKING:
    from fathom.testing.search_server import SearchServer

HOSTILE = "hostile.localhost"
"""Where every path is an attack of `fathom.testing.hostile`: `/bomb`, `/endless`, `/chain/12`."""
_PROVIDERS = "arxiv brave duckduckgo exa openalex pubmed searxng semantic_scholar serper tavily wikipedia".split()
_WITH_KEY = "brave exa serper tavily".split()


class LittleWeb:
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
        self._port = port
        self._seed = seed
        self._size = size
        self._generated = generated
        self.latency = latency
        """Seconds that each page takes, robots.txt excluded."""
        self._search_latency = search_latency
        self._open = ExitStack()
        self._slow: dict[str, float] = {}
        self._folders: dict[str, Folder] = {}
        self._log = Log(log)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ready = threading.Event()
        self._failure: OSError | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="little-web", daemon=True)

    @property
    def port(self) -> int:
        """The port of all sites."""
        return self._port

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
        return {
            "FATHOM_SEARCH": "searxng",
            "FATHOM_PRIVATE_HOSTS": f"*.localhost:{self._port}",
            "FATHOM_PAGE_DELAY": "0",
            "FATHOM_SEARCH_RATES": json.dumps(dict.fromkeys(_PROVIDERS, 1000)),
            **{f"FATHOM_{name.upper()}_BASE_URL": self._search.base(name) for name in _PROVIDERS},
            **{f"FATHOM_{name.upper()}_API_KEY": "no-key" for name in _WITH_KEY},
        }

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking(self.entries())

    def __enter__(self) -> LittleWeb:
        """Start to listen.

        Raises:
            ConfigurationError: the port is taken.
        """
        self._thread.start()
        self._ready.wait()
        if self._failure:
            self._log.close()
            raise ConfigurationError(f"The port {self._port} cannot be used: {self._failure}.") from self._failure
        from fathom.testing.search_server import SearchServer  # it knows our entries: neither can come first

        self._search = self._open.enter_context(SearchServer(self.rank, latency=self._search_latency))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._log.close()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._began = time.monotonic()
        try:
            server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, backlog=512, limit=2**18)
        except OSError as error:
            self._failure = error
            self._ready.set()
            return
        self._port = server.sockets[0].getsockname()[1]
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
            while asked := await connection.read():
                await self._respond(connection, asked)
        except ValueError:
            await connection.send(400, b"")
        finally:
            connection.close()

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
