"""What a question names besides all that was understood: it is looked for in the texts, or said to be left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from fathom.data.naming import TALLYING, stems
from fathom.data.wanted import top_of
from fathom.languages.packs import either, packs, words
from fathom.reasoners.extractive.data.constructions import FIELD, SIGNED, is_free
from fathom.text.analysis import identifiers, stem
from fathom.text.numbers import SMALL
from fathom.text.stopwords import ASKING_PHRASES, ASKING_WORDS, ENGLISH_STOP_WORDS

MOST = 8
"""Things that are looked for; a question with more of them is told in other words than the data."""
LEAST_FIGURES = 3
"""Figures from which a lone number names something; a smaller one is an amount of what was not understood."""
_TASK = TALLYING | ENGLISH_STOP_WORDS | ASKING_WORDS | stems(" ".join(words("tally.task")))
"""Stems of English words that ask, count and order: they say what is to be done, and not with what."""
_BEYOND = re.compile(either("tally.beyond", numbers="|".join([*SMALL][2:]), **SIGNED), re.IGNORECASE)
"""Words that ask for what no count tells: an order, a distance, all but one; and numbers that nobody took."""
_AMONG = re.compile(either("tally.among"), re.IGNORECASE)
_SUBJECTS = [re.compile(each, re.IGNORECASE) for own in packs() for each in own.patterns("tally.subject", **SIGNED)]
"""What is counted, or to be listed."""
_WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f][A-Za-z0-9\u00c0-\u024f]*(?:[.'’&+/-][A-Za-z0-9\u00c0-\u024f]+)*|\d+(?:\.\d+)*"
)
_SAID_OF = re.compile(either("tally.about", **SIGNED), re.IGNORECASE)
"""Before what texts are said to hold."""
_POSSESSIVE = re.compile(r"['’]s?$")
_SAID_WIDE = re.compile(either("tally.phrases"), re.IGNORECASE)
_PART_WIDE = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff々]{2,}|[A-Za-z][A-Za-z0-9]*|\d+")
_JAPANESE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")


class Unknown(NamedTuple):
    """A word, a plural without its last letter, or the words of a name, that nothing of the data accounts for."""

    text: str
    is_name: bool


def unaccounted(shape: str) -> tuple[Unknown, ...]:
    """What the shape of a question names without a sign for it, besides words of asking.

    Japanese that is written together with a field, or with the ending of a verb, names nothing by itself.

    >>> [each.text for each in unaccounted("How many of them in New Delhi were about audits?")]
    ['New Delhi', 'audit']
    >>> [each.text for each in unaccounted("モンゴルの件数を教えてください")]
    ['モンゴル']
    """
    found = {match[1].casefold(): Unknown(match[1], is_name=False) for match in _AMONG.finditer(shape)}
    for each in _of_japanese(shape) if _JAPANESE.search(shape) else _of_english(shape):
        found.setdefault(each.text.casefold(), each)
    return tuple(found.values())[:MOST]


def beyond(shape: str) -> list[str]:
    """The words without a sign that ask for what no count tells."""
    top = top_of(shape)
    found = dict.fromkeys(match[0] for match in _BEYOND.finditer(shape))
    return [word for word in found if top is None or str(top) not in (word, str(SMALL.get(word)))]


def subjects(shape: str) -> frozenset[str]:
    """Stems of the nouns of which something is asked: what is no field is a word for the records.

    >>> sorted(subjects("How many splendid games were played?")), sorted(subjects("who won"))
    (['game'], [])
    >>> sorted(subjects("鈴木の貸出をすべて一覧にして"))
    ['貸出']
    """
    found = (match["noun"] for pattern in _SUBJECTS for match in pattern.finditer(shape))
    return frozenset(stem(noun.lower()) for noun in found)


def _of_english(text: str) -> Iterator[Unknown]:
    """Words that tell something, in order; those of a name together. What texts are said to hold is a name, too."""
    found: dict[int, Unknown] = {}
    for name in identifiers(text):
        if name[0].isalpha() and is_free(name, (0, len(name))) and not all(map(_asks, name.split())):
            found[text.find(name)] = Unknown(text=name, is_name=True)
            text = text.replace(name, " " * len(name))
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        asks = _asks(word) or (word.endswith("ly") and len(word) > 4) or len(word) < 2
        if not asks and (not word.isdigit() or len(word) >= LEAST_FIGURES):
            plain = re.sub(r"(?<=[a-z]{3})(?:ies|(?<![su])s)$", "", word)  # so that a plural stands in texts, too
            found[match.start()] = Unknown(text=plain, is_name=bool(_SAID_OF.search(text[: match.start()])))
    return (found[at] for at in sorted(found))


def _asks(word: str) -> bool:
    """Whether a word says what is to be done."""
    return word.lower() in _TASK or stem(word.lower()) in _TASK


def _of_japanese(text: str) -> Iterator[Unknown]:
    for pattern in (_SAID_WIDE, ASKING_PHRASES):
        text = pattern.sub(lambda said: " " * len(said[0]), text)
    for match in _PART_WIDE.finditer(text):
        word = match[0]
        if not word.isdigit() and not (word.isascii() and _asks(word)):
            yield Unknown(text=word, is_name=not text.startswith(FIELD, match.end()))
