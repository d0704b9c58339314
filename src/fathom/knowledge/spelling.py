"""A word that no document holds, as the documents write it: another form of it, the word that a
compound ends with, or without a slip of the finger."""

from __future__ import annotations

import json
from functools import cache
from threading import Lock
from typing import Any

import snowballstemmer  # type: ignore[import-untyped]

from fathom.knowledge.index import Connection
from fathom.languages.packs import pack
from fathom.text.common import telling
from fathom.text.compounding import REST

SHORTEST = 5
"""Letters of the shortest word that is taken for misspelt: shorter ones are too near to each other."""
ENDING = 3
"""Letters by which a form of a word is longer than another, at most: what is longer is a compound."""
MOST = 20
"""Compounds of one word that are looked for."""
_stemming = Lock()  # a stemmer keeps the word that it works on


def written(connection: Connection, term: str, *, language: str) -> str | None:
    """What the index holds for a term that it lacks: the most frequent one of the same stem, or one letter off.

    What is common in its language is not misspelt.
    """
    if not term.isalpha() or len(term) < SHORTEST - 1:
        return None
    first, last = term[0], chr(ord(term[0]) + 1)
    rows = connection.execute("SELECT term, doc FROM chunk_vocabulary WHERE term >= ? AND term < ?", (first, last))
    others: list[str] = [word for _, word in sorted((-doc, word) for word, doc in rows if word.isalpha())]
    if pack(language).holds("about.stemmer"):
        own = _stem(term, language)
        stems = {word: _stem(word, language) for word in others}
        same = (word for word, stem in stems.items() if stem == own)
        near = (word for word in others if len(own) >= SHORTEST and len(word) <= len(term) + ENDING)
        longer = (word for word in near if word.startswith(term[: len(own)]))
        if found := next(same, None) or next(longer, None):
            return found
    if pack(language).holds("about.compounds") and (head := _head(connection, term)):
        return head
    if len(term) < SHORTEST or telling(term, language=language) < 1:
        return None
    return next((word for word in others if len(word) >= SHORTEST - 1 and one_off(term, word)), None)


def compounds_of(connection: Connection, term: str) -> list[str]:
    """Words that the index holds and that begin or end with a term, the most frequent ones first."""
    ends = "SELECT term FROM chunk_vocabulary WHERE (term GLOB ? OR term GLOB ?) AND length(term) >= ?"
    rows = connection.execute(
        f"{ends} ORDER BY doc DESC, term LIMIT ?", (f"{term}*", f"*{term}", len(term) + REST, MOST)
    )
    return [word for (word,) in rows]


def _head(connection: Connection, term: str) -> str | None:
    """The longest word that the index holds and a compound ends with: `schlüssel` of `hausschlüssel`."""
    ends = json.dumps([term[at:] for at in range(REST, len(term) - SHORTEST + 1)])
    among = "SELECT term FROM chunk_vocabulary WHERE term IN (SELECT value FROM json_each(?))"
    rows = connection.execute(among, (ends,))
    return max((word for (word,) in rows), key=len, default=None)


def one_off(one: str, other: str) -> bool:
    """Whether two words differ by one letter, more, less or another, or by two neighbours in each other's place.

    >>> one_off("helth", "health"), one_off("recieve", "receive"), one_off("restic", "restrict")
    (True, True, False)
    """
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])


def _stem(word: str, language: str) -> str:
    with _stemming:
        return str(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> Any:
    return snowballstemmer.stemmer(pack(language).holds("about.stemmer"))
