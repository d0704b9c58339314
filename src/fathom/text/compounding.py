"""Compounds: words that some languages make of several, and what they begin and end with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from fathom.languages.packs import pack
from fathom.text.common import telling

SHORTEST, REST = 5, 3
"""Letters of the shortest word that is looked for in a compound, and of the rest of one."""


def parts_in(asked: Collection[str], *, language: str) -> list[str]:
    """Those of the terms of a question that are looked for in compounds: what is common there is a part of too many."""
    if not pack(language).holds("about.compounds"):
        return []
    long = [term for term in asked if len(term) >= SHORTEST and term.isalpha()]
    return [term for term in long if telling(term, language=language) >= 1]


def is_in(term: str, compound: str) -> bool:
    """Whether a compound begins or ends with a term.

    >>> is_in("balkon", "balkonkraftwerk"), is_in("schlüssel", "hausschlüssel"), is_in("balkon", "balkone")
    (True, True, False)
    """
    return len(compound) >= len(term) + REST and (compound.startswith(term) or compound.endswith(term))


def with_parts(counts: Counter[str], parts: Sequence[str]) -> Counter[str]:
    """The terms of a text, and those of `parts` that its compounds begin or end with, at half a count."""
    more = {part: sum(count for term, count in counts.items() if is_in(part, term)) / 2 for part in parts}
    return counts + Counter(more) if any(more.values()) else counts
