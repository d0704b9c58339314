"""Searches in Wikipedia, in the language of the question (https://www.mediawiki.org/wiki/API:Search)."""

from __future__ import annotations

import re

from fathom.browsing import WebQuery
from fathom.errors import ProviderError, RateLimited, Unavailable
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch, Words, agent
from fathom.services.http import Reply, Service
from fathom.services.terms import Terms
from fathom.settings import Settings
from fathom.text.harmless import inert

_MOST = 20
"""Articles whose beginning is told in one reply."""
_SNIPPET = 300
_SYNTAX = re.compile(r'[\\"~*?{}|:]|(?:^|(?<=\s))[-!]+|(?<=\w)!')
"""What would make an order of a query's words: `insource:/…/`, `-word`, `"…"`."""


class _Revision(Reply):
    timestamp: Words = ""


class _Page(Reply):
    fullurl: str
    index: int
    title: Words = ""
    extract: Words = ""
    revisions: list[_Revision] = []


class _Query(Reply):
    pages: Entries[_Page]


class _Failure(Reply):
    code: Words = ""
    info: Words = ""


class _Reply(Reply):
    batchcomplete: bool | None = None
    query: _Query | None = None
    """Left out when nothing was found."""
    error: _Failure | None = None


class Wikipedia(HttpSearch):
    """The articles of Wikipedia, or of another wiki of its kind."""

    terms = Terms(name="wikipedia", title="Wikipedia", address="https://en.wikipedia.org", per_second=5.0)
    longest = 300

    def __init__(self, settings: Settings, *, timeout: float = 20.0, first_wait: float = 0.5) -> None:
        super().__init__(settings, timeout=timeout, first_wait=first_wait)
        self._fixed = bool(settings.wikipedia_base_url)
        self._others: dict[str, Service] = {}

    @classmethod
    def headers(cls, settings: Settings) -> dict[str, str]:
        return agent(settings)

    async def close(self) -> None:
        await super().close()
        for service in self._others.values():
            await service.close()

    async def _found(self, query: WebQuery) -> list[RawHit]:
        words = " ".join(_SYNTAX.sub(" ", query.text).split())
        if not words:
            return []
        service = self._in(query.language)
        reply = await service.get(
            "/w/api.php",
            _Reply,
            params={
                "action": "query",
                "format": "json",
                "formatversion": "2",
                "generator": "search",
                "gsrsearch": words,
                "gsrlimit": str(min(query.limit, _MOST)),
                "gsrnamespace": "0",
                "prop": "info|extracts|revisions",
                "inprop": "url",
                "exintro": "1",
                "explaintext": "1",
                "exlimit": str(_MOST),
                "rvprop": "timestamp",
            },
        )
        if reply.error:
            raise _failure(reply.error, service)
        if reply.query is None and reply.batchcomplete is None:
            raise service.malformed("it says neither what was found nor that nothing was")
        pages = sorted(reply.query.pages if reply.query else (), key=lambda page: page.index)
        return [
            RawHit(
                page.fullurl,
                title=page.title,
                snippet=page.extract[:_SNIPPET],
                text=page.extract,
                published=page.revisions[0].timestamp if page.revisions else "",
            )
            for page in pages
        ]

    def _in(self, language: str) -> Service:
        """The Wikipedia of a language; that of the settings, if they name one, knows all."""
        if self._fixed or language in ("", "en"):
            return self.service
        if language not in self._others:
            self._others[language] = self.service.at(f"https://{language}.wikipedia.org")
        return self._others[language]


def _failure(error: _Failure, service: Service) -> ProviderError:
    """What MediaWiki says with the status of success."""
    said = inert(error.info or error.code, width=160).rstrip(". ")
    if error.code == "ratelimited":
        return RateLimited(f"{service.who} is asked too often ({said}): lower its rate in search_rates.")
    if error.code in ("readonly", "maxlag", "internal_api_error_DBQueryError", "search-backend-error"):
        return Unavailable(f"{service.who} failed ({said}): try again later.")
    return ProviderError(f"{service.who} refuses the request ({said}): check the query.")
