"""Providers of web searches, by name, and what can be said of them without asking one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fathom.errors import ConfigurationError
from fathom.ports.web import WebSearch
from fathom.registry import Registry
from fathom.settings import Settings

if TYPE_CHECKING:
    from fathom.services.terms import KeyUse

searches: Registry[Callable[[Settings], WebSearch]] = Registry(
    "search provider",
    group="fathom.searches",
    builtin={
        "arxiv": "fathom.search.arxiv:Arxiv",
        "brave": "fathom.search.brave:Brave",
        "duckduckgo": "fathom.search.duckduckgo:DuckDuckGo",
        "exa": "fathom.search.exa:Exa",
        "openalex": "fathom.search.openalex:OpenAlex",
        "pubmed": "fathom.search.pubmed:PubMed",
        "searxng": "fathom.search.searxng:Searxng",
        "semantic_scholar": "fathom.search.semantic_scholar:SemanticScholar",
        "serper": "fathom.search.serper:Serper",
        "tavily": "fathom.search.tavily:Tavily",
        "wikipedia": "fathom.search.wikipedia:Wikipedia",
    },
)
"""One class per provider, opened with the settings; another package adds its own as entry points."""


@dataclass(frozen=True)
class ProviderDescription:
    """What can be said of a provider without asking it."""

    name: str
    """Its name in the settings."""
    ready: bool
    """Whether it could be asked."""
    missing: str = ""
    """What must be set or installed before, as the end of a sentence; empty when nothing is."""
    general: bool = True
    """Whether it searches the whole web, as against one site or one field, such as science."""
    key: KeyUse = "none"
    """Whether it takes a key."""
    needs_address: bool = False
    """Whether it is a server of the user's, whose address must be set."""
    address: str = ""
    """Where it is asked; empty when that is not known, or depends on the question."""
    cost_usd: float = 0.0
    """US dollars per search."""
    per_second: float = 0.0
    """Searches in a second; 0 when not known."""


def describe_providers(settings: Settings) -> list[ProviderDescription]:
    """Every provider, by name; what cannot be asked, with the reason."""
    return [describe_provider(name, settings) for name in searches.names()]


def describe_provider(name: str, settings: Settings) -> ProviderDescription:
    """One provider.

    Raises:
        ConfigurationError: none has that name.
    """
    from fathom.search.http import HttpSearch  # brings httpx

    kind = searches.get(name)
    if not (isinstance(kind, type) and issubclass(kind, HttpSearch)):  # of another package
        return ProviderDescription(name, ready=True)
    terms = kind.terms
    known = ProviderDescription(
        name, ready=False, general=kind.general, key=terms.key, needs_address=terms.needs_address
    )
    try:
        missing = kind.missing(settings)
        told = replace(
            known,
            address=terms.address_of(settings),
            cost_usd=kind.cost_of(settings),
            per_second=terms.rate_of(settings),
        )
    except ConfigurationError as error:
        return replace(known, missing=str(error).rstrip("."))
    return replace(told, ready=not missing, missing=missing)
