"""What all providers of searches share: settings, service, cleaning. A provider adds its wire format and no more."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BeforeValidator, OnErrorOmit, ValidatorFunctionWrapHandler, WrapValidator

from fathom.browsing import SearchResults, WebQuery
from fathom.errors import ConfigurationError
from fathom.search.hits import RawHit, cleaned, iso_date
from fathom.services.terms import Terms
from fathom.settings import Settings
from fathom.text.harmless import inert
from fathom.version import __version__

E = TypeVar("E")
_LANGUAGE = re.compile("[a-z]{2,3}")


def _some(value: Any, entries_of: ValidatorFunctionWrapHandler) -> Any:
    kept = entries_of(value)
    if value and not kept:
        raise ValueError("no entry has the promised shape")
    return kept


def _words(value: Any) -> Any:
    return "" if value is None else value


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9 else None


Entries = Annotated[list[OnErrorOmit[E]], WrapValidator(_some)]
"""A list of a reply: an entry that has not the shape is left out, unless none has it."""
Words = Annotated[str, BeforeValidator(_words)]
"""A text of a reply that may be `null`, which is empty then."""
Score = Annotated[float | None, BeforeValidator(_number)]
"""A number of a reply; `None` when it is none."""


@dataclass(frozen=True)
class SearchAnswer:
    """What a provider sends that tells what a search has cost."""

    found: Iterable[RawHit]
    """Best first."""
    cost_usd: float | None = None
    """US dollars; `None` when it does not say, and what is known of it beforehand counts."""


class HttpSearch(ABC):
    """A provider of searches over HTTP; its class can be read without opening it, and opens with the settings."""

    terms: ClassVar[Terms]
    """Name, key, address and rate."""
    general: ClassVar[bool] = False
    """Whether it searches the whole web, as against one site or one field, such as science."""
    cost_usd: float = 0.0
    """What one search costs, in US dollars, where `search_costs` does not say otherwise."""
    longest: ClassVar[int] = 400
    """Characters of a query that are sent: providers refuse longer ones."""

    def __init__(self, settings: Settings, *, timeout: float = 20.0, first_wait: float = 0.5) -> None:
        """Nothing is opened before the first search.

        Args:
            settings: hold key, address, rate and cost.
            timeout: seconds for one reply.
            first_wait: seconds before a failed request is sent again.

        Raises:
            ConfigurationError: a setting that it needs is missing or wrong; names it.
        """
        if missing := self.missing(settings):
            terms = self.terms
            raise ConfigurationError(
                f"The search provider '{terms.name}' cannot be asked: {missing}, or leave it out of search."
            )
        self.name = self.terms.name
        self.cost_usd = self.cost_of(settings)
        self.contact = settings.contact.strip()
        self.service = self.terms.open(settings, headers=self.headers(settings), timeout=timeout, first_wait=first_wait)
        self.address = self.service.address

    async def search(self, query: WebQuery) -> SearchResults:
        """At most `query.limit` hits, best first.

        Raises:
            RateLimited: it asks us to wait; a wait that is short is already over.
            Unauthorized: the key is wrong.
            ProviderError: no usable answer.
        """
        words = _cut(inert(query.text[: 4 * self.longest]), self.longest)
        if not any(char.isalnum() for char in words):
            return SearchResults(provider=self.name)  # nobody finds anything by that
        language = query.language if _LANGUAGE.fullmatch(query.language) else ""
        sent = query.model_copy(update={"text": words, "language": language, "since": iso_date(query.since)})
        answer = await self._found(sent)
        if not isinstance(answer, SearchAnswer):
            answer = SearchAnswer(answer)
        cost = self.cost_usd if answer.cost_usd is None else max(answer.cost_usd, 0.0)
        return SearchResults(provider=self.name, hits=cleaned(answer.found, sent), cost_usd=cost)

    async def close(self) -> None:
        """Let go of the connections."""
        await self.service.close()

    @abstractmethod
    async def _found(self, query: WebQuery) -> Iterable[RawHit] | SearchAnswer:
        """What the provider sends, best first. Of `query`, the text is one line that is not too long, the language a
        code and the day a date, or empty.

        Raises:
            ProviderError: no usable answer.
        """

    @classmethod
    def headers(cls, settings: Settings) -> dict[str, str]:
        """Headers of every request besides that with the key."""
        return {}

    @classmethod
    def missing(cls, settings: Settings) -> str:
        """What must be set or installed before it can be asked; empty when nothing is missing.

        Raises:
            ConfigurationError: what is set is wrong.
        """
        return cls.terms.missing(settings)

    @classmethod
    def cost_of(cls, settings: Settings) -> float:
        """What one search costs, in US dollars.

        Raises:
            ConfigurationError: `search_costs` holds no price for it.
        """
        cost = settings.search_costs.get(cls.terms.name, cls.cost_usd)
        if not (math.isfinite(cost) and cost >= 0):
            raise ConfigurationError(f"search_costs is wrong: US dollars per search of {cls.terms.name}, 0 or more.")
        return cost


def _cut(text: str, longest: int) -> str:
    """The whole words at the beginning of `text` that fit."""
    if len(text) <= longest:
        return text
    return text[: longest + 1].rpartition(" ")[0] or text[:longest]


def sites(query: WebQuery) -> str:
    """The hosts of a query as operators that most engines of the whole web know, with a blank before them.

    >>> sites(WebQuery(text="sea", allow=("a.org", "b.org"), deny=("c.org",)))
    ' (site:a.org OR site:b.org) -site:c.org'
    """
    allowed = [f"site:{host}" for host in map(host_name, query.allow) if host]
    denied = [f"-site:{host}" for host in map(host_name, query.deny) if host]
    either = f"({' OR '.join(allowed)})" if len(allowed) > 1 else "".join(allowed)
    return "".join(f" {part}" for part in (either, *denied) if part)


def agent(settings: Settings) -> dict[str, str]:
    """The header that says who asks, for providers that want to know whom to write to.

    >>> agent(Settings(contact="me@example.org"))["User-Agent"].partition(" ")[2]
    '(research for a person; me@example.org)'
    """
    contact = "".join(char for char in settings.contact if char.isascii() and char.isprintable()).strip()
    told = f"research for a person; {contact}" if contact else "research for a person"
    return {"User-Agent": f"Fathom/{__version__} ({told})"}


def host_name(host: str) -> str:
    """A host of the rules as providers take it; empty when it is none that can be named to one."""
    name = host.strip().lower().removeprefix("*.").strip(".")
    return name if name.replace("-", "").replace(".", "").isalnum() else ""
