"""The settings of web research: who is asked, under which key, and what may be read."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from fathom.frozen import Described
from fathom.settings.flags import Flag
from fathom.urls import host_of


def _listed(value: Any) -> Any:
    """`a, b` as a list; anything but a string is left as it is."""
    return (
        tuple(part for part in (each.strip() for each in value.split(",")) if part) if isinstance(value, str) else value
    )


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
"""Names, in a variable or a flag written with commas between them."""


def _hosts(value: Any) -> Any:
    """Hosts, also of whole addresses."""
    listed = _listed(value)
    if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
        return listed
    found = tuple(host_of(each) if "://" in each else each.lower().removeprefix("*.").strip("./") for each in listed)
    for host, given in zip(found, listed, strict=True):
        if not re.fullmatch(r"[^\s/:@?#,]+|\[?[0-9a-f:.]+\]?", host):
            raise ValueError(f"{given!r} is no host: write it like example.org")
    return found


def _day(value: Any) -> Any:
    """A day that has come."""
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value.strip())
        except ValueError:
            raise ValueError(f"{value!r} is no date: write it like 2025-01-01") from None
    if isinstance(value, date) and value > datetime.now(UTC).date() + timedelta(days=1):  # anywhere on earth
        raise ValueError(f"{value} is still to come: name a day that has been")
    return value


Hosts = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_hosts)]
"""Names of hosts."""


class WebSettings(Described, BaseSettings):
    """One field per setting; the sentence under it is its row in the docs."""

    model_config = SettingsConfigDict(defer_build=True)

    web: Annotated[bool, Flag("web", told="Search and read the web too.")] = False
    """Whether runs may search and read the web beside the documents."""

    search: Annotated[Names, Flag("web", "NAMES")] = ()
    """Providers of searches, all asked at once: `tavily,searxng`. The default is every general one whose key or address
    is set, else `wikipedia`."""

    search_fallback: Names = ()
    """Providers that are asked, in this order, when none of `search` has an answer."""

    web_allow: Annotated[
        Hosts,
        Flag(
            "web",
            "HOST",
            name="allow",
            told="Read pages of this host only; may be given several times.",
            is_repeated=True,
        ),
    ] = ()
    """Hosts whose pages may be read, subdomains included. The default is all."""

    web_deny: Annotated[
        Hosts,
        Flag(
            "web",
            "HOST",
            name="deny",
            told="Read no page of this host; may be given several times.",
            is_repeated=True,
        ),
    ] = ()
    """Hosts whose pages are not read, subdomains included."""

    web_since: Annotated[date | None, BeforeValidator(_day), Flag("web", "DATE", name="since")] = None
    """Only what was published on this day (`2025-01-01`) or later is read, as far as that is known."""

    refresh: Annotated[bool, Flag("web", told="Ask again for searches and pages that are in the archive.")] = False
    """Whether searches and pages that are in the archive are asked for again."""

    search_rates: dict[str, float] = {}
    """Searches per second, by provider, where its own default is wrong for your plan."""

    search_costs: dict[str, float] = {}
    """US dollars per search, by provider, where its own default is wrong for your plan."""

    search_keep_hours: float = Field(default=24.0, ge=0)
    """Hours for which a search is answered from the archive."""

    page_reader: str = "direct"
    """How pages are read: `direct`; `browser`, which also runs their scripts; or `tavily`, which has Tavily read them.
    """

    page_keep_hours: float | None = Field(default=None, ge=0)
    """Hours after which a page is asked for again. The default is never: what was read is kept for good, unless
    --refresh asks for it."""

    page_max_bytes: int = Field(default=20_000_000, ge=10_000)
    """Bytes that a page may have, unpacked."""

    page_timeout: float = Field(default=30.0, gt=0)
    """Seconds that a page may take, redirects included."""

    page_delay: float = Field(default=0.25, ge=0)
    """Seconds between two requests to the same host. What its robots.txt asks for counts when it is longer."""

    robots: bool = True
    """Whether robots.txt is obeyed."""

    user_agent: str = Field(default="", max_length=200)
    """What Fathom tells the servers of pages that it is. The default names Fathom and its version."""

    private_hosts: Names = ()
    """Hosts that may be read although they are not on the public internet, or on another port than 80 and 443:
    `wiki.corp.example`, `*.intranet.example`, `127.0.0.1:8080`."""

    browser_path: str | None = None
    """The browser of the page reader `browser`: the path of Chromium. The default looks for one."""

    tavily_api_key: SecretStr | None = None
    """Tavily's key; `TAVILY_API_KEY` counts too."""
    tavily_base_url: str = "https://api.tavily.com"
    """Address of Tavily."""

    searxng_base_url: str | None = None
    """Address of a SearXNG server, which needs no key: `http://localhost:8888`. Its JSON format must be enabled."""

    brave_api_key: SecretStr | None = None
    """Brave's key; `BRAVE_API_KEY` counts too."""
    brave_base_url: str = "https://api.search.brave.com"
    """Address of Brave Search."""

    wikipedia_base_url: str | None = None
    """Address of a Wikipedia. The default is that of the language of the question: `https://en.wikipedia.org`."""

    arxiv_base_url: str = "https://export.arxiv.org"
    """Address of arXiv."""

    exa_api_key: SecretStr | None = None
    """Exa's key; `EXA_API_KEY` counts too."""
    exa_base_url: str = "https://api.exa.ai"
    """Address of Exa."""

    serper_api_key: SecretStr | None = None
    """Serper's key; `SERPER_API_KEY` counts too."""
    serper_base_url: str = "https://google.serper.dev"
    """Address of Serper, which asks Google."""

    semantic_scholar_api_key: SecretStr | None = None
    """Semantic Scholar's key, which is not needed but raises its rate; `SEMANTIC_SCHOLAR_API_KEY` counts too."""
    semantic_scholar_base_url: str = "https://api.semanticscholar.org"
    """Address of Semantic Scholar."""

    openalex_api_key: SecretStr | None = None
    """OpenAlex's key, which is not needed but raises the searches of a day from 100 to 1,000; `OPENALEX_API_KEY` counts
    too."""
    openalex_base_url: str = "https://api.openalex.org"
    """Address of OpenAlex."""

    pubmed_api_key: SecretStr | None = None
    """The key of PubMed's E-utilities, which is not needed but raises the rate; `NCBI_API_KEY` counts too."""
    pubmed_base_url: str = "https://eutils.ncbi.nlm.nih.gov"
    """Address of PubMed's E-utilities."""

    duckduckgo_base_url: str = "https://html.duckduckgo.com"
    """Address of DuckDuckGo."""

    contact: str = Field(default="", max_length=200)
    """An address of yours, for providers that ask whom to write to: OpenAlex, PubMed, Wikipedia."""
