"""Has Tavily read pages (https://docs.tavily.com/documentation/api-reference/endpoint/extract), several in one call."""

from __future__ import annotations

import asyncio

from pydantic import OnErrorOmit

from fathom.browsing import ArchivedPage, WebRules, barred
from fathom.errors import NoEvidence, PageRefused
from fathom.outcomes import in_thread, settle
from fathom.pages.direct import page_of
from fathom.pages.fetch import Fetched
from fathom.pages.guard import Address, AddressGuard, PrivateHosts
from fathom.ports.web import Page
from fathom.services.http import Reply
from fathom.services.tavily import TAVILY
from fathom.settings import Settings
from fathom.text.harmless import inert, inert_lines
from fathom.urls import canonical_url, page_key

MOST = 20
"""Addresses of one call."""
GATHER = 0.02
"""Seconds for which a call waits for further addresses."""
_NAMES_OF_NETWORKS = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test", ".invalid", ".onion")


class _Result(Reply):
    url: str
    raw_content: str | None = None
    """Markdown."""


class _Failed(Reply):
    url: str
    error: str = ""


class _Extracted(Reply):
    results: list[OnErrorOmit[_Result]]
    failed_results: list[OnErrorOmit[_Failed]] = []


class TavilyReader:
    """Tells Tavily the addresses of pages and quotes what it sends back, which is Markdown.

    It is told no address that is off the public internet, or that the operator has opened for this machine alone.
    """

    name = "tavily"

    def __init__(self, settings: Settings, rules: WebRules, *, first_wait: float = 0.5, gather: float = GATHER) -> None:
        """Nothing is opened before the first page.

        Raises:
            ConfigurationError: the key is missing.
        """
        self._service = TAVILY.open(
            settings,
            timeout=settings.page_timeout,
            first_wait=first_wait,
            largest=settings.page_max_bytes,
        )
        self._rules = rules
        self._guard = AddressGuard(PrivateHosts(settings.private_hosts))
        self._gather = gather
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._gathering: asyncio.Task[None] | None = None
        self._calls: set[asyncio.Task[None]] = set()

    async def read(self, url: str, *, known: ArchivedPage | None = None) -> Page | None:
        """The page, read anew: Tavily does not tell whether it is still what is `known`.

        Raises:
            PageRefused: it may not be read, or Tavily may not know of it.
            NoEvidence: it could not be read, or what came cannot be quoted.
            ProviderError: Tavily gives no usable answer.
        """
        del known
        self._admit(url)
        asked = canonical_url(url)
        text = await self._text(asked)
        return await in_thread(_page, asked, text)

    async def close(self) -> None:
        """Let go of the connections and of what is still asked for."""
        tasks = [*self._calls, *filter(None, (self._gathering,))]
        for task in tasks:
            task.cancel()
        for future in self._waiting.values():
            future.cancel()
        self._waiting, self._gathering = {}, None
        await asyncio.gather(*tasks, return_exceptions=True)
        self._guard.close()
        await self._service.close()

    def _admit(self, url: str) -> None:
        """Refuse what may not be read, and what is nobody else's business."""
        address = Address.parse(url)
        where = str(address)
        if self._guard.opened(address.host, address.port):
            raise PageRefused(f"{where} is in private_hosts, so Tavily is not told of it: read it with another reader.")
        self._guard.check(address.host, address.port)
        if address.ip is None and ("." not in address.host or address.host.endswith(_NAMES_OF_NETWORKS)):
            raise PageRefused(f"{where} is no address of the public internet, so Tavily is not told of it.")
        if reason := barred(where, self._rules):
            raise PageRefused(f"{where} is not read: {reason}.")

    async def _text(self, url: str) -> str:
        """The text of a page, asked for together with others that are wanted at the same time."""
        if (future := self._waiting.get(url)) is None:
            future = self._waiting[url] = asyncio.get_running_loop().create_future()
            if len(self._waiting) == MOST:
                self._send()
            elif self._gathering is None:
                self._gathering = asyncio.create_task(self._send_soon())
        return await asyncio.shield(future)  # another reader may want it still

    async def _send_soon(self) -> None:
        await asyncio.sleep(self._gather)
        self._gathering = None
        self._send()

    def _send(self) -> None:
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        batch, self._waiting = self._waiting, {}
        if batch:
            task = asyncio.create_task(self._extract(batch))
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)

    async def _extract(self, batch: dict[str, asyncio.Future[str]]) -> None:
        """Ask for a batch, and tell each who waits what became of it."""
        try:
            reply = await self._service.post(
                "/extract", _Extracted, json={"urls": list(batch), "extract_depth": "basic", "format": "markdown"}
            )
            texts = {_key(result.url): result.raw_content for result in reply.results if result.raw_content}
            reasons = {_key(failed.url): failed.error for failed in reply.failed_results}
            for url, future in batch.items():
                key = _key(url)
                if key in texts:
                    settle(future, texts[key])
                elif key in reasons:
                    reason = inert(reasons[key], width=120) or "it does not say why"
                    _fail(future, NoEvidence(f"{url}: Tavily could not read it ({reason})"))
                else:
                    _fail(future, self._service.malformed("it says nothing of a page that it was asked for"))
        except asyncio.CancelledError:
            for future in batch.values():
                future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it is told to whoever waits
            for future in batch.values():
                _fail(future, error)


def _fail(future: asyncio.Future[str], error: Exception) -> None:
    settle(future, error)
    future.exception()  # who waited may have gone meanwhile, and then nobody asks for it


def _key(url: str) -> str:
    """What the address that was asked for shares with the one that comes back."""
    try:
        return page_key(url)
    except ValueError:
        return url


def _page(url: str, text: str) -> Page:
    """A page of the text that Tavily has made of it.

    Raises:
        NoEvidence: it cannot be quoted.
    """
    text = inert_lines("\n".join(text.splitlines())).strip()
    fetched = Fetched(url, 200, "text/markdown", "utf-8", text.encode("utf-8", "replace"), {})
    return page_of(fetched, url=url)
