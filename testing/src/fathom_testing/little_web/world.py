"""Everything that the little web holds, and what is true of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

from fathom_testing.little_web import sites
from fathom_testing.little_web.chrome import dressed
from fathom_testing.little_web.content import html_of, paragraph
from fathom_testing.little_web.feeds import feeds
from fathom_testing.little_web.japanese import japanese
from fathom_testing.little_web.page import LittlePage
from fathom_testing.little_web.ranking import Entry
from fathom_testing.little_web.topics import Fact, Topic, topics
from fathom_testing.little_web.traps import Trap, traps
from fathom_testing.little_web.walls import HOST as WALLS
from fathom_testing.little_web.walls import SCRIPTED, scripted, walls
from fathom_testing.little_web.words import Words

MOVED = "old.localhost"
"""Where addresses lead elsewhere: `/wiki/…` in one step, `/hops/N` in N, `/loop` nowhere."""
ROBOTS = "User-agent: *\nDisallow: /private/\n"


class _Made(NamedTuple):
    """What does not depend on the port."""

    topics: tuple[Topic, ...]
    pages: tuple[LittlePage, ...]
    traps: tuple[Trap, ...]
    walls: tuple[str, ...]
    japanese: tuple[Fact, ...]


class World:
    """The pages of the little web at one port, the same for the same seed."""

    def __init__(self, *, port: int, seed: int = 1, size: int = 24) -> None:
        """`size` is the number of topics; each has eleven pages."""
        made = _made(seed, size)
        self.port = port
        self.topics = made.topics
        """What is written about."""
        self.traps = made.traps
        """Pages that try to command."""
        self.walls = tuple(self.url(WALLS, f"/{name}") for name in made.walls)
        """Addresses of pages that hold nothing to quote, though searches promise it."""
        self.scripted = tuple(self.url(page.host, page.path) for page in made.pages if page.host == SCRIPTED)
        """Addresses of pages whose text only a browser sees."""
        self.private = tuple(self.url(page.host, page.path) for page in made.pages if page.path.startswith("/private/"))
        """Addresses that robots.txt forbids."""
        self._pages = {(page.host, page.path): page for page in made.pages}
        self.hosts = tuple(dict.fromkeys(page.host for page in made.pages))
        """Every site."""
        for host in (sites.HERALD, sites.UNIVERSITY):
            own = [page for page in made.pages if page.host == host and page.listed]
            for feed in feeds(sites.STYLES[host].site, host, self.url(host, ""), own):
                self._pages[feed.host, feed.path] = feed
        self.facts = self._held([fact for topic in made.topics for fact in topic.current] + list(made.japanese))
        """What is true now, with the pages that say so."""
        self.outdated = self._held([topic.old for topic in made.topics])
        """What was true before, with the pages that hold it, as news or as history; `Topic.new` has replaced it."""
        self.disputed = self._held([topic.wrong for topic in made.topics])
        """What some pages say against the second fact of a topic."""

    def url(self, host: str, path: str = "/") -> str:
        """The address of a path of a site."""
        return f"http://{host}:{self.port}{quote(path, safe='/?&=%')}"

    def fact(self, name: str) -> Fact:
        """The fact of that name."""
        return next(fact for fact in (*self.facts, *self.outdated, *self.disputed) if fact.name == name)

    def find(self, host: str, target: str) -> LittlePage | None:
        """What is at a path, query included; every other way to write the path of a page leads to it too."""
        host = host.removeprefix("www.")
        target = unquote(target)
        path = target.partition("?")[0]
        for each in (target, path, path.removesuffix("index.html"), path.rstrip("/"), f"{path}/"):
            if page := self._pages.get((host, each)):
                return page
        if host == MOVED:
            return self._moved(path)
        if path == "/robots.txt":
            return LittlePage(host, path, body=ROBOTS.encode(), content_type="text/plain")
        return self._front(host) if path == "/" and host in self.hosts else None

    def variants(self, url: str) -> tuple[str, ...]:
        """Other addresses of the same page."""
        host, path = url.removeprefix("http://").split("/", 1)
        plain = f"http://{host}/{path}"
        return (
            f"{plain}?utm_source=letter&utm_medium=mail",
            f"{plain}#history",
            f"http://www.{host}/{path}",
            f"HTTP://{host.upper()}/{path}?fbclid=1",
            plain.rstrip("/") if path.endswith("/") else f"{plain}/",
            *([f"{plain}index.html"] if path.endswith("/") else []),
        )

    def entries(self) -> list[Entry]:
        """What a search engine knows: every page with a text, walls and traps included."""
        return [
            Entry(self.url(page.host, page.path), page.title, page.text, page.published)
            for page in self._pages.values()
            if page.listed and page.text
        ]

    def _held(self, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """The facts with the pages that hold them."""
        pages = [page for page in self._pages.values() if page.text and page.host not in (WALLS, SCRIPTED)]
        own: defaultdict[str, list[str]] = defaultdict(list)
        known = list(facts)
        for page in pages:
            for fact in known:
                if fact.states(page.text):
                    own[fact.name].append(self.url(page.host, page.path))
        return tuple(replace(fact, pages=tuple(own[fact.name])) for fact in known)

    def _moved(self, path: str) -> LittlePage | None:
        first, _, rest = path.strip("/").partition("/")
        target = {
            "wiki": self.url(sites.WIKI, f"/wiki/{rest}"),
            "hops": f"/hops/{int(rest) - 1}" if rest.isdecimal() and int(rest) > 1 else f"/wiki/{self.topics[0].slug}",
            "loop": "/loop",
        }.get(first)
        if target is None:
            return None
        return LittlePage(MOVED, path, status=302 if first == "hops" else 301, headers=(("location", target),))

    def _front(self, host: str) -> LittlePage:
        links = "".join(
            f'<li><a href="{page.path}">{page.path}</a></li>' for page in self._pages.values() if page.host == host
        )
        return LittlePage(
            host, "/", host, f"<title>{host}</title><h1>{host}</h1><ul>{links}</ul>".encode(), listed=False
        )


@lru_cache(maxsize=4)
def _made(seed: int, size: int) -> _Made:
    words = Words(seed)
    things = topics(words, count=size)
    pages: list[LittlePage] = []
    for number, topic in enumerate(things):
        related = [things[(number + step) % size] for step in (1, 2, 5) if step < size]
        pages += sites.published(topic, related, words)
    trapped, walled = list(traps(things)), list(walls(things))
    japanese_pages, japanese_facts = japanese(seed)
    pages += [page for _, page in trapped]
    pages += [page for _, page in walled]
    pages += [*scripted(things[:3]), *japanese_pages, *map(_private, things[:2])]
    return _Made(
        tuple(things), tuple(pages), tuple(trap for trap, _ in trapped), tuple(name for name, _ in walled),
        tuple(japanese_facts),
    )  # fmt: skip


def _private(topic: Topic) -> LittlePage:
    said = [paragraph(f"Not for publication: the register of {topic.name}, with names and addresses.")]
    html = dressed(sites.STYLES[sites.OFFICE], title=f"File on {topic.name}", content=html_of(said))
    return LittlePage(
        sites.OFFICE, f"/private/{topic.slug}", f"File on {topic.name}", html.encode(), said[0].rows[0][0]
    )
