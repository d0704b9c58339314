"""The web as an earlier run has read it: searched and read out of the archive, without a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fathom.browsing import ArchivedPage, SearchHit, SearchResults, WebQuery, barred
from fathom.errors import NotFound, PageRefused
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.ports.web import Page, PageArchive

NAME = "archive"
"""Of the provider of searches and of the page reader."""
_PASSAGES_PER_HIT = 20
_SNIPPET = 300


class ArchiveSearch:
    """Finds the pages of a run that answer a query best. A `WebSearch`."""

    name = NAME
    cost_usd = 0.0
    address = ""

    def __init__(self, archive: PageArchive, pages: Mapping[str, ArchivedPage]) -> None:
        """`pages` are those that may be found, by the address that was asked for."""
        self._archive = archive
        self._pages = pages

    async def search(self, query: WebQuery) -> SearchResults:
        """At most `query.limit` pages, those with the best passages first."""
        pages: dict[str, list[ArchivedPage]] = {}
        for page in self._pages.values():
            if _is_wanted(page, query):
                pages.setdefault(page.document.sha256, []).append(page)
        found = await self._archive.search(
            Query(text=query.text), within=list(pages), limit=_PASSAGES_PER_HIT * query.limit
        )
        hits: dict[str, SearchHit] = {}
        for passage in found.passages:
            for page in pages[passage.document]:
                hit = SearchHit(
                    url=page.url,
                    title=page.document.title,
                    snippet=" ".join(passage.text.split())[:_SNIPPET],
                    score=round(passage.score / found.passages[0].score, 6),
                    published=page.document.published,
                )
                hits.setdefault(page.url, hit)
        return SearchResults(provider=self.name, hits=tuple(hits.values())[: query.limit])

    async def close(self) -> None:
        """Nothing of its own is held open."""


def _is_wanted(page: ArchivedPage, query: WebQuery) -> bool:
    published = page.document.published
    return not barred(page.url, query) and not (query.since and published and published < query.since)


class NoReader:
    """Reads nothing: what may be read is in the archive. A `PageReader`."""

    name = NAME

    def __init__(self, run_id: str) -> None:
        """`run_id` names the run whose pages are all there is."""
        self._run_id = run_id

    async def read(self, url: str, *, known: ArchivedPage | None = None) -> Page | None:  # noqa: ARG002
        """Never a page.

        Raises:
            PageRefused: always.
        """
        raise PageRefused(f"{url} is none of the pages that {self._run_id} has read, and no other is read offline.")

    async def close(self) -> None:
        """Nothing is held open."""


class FrozenArchive:
    """The archive as a run has left it: its pages as they were then, and no others. A `PageArchive`."""

    def __init__(self, archive: PageArchive, pages: Mapping[str, ArchivedPage]) -> None:
        """`pages` are those of the run, by the address that was asked for."""
        self._archive = archive
        self._pages = pages
        self._digests = {page.document.sha256 for page in pages.values()}

    async def results(self, request: str, *, since: str) -> None:
        """Never any: to search the archive again costs nothing."""

    async def keep_results(self, request: str, results: SearchResults) -> None:
        """Nothing is kept: the same search finds the same."""

    async def page(self, url: str) -> ArchivedPage | None:
        """The page as the run has read it, whatever it has become since."""
        page = self._pages.get(url)
        return page and page.model_copy(update={"cached": True})

    async def keep_page(self, page: Page) -> ArchivedPage:
        """Nothing is kept.

        Raises:
            PageRefused: always.
        """
        raise PageRefused(f"{page.url} was read while nothing may be read but what an earlier run has read.")

    async def confirm_page(self, url: str, *, at: str) -> ArchivedPage:  # noqa: ARG002
        """The page as the run has read it."""
        page = await self.page(url)
        if page is None:
            raise NotFound(f"The run has not read {url[:200]}.")
        return page

    async def describe(self, query: str, *, within: Sequence[str]) -> SourceDescription:
        """What a planner may know of those of the snapshots `within` that are the run's."""
        return await self._archive.describe(query, within=self._own(within))

    async def search(self, query: Query, *, within: Sequence[str], limit: int) -> Retrieval:
        """At most `limit` passages of those of the snapshots `within` that are the run's, best first."""
        return await self._archive.search(query, within=self._own(within), limit=limit)

    async def snapshot(self, sha256: str) -> str:
        """The whole text of a page."""
        return await self._archive.snapshot(sha256)

    async def close(self) -> None:
        """Let go of the archive."""
        await self._archive.close()

    def _own(self, digests: Sequence[str]) -> list[str]:
        return [digest for digest in digests if digest in self._digests]
