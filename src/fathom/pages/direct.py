"""Reads pages as their servers send them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from fathom.browsing import ArchivedPage, WebRules
from fathom.errors import NoEvidence, Unreadable
from fathom.evidence import now
from fathom.outcomes import in_thread_of
from fathom.pages.evidence import NeedsScripts, PageReading
from fathom.pages.fetch import Fetched, Fetcher
from fathom.ports.web import Page
from fathom.reading import bounded
from fathom.settings import Settings
from fathom.text.harmless import inert
from fathom.text.likeness import signature

_AT_ONCE = 2
_LARGE = 2_000_000
"""Bytes from which a page is read when no other large one is: its tree takes ten times as much memory."""
_SECONDS = 30.0
"""Of CPU that reading a page may take."""


class DirectReader:
    """Fetches a page and reads it; no script of it runs."""

    name = "direct"

    def __init__(self, settings: Settings, rules: WebRules, *, fetcher: Fetcher | None = None) -> None:
        """`fetcher` is closed with the reader.

        Raises:
            ConfigurationError: a setting of pages is wrong.
        """
        self.fetcher = fetcher or Fetcher(settings, rules=rules)
        """What brings its pages."""
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="fathom-pages")
        self._large = asyncio.Lock()
        self._is_warm = False

    async def read(self, url: str, *, known: ArchivedPage | None = None) -> Page | None:
        """The page, read anew; `None` when its server says that it is still what is `known`.

        Raises:
            PageRefused: it may not be read.
            PageTooLarge: it is larger, or takes longer, than is allowed.
            NoEvidence: what came cannot be quoted: an error page, a consent wall, nothing to read.
            ProviderError: it cannot be had.
        """
        self._warm()
        etag, last_modified = (known.etag, known.last_modified) if known else ("", "")
        fetched = await self.fetcher.fetch(url, etag=etag, last_modified=last_modified)
        return await self.read_fetched(fetched, url=url) if fetched else None

    async def read_fetched(self, fetched: Fetched, *, url: str) -> Page:
        """What was fetched, as a page.

        Raises:
            NoEvidence: nothing of it could be quoted.
        """
        if len(fetched.body) < _LARGE:
            return await self._in_a_thread(fetched, url)
        async with self._large:
            return await self._in_a_thread(fetched, url)

    async def _in_a_thread(self, fetched: Fetched, url: str) -> Page:
        return await in_thread_of(self._threads, partial(page_of, fetched, url=url))

    def _warm(self) -> None:
        """Start what reads pages while the first of them is on its way: it takes longer than to read one."""
        if not self._is_warm:
            self._is_warm = True
            self._threads.submit(bounded.ask, bool, "fathom.pages.reading:warm")

    async def close(self) -> None:
        """Let go of what it holds open; a page that is being read is read to its end, for nobody."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self.fetcher.close()


def page_of(fetched: Fetched, *, url: str) -> Page:
    """The page that was found at `url`; it is read in a process of its own.

    Raises:
        NoEvidence: nothing of it could be quoted.
    """
    last_modified = fetched.headers.get("last-modified", "")
    try:
        found = bounded.ask(
            PageReading,
            "fathom.pages.reading:read",
            fetched.body,
            seconds=_SECONDS,
            raises=(NoEvidence, NeedsScripts),
            media_type=fetched.media_type,
            address=fetched.address,
            charset=fetched.charset,
            last_modified=last_modified,
        )
    except (NoEvidence, Unreadable) as error:
        kind = type(error) if isinstance(error, NoEvidence) else NoEvidence
        raise kind(f"{url} is no evidence: {error}.") from error
    return Page(
        url=url,
        address=found.address,
        content=found.content,
        title=inert(found.title, width=300) or url,
        language=found.language,
        retrieved_at=now(),
        published=found.published,
        nature=found.nature,
        etag=fetched.headers.get("etag", ""),
        last_modified=last_modified,
        likeness=signature(found.content.text),
        links=found.links,
    )
