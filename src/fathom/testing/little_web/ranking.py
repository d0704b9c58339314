"""A search engine in memory: pages ranked by BM25."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from fathom.text.analysis import terms

_K1 = 1.2
_B = 0.75
_TITLE = 3
"""How often a word of the title counts."""


class Entry(NamedTuple):
    """What a search engine knows of a page."""

    url: str
    title: str
    text: str
    published: str = ""
    """ISO 8601 date; empty when nobody knows."""


class Ranking:
    """Ranks entries by Okapi BM25 (Robertson et al., 1994) over the terms of Fathom's analyser."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = list(entries)
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        for number, entry in enumerate(self._entries):
            counts = Counter(terms(entry.text))
            for term in terms(entry.title):
                counts[term] += _TITLE
            self._lengths.append(counts.total())
            for term, count in counts.items():
                self._postings[term].append((number, count))
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def __call__(self, query: str, limit: int) -> list[Entry]:
        """At most `limit` entries, best first; of equals, the one that was there first."""
        scores: defaultdict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms(query)):
            found = self._postings.get(term, [])
            rarity = math.log(1 + (len(self._entries) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                length = _K1 * (1 - _B + _B * self._lengths[number] / self._mean)
                scores[number] += rarity * count * (_K1 + 1) / (count + length)
        best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        return [self._entries[number] for number in best]
