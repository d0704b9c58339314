"""Which of the pages that several searches have found are worth reading: fused, ranked anew, and of many sites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from fathom.browsing import SearchHit, WebRules, barred
from fathom.evidence import SourceNature
from fathom.publishers import nature_of
from fathom.reading.document import iso_day
from fathom.text.analysis import query_terms, terms
from fathom.text.reach import asks_for_current
from fathom.urls import canonical_url, page_key, site_of

RANK_CONSTANT = 10
"""How little a place at the top is worth more than the next one; 60 is for rankings of hundreds, here are a few."""
PAGES_OF_A_SITE = 3
"""More pages of one site are read only when there are not enough others."""
HALF_LIFE_DAYS = 730.0
"""Days after which a page is worth half as much as a new one, as far as its age counts."""
UNDATED = 0.4
"""What the recency of a page without a date is taken for."""
UNSCORED = 0.5
"""What the score of a provider without scores is taken for."""
WORTH: dict[SourceNature, float] = {
    "official": 1.0,
    "academic": 1.0,
    "reference": 0.9,
    "news": 0.6,
    "vendor": 0.5,
    "other": 0.5,
    "forum": 0.2,
}
RANKS, SCORES, RELEVANCE, NATURE, RECENCY = 0.35, 0.15, 0.35, 0.1, 0.05
"""What each sign weighs."""
RECENCY_WHEN_CURRENT = 0.4
"""What recency weighs when the question asks for what is current."""


@dataclass(frozen=True)
class ProviderRanking:
    """What one provider has found for one query, best first."""

    query: str
    provider: str
    hits: Sequence[SearchHit]


@dataclass(frozen=True)
class PageChoice:
    """A page that is worth reading."""

    url: str
    """Its address as `canonical_url` writes it."""
    hit: SearchHit
    """How a search has found it; of several, the one that holds a text of its own."""
    provider: str
    """Whose hit that is."""
    worth: float
    """Higher is better."""
    key: str = ""
    """Names the page (see `page_key`)."""
    queries: frozenset[str] = frozenset()
    """Those that it was found for."""


@dataclass(frozen=True)
class Fused:
    """The best pages, and those that the rules leave out."""

    choices: tuple[PageChoice, ...]
    """Best first."""
    left_out: dict[str, str]
    """Why, by address."""
    found: frozenset[str]
    """Every page that may be read, as `page_key` names it."""


@dataclass(frozen=True)
class _Place:
    """Where a ranking has a page."""

    ranking: ProviderRanking
    rank: int
    url: str
    hit: SearchHit
    score: float


def fuse(
    rankings: Iterable[ProviderRanking], *, question: str, subject: str = "", rules: WebRules, today: str, limit: int
) -> Fused:
    """The best pages of all rankings: at most `limit`, whatever the order of the rankings.

    Worth is what reciprocal rank fusion (Cormack et al., 2009) gives, together with the providers' scores, the share of
    the terms of `question` and `subject` in title and snippet, age and nature. The best page of each query comes in
    first, so that no query dominates; then the best of all, of one site only a few.

    Args:
        today: ISO 8601 date that ages are counted from.
    """
    rankings = sorted(rankings, key=lambda each: (each.query, each.provider))
    places: dict[str, list[_Place]] = {}
    for ranking in rankings:
        for place in _places(ranking, rules):
            places.setdefault(page_key(place.url), []).append(place)
    left_out: dict[str, str] = {}
    for key, found in list(places.items()):
        if reason := max(too_old(place.hit.published, rules) for place in found):
            left_out[_address(found)] = reason
            del places[key]
        else:  # a provider that names a page twice has found it once
            places[key] = list({(place.ranking.query, place.ranking.provider): place for place in found[::-1]}.values())
    current = asks_for_current(f"{question} {subject}", today=today)
    wanted = (frozenset(query_terms(question)), frozenset(query_terms(subject)))
    most = max((_reciprocal(found) for found in places.values()), default=1.0)
    candidates = []
    for key, found in places.items():
        url = _address(found)
        best = min(found, key=lambda place: (not place.hit.text, place.rank, place.ranking.provider, place.url))
        published = max(iso_day(place.hit.published) for place in found)
        worth = (
            RANKS * _reciprocal(found) / most
            + SCORES * sum(place.score for place in found) / len(found)
            + RELEVANCE * max(_relevance(place.hit, wanted) for place in found)
            + NATURE * WORTH[nature_of(url)]
            + (RECENCY_WHEN_CURRENT if current else RECENCY) * _recency(published, today)
        )
        hit = best.hit.model_copy(update={"published": published})
        queries = frozenset(place.ranking.query for place in found)
        candidates.append(PageChoice(url, hit, best.ranking.provider, round(worth, 9), key, queries))
    candidates.sort(key=_by_worth)
    chosen = _diverse(candidates, [ranking.query for ranking in rankings], limit)
    return Fused(tuple(chosen), left_out, frozenset(places))


def _by_worth(choice: PageChoice) -> tuple[float, str]:
    return -choice.worth, choice.key


def _places(ranking: ProviderRanking, rules: WebRules) -> Iterable[_Place]:
    """Where a ranking has the pages that may be read."""
    known = [hit.score for hit in ranking.hits if hit.score is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    for rank, hit in enumerate(ranking.hits, start=1):
        try:
            url = canonical_url(hit.url)
        except ValueError:  # a provider may call anything an address
            continue
        if barred(url, rules):
            continue
        score = UNSCORED if hit.score is None or high <= low else (hit.score - low) / (high - low)
        yield _Place(ranking, rank, url, hit, score)


def _address(found: Iterable[_Place]) -> str:
    """Of several spellings of an address the safest and shortest one."""
    return min((place.url for place in found), key=lambda url: (not url.startswith("https:"), len(url), url))


def too_old(published: str, rules: WebRules) -> str:
    """Why a page of that date is not read; empty when it may be, or when the date tells nothing."""
    day = iso_day(published)
    return f"published {day}, before {rules.since}" if day and rules.since and day < rules.since[:10] else ""


def led_astray(url: str, address: str, rules: WebRules) -> str:
    """Why a page is not read that was asked for at `url` and found at `address`; empty when it may be.

    One that is in the archive was read under the rules of another run, and may have led where these do not. What it
    calls its one address may be on another host of the same site, which the rules need not name.
    """
    if site_of(address) == site_of(url):
        rules = rules.model_copy(update={"allow": ()})
    reason = barred(address, rules).replace("its host", "whose host")
    return f"it leads to {address}, {reason}" if reason else ""


def _reciprocal(found: Iterable[_Place]) -> float:
    return sum(1 / (RANK_CONSTANT + place.rank) for place in found)


def _relevance(hit: SearchHit, wanted: Sequence[frozenset[str]]) -> float:
    """Mean share of the terms that title and snippet hold, those of the title counted twice."""
    title = frozenset(terms(hit.title))
    told = title | frozenset(terms(hit.snippet or hit.text[:1_000]))
    shares = [(len(each & told) + len(each & title)) / (2 * len(each)) for each in wanted if each]
    return sum(shares) / len(shares) if shares else 0.0


def _recency(published: str, today: str) -> float:
    """1 for a page of today, less with every day."""
    if not published or not iso_day(today):
        return UNDATED
    days = (date.fromisoformat(iso_day(today)) - date.fromisoformat(published)).days
    return float(0.5 ** (max(days, 0) / HALF_LIFE_DAYS))


def _diverse(candidates: Sequence[PageChoice], queries: Iterable[str], limit: int) -> list[PageChoice]:
    """The best of each query, then the best of all; beyond a few pages of a site only when there are no others."""
    chosen: dict[str, PageChoice] = {}
    of_site: Counter[str] = Counter()

    def choose(candidate: PageChoice) -> None:
        chosen[candidate.key] = candidate
        of_site[site_of(candidate.url)] += 1

    def has_room(candidate: PageChoice) -> bool:
        return of_site[site_of(candidate.url)] < PAGES_OF_A_SITE

    by_query = {query: [each for each in candidates if query in each.queries] for query in sorted(set(queries))}
    heads = sorted((own for own in by_query.values() if own), key=lambda own: _by_worth(own[0]))
    for own in heads[:limit]:
        if not any(each.key in chosen for each in own) and len(chosen) < limit:
            choose(next(filter(has_room, own), own[0]))
    for only_if_room in (True, False):
        for candidate in candidates:
            if len(chosen) >= limit:
                break
            if candidate.key not in chosen and (has_room(candidate) or not only_if_room):
                choose(candidate)
    return sorted(chosen.values(), key=_by_worth)
