"""What fields are called in questions: words for the same, and the words of a field's name."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from fathom.languages.packs import packs
from fathom.text.analysis import stem

PIECE = re.compile(r"[A-ZÀ-Þ]{2,}(?![a-zß-ɏ])|[A-ZÀ-Þ]?[a-zß-ɏ]+|\d+|[^\W\d_A-Za-zÀ-ɏ]+")
"""A word of a name."""

_BY_STEM: dict[str, list[str]] = {}
_BY_LETTERS: dict[str, str] = {}
for _each in packs():
    for _meaning, _words in _each.table("fields").items():
        for _word in _words.split():
            if _word.isascii():
                _BY_STEM.setdefault(stem(_word), []).append(_meaning)
            else:
                _BY_LETTERS[_word] = _meaning
WIDE_WORDS = tuple(sorted(_BY_LETTERS, key=len, reverse=True))
"""Words for fields that are met letter by letter, the longest first."""
EVERYWHERE = frozenset("id name code date value key no number is has of the field column".split())
"""Words in the names of fields that say little of what a field is, when another word is there."""


@lru_cache(maxsize=4096)
def words_of_name(name: str) -> tuple[str, ...]:
    """The stems of a field's name, in order.

    >>> words_of_name("event_theme"), words_of_name("startDate"), words_of_name("開催国")
    (('event', 'theme'), ('start', 'date'), ('開催国',))
    """
    return tuple(map(stem_of, PIECE.findall(unicodedata.normalize("NFKC", name))))


def stem_of(piece: str) -> str:
    """The stem of an English word; anything else in lower case."""
    return stem(piece.lower()) if piece.isascii() and piece.isalpha() else piece.lower()


def words_alike(name: str) -> list[str]:
    """The stems of English words that mean what a field of that name may mean."""
    meanings = meanings_of(name)
    return [word for word, own in _BY_STEM.items() if not meanings.isdisjoint(own)]


@lru_cache(maxsize=4096)
def meanings_of(name: str) -> frozenset[str]:
    """What a field of that name may mean, in one word each."""
    english = {meaning for word in words_of_name(name) for meaning in _BY_STEM.get(word, ())[-1:]}
    return frozenset(english | {_BY_LETTERS[word] for word in WIDE_WORDS if word in name and len(word) > 1})


def meaning_of(word: str) -> str:
    """What a word of a question means as a field; empty when it means none.

    >>> meaning_of("topics"), meaning_of("参加者数"), meaning_of("sky")
    ('theme', 'attendance', '')
    """
    return next(reversed(_BY_STEM.get(stem(word.lower()), ())), "") if word.isascii() else _BY_LETTERS.get(word, "")
