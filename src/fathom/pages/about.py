"""What a web page says of itself beside its text: title, date, kind, its one address."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from fathom.evidence import SourceNature
from fathom.languages.packs import either
from fathom.publishers import nature_of
from fathom.reading.page import Element
from fathom.text.dates import month_number
from fathom.urls import canonical_url, site_of

_PUBLISHED = (
    "article:published_time citation_publication_date citation_online_date citation_date og:article:published_time "
    "datepublished dc.date.issued dcterms.issued dcterms.created dc.date dc.date.created parsely-pub-date "
    "sailthru.date pubdate publishdate publish-date publication_date date"
).split()
_CHANGED = (
    "article:modified_time og:updated_time datemodified dcterms.modified dc.date.modified last-modified revised".split()
)
_NATURES: tuple[tuple[SourceNature, frozenset[str]], ...] = (
    ("forum", frozenset("DiscussionForumPosting QAPage SocialMediaPosting".split())),
    ("vendor", frozenset("Product ProductGroup Offer Store OnlineStore".split())),
)
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:[-/.年]\s*(\d{1,2})[-/.月]\s*(\d{1,2})|(\d\d)(\d\d))(?!\d)")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_ENGLISH = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+|{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+)((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_STATED = re.compile(rf"^\W{{0,3}}(?:{either('pages.stated')})\s*+[:：]?\s*+(.{{4,40}})$", re.IGNORECASE | re.MULTILINE)
_IN_PATH = re.compile(r"/((?:19|20)\d\d)/([01]?\d)/([0-3]?\d)(?:/|$)")
_FIRST_YEAR = 1990
_LONGEST_DATA = 500_000
_MOST_NODES = 2_000


@dataclass
class About:
    """What a page says of itself."""

    metas: Mapping[str, str] = field(default_factory=dict)
    """Its meta tags, by name in lower case; the first of a name counts."""
    nodes: list[dict[str, Any]] = field(default_factory=list)
    """The nodes of its linked data."""
    times: list[str] = field(default_factory=list)
    """Machine-readable times in the text, in order."""
    canonical: str = ""
    """What it calls its one address."""
    language: str = ""
    """ISO 639-1 code of the language that it claims."""
    scripts: int = 0
    unscripted: str = ""
    """What it shows where no scripts run."""

    @classmethod
    def of(cls, root: Element) -> About:
        """Read a page whose invisible elements are still there."""
        about = cls()
        metas: dict[str, str] = {}
        for meta in root.iter("meta"):
            name = str(meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower()
            if name and (content := str(meta.get("content") or "").strip()):
                metas.setdefault(name, content[:2_000])
        about.metas = metas
        for script in root.iter("script"):
            if str(script.get("type", "")).lower().strip() == "application/ld+json":
                about.nodes += islice(_nodes(script.text or ""), _MOST_NODES)
            else:
                about.scripts += 1
        for time in islice(root.iter("time"), 20):
            marked = time.get("pubdate") is not None or str(time.get("itemprop", "")).lower() == "datepublished"
            about.times.insert(0 if marked else len(about.times), str(time.get("datetime") or ""))
        link = root.find(".//link[@rel='canonical']")
        about.canonical = str(link.get("href") or "") if link is not None else ""
        about.language = str(root.get("lang") or "")[:2].lower()
        about.unscripted = " ".join(" ".join(map(str, each.itertext())) for each in root.iter("noscript"))[:2_000]
        return about

    @property
    def free(self) -> bool:
        """Whether it claims to show its text to everybody."""
        return not any(str(node.get("isAccessibleForFree", "")).lower() == "false" for node in self.nodes)

    def title(self, found: str) -> str:
        """Its title, without the name of the site; `found` is what its text and its head give."""
        title = self.metas.get("og:title") or self.metas.get("citation_title") or ""
        site = self.metas.get("og:site_name", "")
        if found and (not title or found in title or found.casefold() != site.casefold()):
            return found
        return title or found

    def published(self, text: str, *, address: str, last_modified: str = "", today: date | None = None) -> str:
        """The day of its publication, else that of its last change (ISO 8601); empty when it says none.

        A day in the future or before 1990 is none. What the server says comes last, and not when it is the present day:
        a server that makes pages anew each time says that of all of them.
        """
        today = today or datetime.now(UTC).date()
        for said in self._dates(text, address):
            if day := _day(said, today):
                return day.isoformat()
        day = _day(last_modified, today)
        return day.isoformat() if day and day < today else ""

    def _dates(self, text: str, address: str) -> Iterator[str]:
        yield from (str(node.get("datePublished") or "") for node in self.nodes)
        yield from (self.metas.get(name, "") for name in _PUBLISHED)
        yield from self.times
        if match := _IN_PATH.search(urlsplit(address).path):
            yield "-".join(match.groups())
        yield from (str(node.get("dateModified") or "") for node in self.nodes)
        yield from (self.metas.get(name, "") for name in _CHANGED)
        for part in (text[:3_000], text[-1_000:]):
            yield from (match[1] for match in _STATED.finditer(part))

    def nature(self, address: str) -> SourceNature:
        """Who speaks: by the address, which cannot be made up; else a forum or a vendor, if the page says so.

        That it is science or the press is not taken from the page, for then it would be relied on more.
        """
        if (nature := nature_of(address)) != "other":
            return nature
        types = {name for node in self.nodes for name in _listed(node.get("@type"))}
        for nature, names in _NATURES:
            if not names.isdisjoint(types):
                return nature
        return (
            "vendor" if self.metas.get("og:type", "").lower() in {"product", "product.item", "og:product"} else "other"
        )

    def address(self, address: str) -> str:
        """Its one address when that is another page of the same site, else the one it was found at."""
        try:
            canonical = canonical_url(urljoin(address, self.canonical)) if self.canonical else address
            home = urlsplit(canonical).path == "/" and urlsplit(address).path not in {"", "/"}
        except ValueError:
            return address
        return canonical if not home and site_of(canonical) == site_of(address) else address


def _nodes(text: str) -> Iterator[dict[str, Any]]:
    """Every object of linked data, whatever it is nested in."""
    if len(text) > _LONGEST_DATA:
        return
    try:
        waiting: deque[Any] = deque([json.loads(text)])
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.popleft()
        if isinstance(value, dict):
            yield value
            waiting += [each for key, each in value.items() if key in {"@graph", "mainEntity", "mainEntityOfPage"}]
        elif isinstance(value, list):
            waiting += value


def _listed(value: object) -> list[str]:
    return [str(each).rpartition("/")[2] for each in (value if isinstance(value, list) else [value]) if each]


def _day(said: str, today: date) -> date | None:
    """The day that a text begins with or names."""
    said = said.strip()[:80]
    if match := _DAY.search(said):
        year, month, day = match[1], match[2] or match[4], match[3] or match[5]
    elif match := _ENGLISH.search(said):
        year, month, day = match[5], str(month_number(match[2] or match[3])), match[1] or match[4]
    else:
        return None
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return None
    return found if date(_FIRST_YEAR, 1, 1) <= found <= today else None
