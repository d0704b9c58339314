"""A simulated web: providers, pages and an archive in memory, in which every query finds something."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from fathom.browsing import ArchivedPage, SearchHit, SearchResults, WebQuery, WebRules
from fathom.errors import NoEvidence, NotFound, ProviderError, Unavailable
from fathom.evidence import Block, Document, Passage, Query, Retrieval, SourceDescription, text_digest
from fathom.ports.web import Page, Web
from fathom.publishers import nature_of
from fathom.reading.document import ReadDocument
from fathom.reading.plain import PlainParser
from fathom.text.analysis import query_terms, terms
from fathom.text.likeness import signature
from fathom.urls import canonical_url, site_of
from tests.support.doubles.reasoner import Latency, no_latency, share
from tests.support.doubles.retriever import WORDS

AT = "2026-01-01T00:00:00+00:00"


class SimulatedSearch:
    """Finds pages by the words of the query alone. `asked` lists what it was asked for, in order."""

    def __init__(
        self,
        name: str = "alpha",
        *,
        pages: int = 60,
        sites: int = 12,
        cost_usd: float = 0.0,
        latency: Latency = no_latency,
        failing: Callable[[str], bool] | bool = False,
        hits: Callable[[WebQuery], Sequence[SearchHit]] | None = None,
    ) -> None:
        """`failing` queries have no answer; `hits` replaces what is found."""
        self.name = name
        self.cost_usd = cost_usd
        self.address = f"https://{name}.example"
        self.latency = latency
        self.failing = failing
        self.asked: list[WebQuery] = []
        self._pages = pages
        self._sites = sites
        self._hits = hits or self._found

    async def search(self, query: WebQuery) -> SearchResults:
        """Some of the pages, chosen by the words of the query alone."""
        self.asked.append(query)
        await asyncio.sleep(self.latency(f"web_search {self.name}", query.text))
        if self.failing(query.text) if callable(self.failing) else self.failing:
            raise Unavailable(f"The simulated provider {self.name} fails.")
        return SearchResults(provider=self.name, hits=tuple(self._hits(query)), cost_usd=self.cost_usd)

    def _found(self, query: WebQuery) -> list[SearchHit]:
        numbers = random.Random(f"{self.name} {query.text}").sample(range(self._pages), min(query.limit, self._pages))
        return [
            SearchHit(
                url=address(number, sites=self._sites),
                title=f"Page {number}",
                snippet=text_of(address(number, sites=self._sites))[:80],
                score=round(1 - rank / 10, 2),
            )
            for rank, number in enumerate(numbers)
        ]

    async def close(self) -> None:
        """Nothing is held open."""


def address(number: int, *, sites: int = 12) -> str:
    """The address of a simulated page."""
    return f"https://site{number % sites}.example/page/{number}"


@cache
def text_of(url: str) -> str:
    """What a simulated page says: the same at every time."""
    chance = random.Random(url)
    number = url.rpartition("/")[2]
    paragraphs = []
    for part in range(4):
        a, b, c, d = chance.sample(WORDS, 4)
        paragraphs.append(
            f"On page {number} the {a} of part {part} holds {chance.randrange(100, 999)} units of {b}. "
            f"It was measured {chance.randrange(2, 99)} times between the {c} and the {d}. "
            f"The {d} is told of elsewhere, and so is the {a}."
        )
    return "\n\n".join(paragraphs)


@cache
def _content(text: str) -> ReadDocument:
    return ReadDocument(text=text, title="", markup="plain", blocks=PlainParser(text).parse())


_likeness = cache(signature)


@cache
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


class SimulatedReader:
    """Reads simulated pages. `asked` lists the addresses that it was asked for, in order."""

    name = "simulated"

    def __init__(
        self,
        *,
        latency: Latency = no_latency,
        faults: float = 0.0,
        texts: Mapping[str, str] | None = None,
        published: Mapping[str, str] | None = None,
        errors: Mapping[str, ProviderError] | None = None,
    ) -> None:
        """`faults` is the share of pages that cannot be read: half of them for good, half for want of a connection."""
        self.latency = latency
        self.faults = faults
        self.texts = dict(texts or {})
        self.published = dict(published or {})
        self.errors = dict(errors or {})
        self.asked: list[str] = []
        self.known: list[str] = []
        """Addresses that were asked for under the condition that they have changed."""

    async def read(self, url: str, *, known: ArchivedPage | None = None) -> Page | None:
        """The page; `None` when it is `known`, for simulated pages change only where `texts` says so."""
        self.asked.append(url)
        await asyncio.sleep(self.latency("read", url))
        if url in self.errors:
            raise self.errors[url]
        chance = share("read", url)
        if chance < self.faults:
            raise NoEvidence("it holds nothing to read") if chance < self.faults / 2 else Unavailable("no connection")
        text = self.texts.get(url) or text_of(url)
        if known is not None:
            self.known.append(url)
            if known.document.sha256 == text_digest(text):
                return None
        return Page(
            url=url,
            address=url,
            content=_content(text),
            title=f"Page at {url}",
            language="en",
            retrieved_at=AT,
            published=self.published.get(url, ""),
            nature=nature_of(url),
            likeness=_likeness(text),
        )

    async def close(self) -> None:
        """Nothing is held open."""


class SimulatedArchive:
    """An archive in memory; what it has kept is gone with it."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[str, SearchResults]] = {}
        """Searches by their digest, with the time."""
        self.pages: dict[str, ArchivedPage] = {}
        self.texts: dict[str, str] = {}
        self.blocks: dict[str, tuple[Block, ...]] = {}
        self.documents: dict[str, Document] = {}
        self.searched = 0

    async def results(self, request: str, *, since: str) -> SearchResults | None:
        """What was kept for the request, unless it is older."""
        at, results = self.kept.get(request, ("", None))
        return results if at >= since else None

    async def keep_results(self, request: str, results: SearchResults) -> None:
        """Keep what was found."""
        self.kept[request] = ("9999", results)

    async def page(self, url: str) -> ArchivedPage | None:
        """The newest reading of an address."""
        return self.pages.get(url)

    async def keep_page(self, page: Page) -> ArchivedPage:
        """Keep a page."""
        sha256 = text_digest(page.content.text)
        document = Document(
            sha256=sha256,
            uri=page.address,
            title=page.title,
            kind="web",
            language=page.language,
            retrieved_at=page.retrieved_at,
            published=page.published,
            nature=page.nature,
            site=site_of(page.address),
        )
        self.texts[sha256], self.blocks[sha256] = page.content.text, page.content.blocks
        self.documents.setdefault(sha256, document)
        self.pages[page.url] = ArchivedPage(
            document=document,
            url=page.url,
            characters=len(page.content.text),
            likeness=page.likeness,
            links=page.links,
        )
        return self.pages[page.url]

    async def confirm_page(self, url: str, *, at: str) -> ArchivedPage:
        """Note that a page is still what it was."""
        if url not in self.pages:
            raise NotFound(f"{url} was never read.")
        page = self.pages[url]
        document = page.document.model_copy(update={"retrieved_at": at})
        self.pages[url] = page.model_copy(update={"document": document})
        return self.pages[url]

    async def describe(self, query: str, *, within: Sequence[str]) -> SourceDescription:
        """How many of the paragraphs hold each term of the query."""
        paragraphs = [_terms(passage.text) for passage in self._passages(within)]
        return SourceDescription(
            name="web",
            kind="web",
            documents=len(set(within)),
            passages=len(paragraphs),
            term_passages={term: sum(term in held for held in paragraphs) for term in query_terms(query)},
        )

    async def search(self, query: Query, *, within: Sequence[str], limit: int) -> Retrieval:
        """Some paragraphs, chosen by the words of the query and the pages alone."""
        self.searched += 1
        passages = self._passages(within)
        chosen = random.Random(query.text).sample(passages, min(limit, len(passages)))
        documents = {passage.document: self.documents[passage.document] for passage in chosen}
        return Retrieval(documents=tuple(documents.values()), passages=tuple(chosen))

    def _passages(self, within: Sequence[str]) -> list[Passage]:
        return [
            Passage(
                document=sha256,
                start=block.start,
                end=block.end,
                text=self.texts[sha256][block.start : block.end],
                blocks=(block,),
            )
            for sha256 in sorted(set(within))
            for block in self.blocks[sha256]
        ]

    async def snapshot(self, sha256: str) -> str:
        """The text of a page."""
        if sha256 not in self.texts:
            raise NotFound(f"No page {sha256[:12]}.")
        return self.texts[sha256]

    async def close(self) -> None:
        """Nothing is held open."""


def simulated_web(
    *searches: SimulatedSearch,
    fallbacks: Sequence[SimulatedSearch] = (),
    reader: SimulatedReader | None = None,
    archive: Any = None,
    keep_pages: float | None = None,
    **rules: Any,
) -> Web:
    """A web of simulated parts: one provider and an empty archive where none are given."""
    searches = searches or (SimulatedSearch(),)
    return Web(
        WebRules(
            search=tuple(each.name for each in searches),
            fallback=tuple(each.name for each in fallbacks),
            reader=SimulatedReader.name,
            **rules,
        ),
        searches=searches,
        fallbacks=fallbacks,
        reader=reader or SimulatedReader(),
        archive=SimulatedArchive() if archive is None else archive,
        keep_pages=keep_pages,
    )


def hit(url: str, title: str = "", **fields: Any) -> SearchHit:
    """A page that a provider has found, under the address as it is written."""
    return SearchHit(url=canonical_url(url), title=title or url, **fields)
