"""Makes hits of what a provider sends: text without markup, addresses as Fathom writes them, each once."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from lxml.html.defs import tags

from fathom.browsing import SearchHit, WebQuery, barred
from fathom.text.harmless import inert
from fathom.urls import canonical_url, page_key

_TAG = re.compile(r"<([/!?]?)([a-zA-Z0-9:-]*+)([^<>]*+)>")
_INLINE = frozenset("a abbr b bdi code em font i mark q s small span strong sub sup tt u var".split())
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_WRITTEN = ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%Y/%m/%d", "%Y %b %d")
_TITLE, _SNIPPET, _TEXT = 300, 2_000, 50_000
"""Characters that are kept."""


@dataclass(frozen=True)
class RawHit:
    """A hit as a provider has sent it, with whatever markup and nonsense it holds."""

    url: str
    title: str = ""
    snippet: str = ""
    score: float | None = None
    """The provider's opinion from 0 to 1; what lies outside is moved in."""
    published: str = ""
    """A date in any usual form."""
    text: str = ""


def cleaned(found: Iterable[RawHit], query: WebQuery) -> tuple[SearchHit, ...]:
    """At most `query.limit` hits in the order they came: those whose address is one, and that the query allows."""
    hits: list[SearchHit] = []
    seen: set[str] = set()
    for each in found:
        if len(hits) == query.limit:
            break
        try:
            url = canonical_url(each.url[:4_000])
            key = page_key(url)
        except ValueError:
            continue
        published = iso_date(each.published)
        if published > f"{datetime.now(UTC).year + 1}-12-31":  # issues are dated ahead, but not so far
            published = ""
        if key in seen or barred(url, query) or (published and query.since and published < query.since):
            continue
        seen.add(key)
        hits.append(
            SearchHit(
                url=url,
                title=without_markup(each.title, width=_TITLE),
                snippet=without_markup(each.snippet, width=_SNIPPET),
                score=_score(each.score),
                published=published,
                text=without_markup(each.text, width=_TEXT),
            )
        )
    return tuple(hits)


def without_markup(text: str, *, width: int) -> str:
    """`text` on one line, without tags, entities and control characters, cut to `width` characters.

    >>> without_markup("The <b>deep</b>er sea<br>is&nbsp;salt &amp; cold\\x1b[31m", width=100)
    'The deeper sea is salt & cold [31m'
    >>> without_markup("&lt;script&gt;if a <b and c> d: List<int>", width=100)
    'if a <b and c> d: List<int>'
    """
    text = inert(html.unescape(_TAG.sub(_gap, text[: 4 * width])))  # what was escaped may be markup too
    while (without := _TAG.sub(_gap, text)) != text:  # and so may what a tag was taken out of
        text = without
    return inert(text, width=width)


def iso_date(text: str) -> str:
    """A date as `YYYY-MM-DD`; empty when it is none, or not exact to the day.

    >>> [iso_date(text) for text in ("2024-05-06T10:00:00Z", "Mon, 06 May 2024 10:00:00 GMT", "May 6, 2024", "2024")]
    ['2024-05-06', '2024-05-06', '2024-05-06', '']
    """
    text = text.strip()[:60]
    try:
        if match := _DATE.match(text):
            day = date(*map(int, match.groups()))
        else:
            written = (_written(text, form) for form in _WRITTEN)
            day = next(filter(None, written), None) or parsedate_to_datetime(text).date()
    except (ValueError, OverflowError):
        return ""
    return day.isoformat() if day.year >= 1400 else ""


def _written(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC).date()
    except ValueError:
        return None


def _score(score: float | None) -> float | None:
    return None if score is None or not math.isfinite(score) else min(max(score, 0.0), 1.0)


def _gap(match: re.Match[str]) -> str:
    """What stands in place of a tag; what only looks like one, as in a formula, stays."""
    mark, name, rest = match.groups()
    name = name.lower().rpartition(":")[2]  # also `jats:p`
    if mark in ("!", "?") or "=" in rest or (name in tags and not rest.strip(" /")):
        return "" if name in _INLINE else " "
    return match[0]
