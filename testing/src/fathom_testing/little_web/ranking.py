"""A search engine in memory: pages ranked by BM25."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from fathom.text.analysis import terms

_K1 = 1.2
_B = 0.75
_STRETCH = 200
"""Terms of a stretch."""
_TITLE = 3
"""How often a word of the title counts, in each stretch."""


class Entry(NamedTuple):
    """What a search engine knows of a page."""

    url: str
    title: str
    text: str
    published: str = ""
    """ISO 8601 date; empty when nobody knows."""


class Ranking:
    """Ranks entries by their best stretch of text: Okapi BM25 (Robertson et al., 1994) over the analyser's terms.

    By whole texts, long pages that speak of everything would come before those that the question is about.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = list(entries)
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        self._owners: list[int] = []
        for number, entry in enumerate(self._entries):
            title = dict.fromkeys(terms(entry.title), _TITLE)
            words = terms(entry.text)
            for start in range(0, max(1, len(words)), _STRETCH):
                counts = Counter(words[start : start + _STRETCH])
                counts.update(title)
                for term, count in counts.items():
                    self._postings[term].append((len(self._owners), count))
                self._lengths.append(counts.total())
                self._owners.append(number)
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def __call__(self, query: str, limit: int) -> list[Entry]:
        """At most `limit` entries, best first; of equals, the one that was there first."""
        scores: defaultdict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms(query)):
            found = self._postings.get(term, [])
            rarity = math.log(1 + (len(self._owners) - len(found) + 0.5) / (len(found) + 0.5))
            for stretch, count in found:
                length = _K1 * (1 - _B + _B * self._lengths[stretch] / self._mean)
                scores[stretch] += rarity * count * (_K1 + 1) / (count + length)
        pages: dict[int, float] = {}
        for stretch, score in scores.items():
            owner = self._owners[stretch]
            pages[owner] = max(score, pages.get(owner, 0.0))
        best = sorted(pages, key=lambda number: (-pages[number], number))[:limit]
        return [self._entries[number] for number in best]
