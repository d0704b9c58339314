"""Which statistic a question asks for, by its words: a sum, a mean, the highest value, and of how many groups."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from fathom.data.results import Statistic
from fathom.languages.packs import either
from fathom.text.numbers import SMALL

MOST_NAMED = 10
"""Groups that a sentence names at most."""
_TOLD: tuple[tuple[Statistic, re.Pattern[str]], ...] = (
    ("mean", re.compile(either("asked.mean"), re.IGNORECASE)),
    ("median", re.compile(either("asked.median"), re.IGNORECASE)),
    ("sum", re.compile(either("asked.sum"), re.IGNORECASE)),
    ("max", re.compile(either("asked.max"), re.IGNORECASE)),
    ("min", re.compile(either("asked.min"), re.IGNORECASE)),
)
"""Words that name a statistic; several may be asked for."""
_ADDED = re.compile(either("asked.added"), re.IGNORECASE)
_HIGH = re.compile(either("asked.high"), re.IGNORECASE)
_LOW = re.compile(either("asked.low"), re.IGNORECASE)
_MANY = re.compile(either("asked.many"), re.IGNORECASE)
_LEAST = re.compile(either("asked.least"), re.IGNORECASE)
_MOST = re.compile(either("asked.most"), re.IGNORECASE)
_COUNT = rf"(\d{{1,3}}|{'|'.join([*SMALL][2:])})"
_TOP = re.compile(either("asked.top", count=_COUNT), re.IGNORECASE)
_DIFFERENT = re.compile(either("asked.different"), re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a question asks of numbers."""

    statistics: tuple[Statistic, ...] = ()
    """Those that it asks for, the first one first; none when its words do not say."""
    least: bool = False
    """Whether the group with the least is asked for and not that with the most."""
    extreme: bool = False
    """Whether it asks who has the most or the least, and names no statistic: of single records it is the maximum."""
    groups: int = 0
    """Groups that it wants named; 0 when it does not say."""
    different: bool = False
    """Whether it asks how many different values there are."""


def wanted_of(question: str) -> Wanted:
    """What the words of `question` ask for.

    >>> wanted_of("Who are our top 5 customers by revenue?").statistics, wanted_of("top five themes").groups
    (('sum',), 5)
    >>> wanted_of("Which device has the highest temperature?").statistics, wanted_of("最も低い平均").least
    (('max',), True)
    """
    text = unicodedata.normalize("NFKC", question)
    found = [(match.start(), kind) for kind, words in _TOLD if (match := words.search(text))]
    statistics: tuple[Statistic, ...] = tuple(kind for _, kind in sorted(found, key=lambda each: each[0]))
    if not statistics:
        if _ADDED.search(text):
            statistics = ("sum",)
        elif _HIGH.search(text) or _LOW.search(text):
            statistics = (*(("max",) if _HIGH.search(text) else ()), *(("min",) if _LOW.search(text) else ()))
        elif _MANY.search(text):
            statistics = ("sum",)
    ends = (_HIGH, _LOW, _LEAST, _MOST)
    extreme = not found and any(words.search(text) for words in ends)
    return Wanted(
        statistics=statistics,
        least=bool(_LEAST.search(text)),
        extreme=extreme,
        groups=min(top_of(text) or 0, MOST_NAMED),
        different=bool(_DIFFERENT.search(text)),
    )


def top_of(text: str) -> int | None:
    """How many of the largest are asked for.

    >>> top_of("top five themes"), top_of("上位3カ国"), top_of("themes")
    (5, 3, None)
    """
    match = _TOP.search(text)
    if match is None:
        return None
    word = next(filter(None, match.groups())).lower()
    return max(1, SMALL[word] if word in SMALL else int(word))
