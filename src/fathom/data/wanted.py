"""Which statistic a question asks for, by its words: a sum, a mean, the highest value, and of how many groups."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from fathom.data.results import Statistic
from fathom.text.numbers import SMALL

MOST_NAMED = 10
"""Groups that a sentence names at most."""
_TOLD: tuple[tuple[Statistic, re.Pattern[str]], ...] = (
    ("mean", re.compile(r"\b(?:averag\w*|mean|avg|typical(?:ly)?)\b|平均", re.IGNORECASE)),
    ("median", re.compile(r"\bmedian\b|中央値", re.IGNORECASE)),
    (
        "sum",
        re.compile(r"\b(?:totals?|sum|combined|overall|altogether|cumulative|add\s+up)\b|合計|総|累計", re.IGNORECASE),
    ),
    ("max", re.compile(r"\b(?:maximum|max|hottest|warmest|peak|most\s+expensive|range)\b|最大値", re.IGNORECASE)),
    ("min", re.compile(r"\b(?:minimum|min|coldest|coolest|cheapest|range)\b|最小値", re.IGNORECASE)),
)
"""Words that name a statistic; several may be asked for."""
_ADDED = re.compile(
    r"\b(?:revenues?|sales|sells?|sold|selling|turnover|earn(?:s|ed|ings?)?|income|profits?|costs?|spen[dt]\w*"
    r"|quantit(?:y|ies)|units|votes|attendees|visitors|downloads|amounts?)\b|売上|売り上げ|販売|収入|収益|利益|数量|金額",
    re.IGNORECASE,
)
"""What is added up when nothing else is said of it."""
_HIGH = re.compile(
    r"\b(?<!at )(?:highest|largest|greatest|biggest|oldest|longest|heaviest|tallest)\b|最大|最高|最も高|一番高",
    re.IGNORECASE,
)
_LOW = re.compile(
    r"\b(?<!at )(?:lowest|smallest|youngest|shortest|lightest)\b|最小|最低|最安|最も低|一番低", re.IGNORECASE
)
_MANY = re.compile(
    r"\b(?<!at )(?:most|top|best|least|fewest)\b|\bhow\s+(?:much|many)\b"
    r"|最多|最も多|一番多|最少|上位|いくら|何(?:人|名|個)",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?<!at )(?:least|fewest|lowest|smallest|worst|bottom|coldest|coolest|cheapest|minimum)\b|最低|最小|最少|最安"
    r"|(?:最も|一番)(?:少|低|小|安)",
    re.IGNORECASE,
)
_MOST = re.compile(r"\b(?<!at )most\b|最", re.IGNORECASE)
_COUNT = rf"(\d{{1,3}}|{'|'.join([*SMALL][2:])})"
_TOP = re.compile(
    rf"\b(?:top|first|best|leading|bottom|lowest|highest|largest|biggest)\s+{_COUNT}\b"
    rf"|\b{_COUNT}\s+(?:most|largest|biggest|highest|leading|top|main|best|lowest)\b|(?:上位|トップ|ベスト)\s?(\d{{1,3}})",
    re.IGNORECASE,
)
_DIFFERENT = re.compile(
    r"\b(?:how\s+many|number\s+of|count\s+(?:of\s+)?(?:the\s+)?)\s*(?:different|distinct|unique)\b|何(?:種類|か国|カ国|ヶ国)|種類数",
    re.IGNORECASE,
)


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
