"""Numbers with their nouns, in English."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "query", "queries"), counted(2, "source")
    ('1 query', '2 sources')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
