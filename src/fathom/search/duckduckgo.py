"""Searches by DuckDuckGo's page for browsers without scripts, in the format that the library `ddgs` knows.

Of the library only the form and the places of the results are used. Its own client would ask natively, beside the guard
of `--no-web`, follow redirects to any host, and report every failure as a lack of results.
"""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from fathom.browsing import WebQuery
from fathom.errors import ConfigurationError, RateLimited
from fathom.search.hits import RawHit
from fathom.search.http import HttpSearch, sites
from fathom.services.terms import Terms
from fathom.settings import Settings
from fathom.version import __version__

if TYPE_CHECKING:
    from ddgs.engines.duckduckgo import Duckduckgo

_INSTALL = "install it with `pip install 'fathom-research[duckduckgo]'`"
_LARGEST = 300_000
"""Bytes of a page; they have some 50,000. What is larger would take long to take apart."""
_CHALLENGE = ("anomaly-modal", "anomaly.js")
_PAUSE = 120.0
"""Seconds without a request after a challenge, which every further one prolongs."""
_REGIONS = {
    "da": "dk-da",
    "de": "de-de",
    "en": "us-en",
    "es": "es-es",
    "fr": "fr-fr",
    "it": "it-it",
    "ja": "jp-jp",
    "ko": "kr-kr",
    "nl": "nl-nl",
    "pl": "pl-pl",
    "pt": "br-pt",
    "ru": "ru-ru",
    "sv": "se-sv",
    "tr": "tr-tr",
    "zh": "cn-zh",
}
"""A region for a language; `wt-wt` is all of them."""


class DuckDuckGo(HttpSearch):
    """The whole web, by DuckDuckGo, which has no interface for programs and turns many requests away."""

    terms = Terms(
        name="duckduckgo",
        title="DuckDuckGo",
        per_second=0.5,  # more than four in a few seconds are answered with a challenge
        advice={403: "it turns programs away at times; ask another provider"},
    )
    general = True

    def __init__(self, settings: Settings, *, timeout: float = 20.0, first_wait: float = 0.5) -> None:
        """As every provider.

        Raises:
            ConfigurationError: the library is missing, or cannot be used; names the extra.
        """
        super().__init__(settings, timeout=timeout, first_wait=first_wait)
        self._format = page_format()

    @classmethod
    def headers(cls, settings: Settings) -> dict[str, str]:
        return {"User-Agent": f"Mozilla/5.0 (compatible; Fathom/{__version__})"}  # it serves browsers alone

    @classmethod
    def missing(cls, settings: Settings) -> str:
        return super().missing(settings) or ("" if find_spec("ddgs") else _INSTALL)

    async def _found(self, query: WebQuery) -> list[RawHit]:
        until = datetime.now(UTC).date().isoformat()
        form: dict[str, str] = self._format.build_payload(
            query=f"{query.text}{sites(query)}",
            region=_REGIONS.get(query.language, "wt-wt"),
            safesearch="moderate",
            timelimit=f"{query.since}..{until}" if query.since else None,
        )
        path = urlsplit(self._format.search_url).path
        page = await self.service.fetch("POST", path, form=form)
        text = page.decode("utf-8", "replace")
        if len(page) > _LARGEST or "</html>" not in text[-1_000:]:
            raise self.service.malformed("it is no whole page of results")
        found = read_page(text, self._format)
        if not found and any(mark in text for mark in _CHALLENGE):
            self.service.hold(_PAUSE)
            raise RateLimited(
                f"{self.service.who} wants a person to ask: wait some minutes, or ask another search provider.",
                retry_after=_PAUSE,
            )
        if not found and "no-result" not in text and "/y.js?" not in text:  # the latter are advertisements
            raise self.service.malformed("it is no page of results")
        return found


def read_page(text: str, form: Duckduckgo) -> list[RawHit]:
    """The results of a page, advertisements left out; empty also when it is no page of results."""
    from lxml.etree import LxmlError

    if text.lstrip().startswith("<?"):
        text = text.partition("?>")[2]
    try:
        results = form.post_extract_results(form.extract_results(text))
    except (LxmlError, ValueError):  # an empty document
        return []
    return [RawHit(_target(each.href), title=each.title, snippet=each.body) for each in results]


def _target(href: str) -> str:
    """Where a link of a result leads, also when it goes through DuckDuckGo."""
    try:
        parts = urlsplit(f"https:{href}" if href.startswith("//") else href)
    except ValueError:
        return ""
    if parts.path == "/l/" and parts.netloc.endswith("duckduckgo.com"):
        return next(iter(parse_qs(parts.query).get("uddg", [])), "")
    return href


class _Result:
    """A result as it stands on the page: the library's own would decode what an address has encoded."""

    title: str
    href: str
    body: str


def page_format() -> Duckduckgo:
    """What the library knows of the page, without a client.

    Raises:
        ConfigurationError: it is missing, or cannot be used.
    """
    try:
        from ddgs.engines.duckduckgo import Duckduckgo
    except ImportError as error:
        raise ConfigurationError(f"The search provider 'duckduckgo' cannot be used: {_INSTALL}.") from error

    class Format(Duckduckgo):
        def __init__(self) -> None:
            """No client is opened."""

        @property
        def result_type(self) -> type[Any]:
            return _Result

    return Format()
