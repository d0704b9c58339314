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


def repeats(one: Collection[str], other: Collection[str], *, above: float) -> bool:
    """Whether one text says what the other says: their overlap is above that, and neither has a number of its own.

    Two sentences that differ in their numbers contradict each other, or speak of different things.

    >>> repeats({"port", "is", "8080"}, {"port", "is", "the"}, above=0.6)
    True
    >>> repeats({"port", "is", "8080"}, {"port", "is", "9090"}, above=0.6)
    False
    """
    first, second = numbers(one), numbers(other)
    return overlap(one, other) > above and not (first - second and second - first)


def numbers(terms: Collection[str]) -> set[str]:
    """Those of the terms that hold a digit."""
    return {term for term in terms if any(char.isdigit() for char in term)}
