"""How rare a term is in the sources, which is how much it says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from fathom.evidence import SourceDescription

ELSEWHERE = 40
"""How many passages of the web each passage that was read stands for.

Pages are found by the words of the question: among themselves these are common, on the web they are rare. On the ten
best pages of a corpus alone, 14 of 77 questions asked of a wrong corpus were answered without it, none with it, and 39
instead of 40 of 40 that the pages answer.
"""
FEWEST = 1_000
"""The least that they stand for: where words meet by chance, few pages were found because few hold them."""


def passages_behind(sources: Iterable[SourceDescription]) -> int:
    """How many passages the sources hold; of the web, and of what nobody has counted, how many those that were read
    stand for."""
    return sum(
        source.passages
        if (source.kind != "web" and source.documents) or not source.passages
        else max(FEWEST, ELSEWHERE * source.passages)
        for source in sources
    )


class Rarity:
    """Inverse document frequency of terms over the passages of several sources (Robertson and Spärck Jones, 1976).

    >>> rarity = Rarity({"wal": 9}, passages=1000)
    >>> round(rarity.of("wal"), 2), rarity.is_absent("wal"), rarity.is_absent("dogs")
    (4.66, False, False)
    """

    def __init__(self, counts: Mapping[str, int], *, passages: int) -> None:
        self._counts = dict(counts)
        self._passages = max(passages, *self._counts.values(), 1) if counts else max(passages, 1)

    @classmethod
    def over(cls, sources: Sequence[SourceDescription]) -> Rarity:
        """The rarity in all of the sources together; the web before anything was read tells nothing."""
        counts: dict[str, int] = {}
        for source in sources:
            for term, count in source.term_passages.items():
                counts[term] = counts.get(term, 0) + count
        return cls(counts, passages=passages_behind(sources))

    def of(self, term: str) -> float:
        """0 for a term that is everywhere; about 9 for one that stands in a single passage of 10,000."""
        count = self._counts.get(term)
        if count is None:
            return self._typical
        return math.log(1 + (self._passages - count + 0.5) / (count + 0.5))

    def count(self, term: str) -> int:
        """How many passages hold the term; 0 for one that nobody counted."""
        return self._counts.get(term, 0)

    def is_absent(self, term: str) -> bool:
        """Whether the sources were asked for the term and do not hold it."""
        return self._counts.get(term) == 0

    def knows(self, term: str) -> bool:
        """Whether the sources were asked for the term."""
        return term in self._counts

    @cached_property
    def _typical(self) -> float:
        """What a term that nobody counted is taken for: the middle of those that were."""
        known = sorted(self.of(term) for term, count in self._counts.items() if count)
        return known[len(known) // 2] if known else 3.0
