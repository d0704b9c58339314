"""Words that texts of records must hold, or some of them: `that mention inflation`, 「量子」を含む."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.reasoners.extractive.data.naming import Place, overlaps
from fathom.text.analysis import query_terms

LONGEST = 60
"""Characters of the longest words that are looked for."""
_QUOTES = r"\"“”'‘’「」『』"
_STOPS = (
    r"(?=\s+(?:in|by|per|from|since|between|before|after|during|over|with|and\s+(?:how|what|which|when|where)|are|is|were|was|have|has"
    r"|take|took|that|which|held|for\s+each|across|on\s+average|grouped|at|until)\b|[?.!;:。、？！]"
    r"|,(?!\s*(?:(?!by|per|in|from|since|how|what|which|who|when|where|grouped|list|count)[^\s,?.!]+(?:\s+[^\s,?.!]+){0,3}\s*,\s*)*"
    r"(?:(?!by|per|in|from|since|how|what|which|who|when|where|grouped|list|count)[^\s,?.!]+\s+(?:[^\s,?.!]+\s+){0,3}?)?(?:or|and)\s+(?!how|what|which|who|when|where))|$)"
)
_OR = re.compile(r"\s*(?:,\s*(?:(?:and|or)\s+)?|\s+or\s+|\s*/\s*)\s*", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_HOLDS = re.compile(
    r"\b(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|includ(?:e|es|ing)\s+the\s+words?|with\s+the\s+(?:words?|phrase|term)"
    r"|refer(?:s|red|ring)?\s+to|talk(?:s|ed|ing)?\s+about|discuss(?:es|ed|ing)?|speak(?:s|ing)?\s+of)\s+"
    rf"(?:the\s+(?:words?|phrase|term)\s+)?(?P<words>.+?){_STOPS}",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    rf"\b(?:about|regarding|concerning|related\s+to|relating\s+to|on\s+the\s+(?:topic|subject)\s+of)\s+(?P<words>.+?){_STOPS}",
    re.IGNORECASE,
)
_QUOTED_JA = re.compile(
    r"[「『](?P<words>[^「」『』]{1,40})[」』](?:という(?:言葉|語|単語)|の(?:語|文字))?(?:を含[むんみ]|に言及|に触れ|を扱[うっ]|が含まれ|に(?:関する|ついての)|が?ある)"
)
_NAMED = re.compile(r"(?P<words>(?<![\w'])[\"“「『'](?P<inner>[^\"“”「」『』']{2,60})[\"”」』'](?!\w))")
_PLURAL = re.compile(r"(?<=[a-z]{4})(?<!s)s$")


def mentions_in(
    text: str, *, taken: Sequence[Place], records: re.Pattern[str]
) -> tuple[tuple[tuple[str, ...], ...], list[Place], bool]:
    """The words that records must hold, where the question says so, and whether some stand in quotation marks.

    Each holds one of some: all that `and` joins must be held, and of what `or` or a comma joins, one.
    What is `taken` by values, fields and days is no such word, and neither is a word for the records.
    """
    found: list[tuple[str, ...]] = []
    places: list[Place] = []
    named = False
    for pattern in (_HOLDS, _QUOTED_JA, _ABOUT):
        for match in pattern.finditer(text):
            place = match.span("words")
            words = match["words"].strip(f" {_QUOTES}").removeprefix("the ").strip()
            if overlaps(place, places) or overlaps(place, taken) or not 2 <= len(words) <= LONGEST:
                continue
            if records.fullmatch(words) or not query_terms(records.sub(" ", words)):
                continue
            found += _alternatives(words)
            places.append(match.span())
    for match in _NAMED.finditer(text):
        if not overlaps(match.span(), [*places, *taken]):
            found.append((match["inner"].strip(),))
            places.append(match.span())
            named = True
    return tuple(dict.fromkeys(found)), places, named


def _alternatives(words: str) -> list[tuple[str, ...]]:
    """What must be held, each with what may stand instead of it.

    >>> _alternatives("solar power or wind"), _alternatives("a cat and mice")
    ([('solar power', 'wind')], [('a cat',), ('mice',)])
    """
    several = [part.strip(f" {_QUOTES}") for part in _OR.split(words)]
    if len(several) == 1:
        return [(_PLURAL.sub("", part.strip(f" {_QUOTES}")),) for part in _AND.split(words)]
    parts = [part for one in several for part in ([one] if "," not in words else _AND.split(one))]
    return [tuple(dict.fromkeys(_PLURAL.sub("", part) for part in parts if part))]


def quoted(text: str) -> list[Place]:
    """Where words stand in quotation marks."""
    return [match.span("inner") for match in _NAMED.finditer(text)]
