"""How much of one text another one says."""

from __future__ import annotations

from collections.abc import Collection


def overlap(one: Collection[str], other: Collection[str]) -> float:
    """Share of the shorter text's terms that the other holds too, 0 to 1.

    >>> overlap({"a", "b"}, {"b", "c", "d"})
    0.5
    """
    first, second = set(one), set(other)
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0
