"""Conditions that a question states on numbers and texts: more than 100 attendees, 50人以上, that mention inflation."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import Filter, Operator
from fathom.languages.packs import either, packs
from fathom.reasoners.extractive.data import days
from fathom.reasoners.extractive.data.constructions import SIGNS, Place, is_free
from fathom.reasoners.extractive.data.days import YEARS, numbers_of, only_numbers
from fathom.reasoners.extractive.data.naming import Naming
from fathom.text.analysis import query_terms
from fathom.text.quantities import SCALES

_NUMBER = (
    r"[$€£¥]?\s*(?P<{0}>\d[\d,]*(?:\.\d+)?)\s*(?P<{0}_scale>thousand|million|billion|bn|[km](?![A-Za-z])|[千万億])?"
)
_WAYS: tuple[Operator, ...] = ("gte", "lte", "lt", "gt", "eq")
_ONE, _OTHER = _NUMBER.format("one"), _NUMBER.format("other")
_STATED: tuple[tuple[Operator, re.Pattern[str]], ...] = (
    *(
        ("gte", re.compile(each, re.IGNORECASE))
        for own in packs()
        for each in own.patterns("stated.ranges", one=_ONE, other=_OTHER)
    ),
    *(
        (op, re.compile(rf"(?<![\w<>])(?:{either(f'stated.{op}')})(?:\s+an?\b)?\s*{_ONE}", re.IGNORECASE))
        for op in _WAYS
    ),
    *((op, re.compile(rf"(?<![\d.,]){_ONE}(?:{either(f'behind.{op}')})", re.IGNORECASE)) for op in _WAYS if op != "eq"),
)
"""How a condition on a number is stated, by the words before it or behind it. Ranges come first: they have a second
number, their other end."""
_WITHOUT = re.compile(r"\b(?:out\s+of|no|without|zero)\s+$", re.IGNORECASE)
"""Before an amount of which there is nothing."""
_UNIT = re.compile(r"\s*[^\W\d_]{3}")
"""Behind a number that counts something of its own: `50 years` is no rank."""
_APART = re.compile(r".{29}|[,;。、?]|\b(?:by|and|per)\b")
"""Between a field and a number that do not belong together."""


def amounts_in(
    bare: str, dataset: DatasetDescription, namings: Sequence[Naming], *, records: re.Pattern[str]
) -> tuple[list[Filter], list[Place]]:
    """The conditions on numbers in a question whose days and values are signed, and where they and their fields stand.

    A number that counts the records themselves (`more than 100 events`) is no condition on any of them, and one that
    belongs to no field is not understood.
    """
    without = [each for each in namings if each.field.type == "number" and _WITHOUT.search(bare[: each.place[0]])]
    found = [Filter(field=each.field.name, value=0) for each in without]
    places = [each.place for each in without]
    for op, match in ((op, match) for op, pattern in _STATED for match in pattern.finditer(bare)):
        if not is_free(bare, match.span()) or any(start < match.end() and match.start() < end for start, end in places):
            continue
        said = match.groupdict()
        ends = sorted(_value(said[name], said[f"{name}_scale"]) for name in ("one", "other") if name in said)
        is_year = all(YEARS[0] <= end <= YEARS[1] for end in ends)
        near = _near(bare, match.span(), [each for each in namings if is_year or not days.is_year(each.field)])
        field = near.field if near else _only(ends, dataset)
        if not near and re.match(rf"\s*(?:{records.pattern}|件|回|times\b)", bare[match.end() :], re.IGNORECASE):
            places.append(match.span())
        elif field and (near or not (only_numbers(field, dataset.total) and _UNIT.match(bare, match.end()))):
            found += [Filter(field=field.name, op=op, value=ends[0])]
            found += [Filter(field=field.name, op="lte", value=end) for end in ends[1:]]
            places += [match.span(), *([near.place] if near else [])]
    return found, places


def _value(digits: str, scale: str | None) -> int | float:
    number = float(digits.replace(",", "")) * SCALES.get((scale or "").lower(), 1)
    return int(number) if number.is_integer() and abs(number) < 10**15 else number


def _only(values: Sequence[int | float], dataset: DatasetDescription) -> DataField | None:
    """The only field of numbers among whose values these lie."""

    def may_hold(field: DataField) -> bool:
        low, high = numbers_of(field) or (-math.inf, math.inf)
        return field.type == "number" and all(low <= value <= high for value in values)

    fields = [field for field in dataset.fields if may_hold(field)]
    return fields[0] if len(fields) == 1 else None


def _near(text: str, place: Place, namings: Sequence[Naming]) -> Naming | None:
    """The field of numbers that is named nearest to a number, if one is near."""

    def between(naming: Naming) -> str:
        first, second = sorted((naming.place, place))
        return text[first[1] : second[0]]

    near = [each for each in namings if each.field.type == "number" and not _APART.search(between(each))]
    return min(near, key=lambda each: len(between(each)), default=None)


_STOP = (
    r"(?=,?\s+(?:in|by|per|from|since|between|before|after|during|over|with|are|is|were|was|have|has|take|took|that|which"
    r"|held|for\s+each|across|on\s+average|grouped|at|until|(?:and\s+)?(?:how|what|which|who|when|where|list|count))\b"
    r"|[?.!;:。、？！]|$)"
)
_OR = re.compile(r"\s*(?:,\s*(?:(?:and|or)\s+)?|\s+or\s+|\s*/\s*)\s*", re.IGNORECASE)
_HOLDS = re.compile(
    r"\b(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|refer(?:s|red|ring)?\s+to|talk(?:s|ed|ing)?\s+about"
    r"|discuss(?:es|ed|ing)?|speak(?:s|ing)?\s+of|about|regarding|concerning|relat(?:ed|ing)\s+to|with\s+the\s+words?)"
    rf"\s+(?:the\s+(?:words?|phrase|term)\s+)?(?:the\s+)?(?P<words>[^{SIGNS}]{{2,60}}?){_STOP}",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    rf"(?<![\w'])[\"“「『'](?P<words>[^\"“”「」『』'{SIGNS}]{{2,60}})(?:[」』]|[\"”'](?!\w))(?:を含[むんみ]|に言及)?"
)
_QUOTES = " \"“”'‘’「」『』"
_PLURAL = re.compile(r"(?<=[a-z]{4})(?<!s)s$")


def mentions_in(shape: str, *, records: re.Pattern[str]) -> tuple[tuple[tuple[str, ...], ...], list[Place]]:
    """The words that records must hold, where the question says so, and where that stands.

    Each holds one of some: all that `and` joins must be held, and of what `or` or a comma joins, one.
    What is understood otherwise is no such word, and neither is a word for the records.
    """
    told = [(match, _alternatives(match["words"])) for match in _HOLDS.finditer(shape)]
    inside = [match.span("words") for match, _ in told]
    quoted = (match for match in _QUOTED.finditer(shape) if not any(a <= match.start() < b for a, b in inside))
    told += [(match, [(match["words"].strip(_QUOTES),)]) for match in quoted]
    told = [each for each in told if query_terms(records.sub(" ", each[0]["words"]))]
    return tuple(dict.fromkeys(each for _, words in told for each in words)), [match.span() for match, _ in told]


def _alternatives(words: str) -> list[tuple[str, ...]]:
    """What must be held, each with what may stand instead of it.

    >>> _alternatives("solar power or wind"), _alternatives("a cat and mice")
    ([('solar power', 'wind')], [('a cat',), ('mice',)])
    """
    either = len(_OR.split(words)) > 1
    parts = _OR.split(words) if either else re.split(r"\s+and\s+", words)
    each = [_PLURAL.sub("", part.strip(_QUOTES)) for part in parts]
    return [tuple(dict.fromkeys(filter(None, each)))] if either else [(part,) for part in each]
