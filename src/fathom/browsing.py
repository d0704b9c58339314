"""What is asked of the web and what comes back: queries, hits, pages, and the rules of a run about what may be read."""

from __future__ import annotations

from pydantic import Field

from fathom.evidence import Document
from fathom.frozen import FrozenModel, later
from fathom.urls import is_within

WEB = "web"
"""The name of the web as a source, in allocations and descriptions."""
WEB_SEARCH = "web_search"
"""The kind of a call that asks a provider; its answer is a `SearchResults`."""
READ = "read"
"""The kind of a call that reads a page; its answer is a `Reading`."""


class WebRules(FrozenModel):
    """What a run may ask and read on the web; pinned by its record."""

    search: tuple[str, ...] = ()
    """Names of the providers that are asked, all of them at once."""
    fallback: tuple[str, ...] = ()
    """Names of the providers that are asked in this order when none of `search` has an answer."""
    reader: str = "direct"
    """Name of the page reader."""
    allow: tuple[str, ...] = ()
    """Only pages of these hosts and their subdomains are read; empty means all."""
    deny: tuple[str, ...] = ()
    """No page of these hosts and their subdomains is read."""
    since: str = ""
    """Only what was published on this day or later (ISO 8601 date), as far as that is known."""
    refresh: bool = False
    """Whether searches and pages that are in the archive are asked for again."""
    offline: str = ""
    """Id of the run whose snapshots are all that may be read; empty for the web itself."""


class WebQuery(FrozenModel):
    """What a provider is asked."""

    text: str = Field(min_length=1)
    """The words that matter."""
    language: str = ""
    """ISO 639-1 code of the language of the question."""
    limit: int = Field(default=5, ge=1, le=50)
    """At most this many hits."""
    since: str = ""
    """Only what was published on this day or later (ISO 8601 date), where the provider knows that."""
    allow: tuple[str, ...] = ()
    """Only pages of these hosts, where the provider can tell; empty means all."""
    deny: tuple[str, ...] = ()
    """No page of these hosts, where the provider can tell."""


def barred(url: str, rules: WebRules | WebQuery) -> str:
    """Why no page at an address is read, for its host; empty when one may be."""
    if rules.allow and not is_within(url, rules.allow):
        return "its host is not among those that this run allows"
    return "its host is denied to this run" if is_within(url, rules.deny) else ""


class SearchHit(FrozenModel):
    """A page that a provider has found. Nothing of it is evidence: it is there to choose what is read."""

    url: str
    """Its address, `http` or `https`."""
    title: str = ""
    """As the provider gives it, without markup."""
    snippet: str = ""
    """A few words of it, without markup."""
    score: float | None = Field(default=None, ge=0, le=1)
    """The provider's own opinion, 1 best; `None` when it has none."""
    published: str = ""
    """When it was published (ISO 8601 date); empty when not known."""
    text: str = ""
    """What the provider itself holds of it, such as the abstract of a paper: is read when the page cannot be."""


class SearchResults(FrozenModel):
    """What a provider has found for a query."""

    provider: str
    """Its name."""
    hits: tuple[SearchHit, ...] = ()
    """Best first, each address once. Empty means that nothing matches, never that something failed."""
    cost_usd: float = Field(default=0.0, ge=0)
    """US dollars that it took; 0 when it came from the archive."""
    cached: bool = False
    """Whether it came from the archive."""


class PageLink(FrozenModel):
    """A link in the main text of a page. Nothing of it is evidence: it is there to choose what is read."""

    url: str
    """Its address, as `canonical_url` writes it."""
    text: str
    """Its words."""
    beside: str = ""
    """The words around it, these included."""
    on: str = ""
    """The title of the page, where it is shown without that."""


class ArchivedPage(FrozenModel):
    """A page that was read, without its text."""

    document: Document
    """Its snapshot and where it comes from."""
    url: str
    """The address that was asked for, as `canonical_url` writes it."""
    characters: int = Field(ge=0)
    """Length of its text."""
    likeness: str = ""
    """What near-copies of its text share (see `fathom.text.likeness`)."""
    etag: str = ""
    """What its server calls this version; empty when it does not."""
    last_modified: str = ""
    """When its server says that it has changed last, in the server's words."""
    cached: bool = False
    """Whether it came from the archive without a request."""
    links: tuple[PageLink, ...] = later(())
    """Where its main text leads, in its order; of the pages of a run, as far as they may lead there."""


class Reach(FrozenModel):
    """What of the web an attempt may use; decided when it begins."""

    rules: WebRules
    """What may be asked and read."""
    searches: dict[str, float]
    """The providers that are asked at once, and what a search of each costs, in US dollars."""
    fallbacks: dict[str, float] = {}
    """Those that are asked one after the other when none of the first has an answer."""

    @property
    def cost_usd(self) -> float:
        """What it costs to ask all providers one query, as long as the first ones answer."""
        return sum(self.searches.values())


class Reading(FrozenModel):
    """What came of a page that was asked for."""

    page: ArchivedPage | None = None
    """The page; `None` when it gives nothing to quote."""
    left_out: str = ""
    """Why it does not."""
