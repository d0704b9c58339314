"""The promises between the engine and whatever searches, reads and remembers the web."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fathom.browsing import ArchivedPage, PageLink, SearchResults, WebQuery, WebRules
from fathom.evidence import Query, Retrieval, SourceDescription, SourceNature
from fathom.reading.document import ReadDocument


class WebSearch(Protocol):
    """A provider of searches."""

    name: str
    """Its name in the settings: `tavily`."""
    cost_usd: float
    """What one search costs, in US dollars."""
    address: str
    """Where it is asked."""

    async def search(self, query: WebQuery) -> SearchResults:
        """At most `query.limit` hits, best first.

        Raises:
            RateLimited: it asks us to wait; a wait that is short is already over.
            Unauthorized: the key is wrong.
            ProviderError: no usable answer.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...


@dataclass(frozen=True)
class Page:
    """A page as it was read."""

    url: str
    """The address that was asked for, as `canonical_url` writes it."""
    address: str
    """Where it was found in the end, behind all redirects."""
    content: ReadDocument
    """Its text, which becomes the snapshot, and its structure."""
    title: str
    """Its title."""
    language: str
    """ISO 639-1 code; `und` when not known."""
    retrieved_at: str
    """When it was read: ISO 8601, UTC."""
    published: str = ""
    """When it was published or changed last (ISO 8601 date); empty when not known."""
    nature: SourceNature = "other"
    """Who speaks there."""
    etag: str = ""
    last_modified: str = ""
    """What its server calls this version; sent back when the page is asked for again."""
    likeness: str = ""
    """What near-copies of its text share (see `fathom.text.likeness`)."""
    links: tuple[PageLink, ...] = ()
    """Where its main text leads, in its order."""


class PageReader(Protocol):
    """Turns an address into text that can be quoted."""

    name: str
    """Its name in the settings: `direct`."""

    async def read(self, url: str, *, known: ArchivedPage | None = None) -> Page | None:
        """The page, read anew; `None` when its server says that it is still what is `known`.

        Raises:
            PageRefused: it may not be read.
            PageTooLarge: it is larger, or takes longer, than is allowed.
            NoEvidence: what came cannot be quoted: an error page, a consent wall, nothing to read.
            ProviderError: it cannot be had.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...


class PageArchive(Protocol):
    """Remembers searches and pages, for all runs. What a method has returned from is durable."""

    async def results(self, request: str, *, since: str) -> SearchResults | None:
        """What was found for the request with that digest; `None` if nothing was.

        Args:
            since: ISO 8601, UTC; what is older does not count.
        """
        ...

    async def keep_results(self, request: str, results: SearchResults) -> None:
        """Remember what was found."""
        ...

    async def page(self, url: str) -> ArchivedPage | None:
        """The newest reading of an address, as `canonical_url` writes it; `None` when it was never read."""
        ...

    async def keep_page(self, page: Page) -> ArchivedPage:
        """Remember a page. Its snapshot is kept for good, also when the page is read anew and has changed."""
        ...

    async def confirm_page(self, url: str, *, at: str) -> ArchivedPage:
        """Remember that the page's server has said `at` that time that it is still as it was read last.

        Raises:
            NotFound: it was never read.
        """
        ...

    async def describe(self, query: str, *, within: Sequence[str]) -> SourceDescription:
        """What a planner may know of the snapshots `within` (their `sha256`), as a source describes itself."""
        ...

    async def search(self, query: Query, *, within: Sequence[str], limit: int) -> Retrieval:
        """At most `limit` passages of the snapshots `within` (their `sha256`), best first, each text once.

        What is found depends on these snapshots alone. Of a text with several addresses, one of them is named.

        Raises:
            StoreError: its file cannot be read.
        """
        ...

    async def snapshot(self, sha256: str) -> str:
        """The whole text of a page.

        Raises:
            NotFound: no such snapshot.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds open."""
        ...


@dataclass(frozen=True)
class Web:
    """The web as a run may use it."""

    rules: WebRules
    """What may be asked and read."""
    searches: Sequence[WebSearch]
    """Asked at once."""
    fallbacks: Sequence[WebSearch]
    """Asked one after the other when none of the first has an answer."""
    reader: PageReader
    archive: PageArchive
    keep_searches: float = 24 * 3600.0
    """Seconds for which a search is not asked again."""
    keep_pages: float | None = None
    """Seconds for which a page is not asked for again; `None` is for good."""
    is_private: Callable[[str], bool] = lambda _: False
    """Whether an address is of a host that the operator has opened: no page of the public internet may lead there."""
