"""Conditions that a question states on numbers and texts: more than 100 attendees, 50人以上, that mention inflation."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import Filter, Operator
from fathom.reasoners.extractive.data.asked import groups_by
from fathom.reasoners.extractive.data.days import numbers_of
from fathom.reasoners.extractive.data.naming import Naming, Place, negated, overlaps
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.text.analysis import query_terms
from fathom.text.quantities import SCALES

_NUMBER = (
    r"[$€£¥]?\s*(?P<{0}>\d[\d,]*(?:\.\d+)?)\s*(?P<{0}_scale>thousand|million|billion|bn|[km](?![A-Za-z])|[千万億])?"
)
_LESS = r"(?:less|fewer|lower|smaller|younger|shorter|cheaper|lighter|slower|earlier)\s+than"
_MORE = r"(?:more|(?!other|rather|either)\w{2,8}er)\s+than"
_BEFORE: dict[Operator, str] = {
    "gte": rf"(?:at\s+least|not?\s+{_LESS}|(?:a\s+)?minimum\s+of|>=|≥)",
    "lte": rf"(?:at\s+most|up\s+to|not?\s+{_MORE}|(?:a\s+)?maximum\s+of|<=|≤)",
    "lt": rf"(?:{_LESS}|under|below|<)",
    "gt": rf"(?:{_MORE}|over|above|exceed(?:s|ing)?|>)",
    "eq": r"(?:exactly|equals?(?:\s+to)?|equal\s+to|=)",
}
_BEHIND: dict[Operator, str] = {
    "gte": r"\s*(?:\+|or\s+(?:more|higher|above|over)|and\s+(?:above|over|more))|.{0,3}?以上",
    "lte": r"\s*(?:or\s+(?:less|fewer|lower|below|under)|and\s+(?:below|under|less))|.{0,3}?以下",
    "gt": r".{0,3}?(?:を(?:超え|越え|上回)|超(?!過)|より(?:も)?(?:多|高|大|上|長))",
    "lt": r".{0,3}?(?:未満|を下回|より(?:も)?(?:少|低|安|小|短))",
}
_RANGE = (
    rf"\bbetween\s+{_NUMBER.format('one')}\s+and\s+{_NUMBER.format('other')}",
    rf"\bfrom\s+{_NUMBER.format('one')}\s+to\s+{_NUMBER.format('other')}",
    rf"(?<![\d,]){_NUMBER.format('one')}.{{0,2}}?(?:から|[~〜～]|以上)\s*{_NUMBER.format('other')}.{{0,2}}?(?:以下|未満|まで|の間)",
)
_STATED: tuple[tuple[Operator, re.Pattern[str]], ...] = tuple(
    (op, re.compile(pattern, re.IGNORECASE))
    for op, pattern in (
        *(("gte", pattern) for pattern in _RANGE),
        *((op, rf"(?<![\w<>]){words}(?:\s+an?\b)?\s*{_NUMBER.format('one')}") for op, words in _BEFORE.items()),
        *((op, rf"(?<![\d.,]){_NUMBER.format('one')}(?:{words})") for op, words in _BEHIND.items()),
    )
)
"""How a condition on a number is stated; a range has a second number, its other end."""
_APART = re.compile(r".{29}|[,;。、?]|\b(?:by|and|per)\b")
"""Between a field and a number that do not belong together."""


def amounts_in(
    text: str,
    dataset: DatasetDescription,
    namings: Sequence[Naming],
    *,
    records: re.Pattern[str],
    taken: Sequence[Place] = (),
) -> tuple[list[Filter], list[Place]]:
    """The conditions on numbers in `text` (NFKC), and where they and their fields stand.

    A number that counts the records themselves (`more than 100 events`) is no condition on any of them, and one that
    belongs to no field is not understood.
    """
    found: list[Filter] = []
    places: list[Place] = []
    for op, match in ((op, match) for op, pattern in _STATED for match in pattern.finditer(text)):
        said = match.groupdict()
        ends = sorted(_value(said[name], said[f"{name}_scale"]) for name in ("one", "other") if name in said)
        if overlaps(match.span(), (*taken, *places)):
            continue
        near = _near(text, match.span(), namings)
        if not near and re.compile(rf"\s*(?:{records.pattern}|件|回|times\b)", records.flags).match(text, match.end()):
            places.append(match.span())
        elif field := near.field if near else _only(ends, dataset):
            found += [
                Filter(field=field.name, op=each, value=end) for each, end in zip((op, "lte"), ends, strict=False)
            ]
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


def flags_in(text: str, dataset: DatasetDescription, namings: Sequence[Naming]) -> tuple[list[Filter], list[Place]]:
    """Fields that are true or false and named as what records are: `online events`, `events that are not free`."""
    found = {
        each.place: Filter(field=each.field.name, value=not negated(text, each.place))
        for each in namings
        if each.field.type == "boolean" and not groups_by(text, each.place)
    }
    for field in dataset.fields:
        word = words_of_name(field.name)[-1:] if field.type == "boolean" else ()
        if word and (match := re.search(rf"\b(?:un|in|non-?){re.escape(word[0])}\w{{0,4}}\b", text, re.IGNORECASE)):
            found[match.span()] = Filter(field=field.name, value=False)
    return list(found.values()), list(found)


LONGEST = 60
"""Characters of the longest words that are looked for."""
_QUOTES = r"\"“”'‘’「」『』"
_STOP = (
    r"(?=,?\s+(?:in|by|per|from|since|between|before|after|during|over|with|are|is|were|was|have|has|take|took|that|which"
    r"|held|for\s+each|across|on\s+average|grouped|at|until|(?:and\s+)?(?:how|what|which|who|when|where|list|count))\b"
    r"|[?.!;:。、？！]|$)"
)
_OR = re.compile(r"\s*(?:,\s*(?:(?:and|or)\s+)?|\s+or\s+|\s*/\s*)\s*", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_HOLDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|refer(?:s|red|ring)?\s+to|talk(?:s|ed|ing)?\s+about"
        r"|discuss(?:es|ed|ing)?|speak(?:s|ing)?\s+of|about|regarding|concerning|relat(?:ed|ing)\s+to|with\s+the\s+words?)"
        rf"\s+(?:the\s+(?:words?|phrase|term)\s+)?(?P<words>.+?){_STOP}",
        r"(?<![\w'])[\"“「『'](?P<words>[^\"“”「」『』']{2,60})(?:[」』]|[\"”'](?!\w))(?:を含[むんみ]|に言及)?",
    )
)
_PLURAL = re.compile(r"(?<=[a-z]{4})(?<!s)s$")


def mentions_in(
    text: str, *, taken: Sequence[Place], records: re.Pattern[str]
) -> tuple[tuple[tuple[str, ...], ...], list[Place]]:
    """The words that records must hold, where the question says so, and where that stands.

    Each holds one of some: all that `and` joins must be held, and of what `or` or a comma joins, one.
    What is `taken` by values, fields and days is no such word, and neither is a word for the records.
    """
    found: list[tuple[str, ...]] = []
    places: list[Place] = []
    for pattern in _HOLDS:
        for match in pattern.finditer(text):
            words = match["words"].strip(f" {_QUOTES}").removeprefix("the ").strip()
            known = overlaps(match.span("words"), [*places, *taken]) or not 2 <= len(words) <= LONGEST
            if not known and query_terms(records.sub(" ", words)):
                found += [(words,)] if pattern is _HOLDS[-1] else _alternatives(words)
                places.append(match.span())
    return tuple(dict.fromkeys(found)), places


def _alternatives(words: str) -> list[tuple[str, ...]]:
    """What must be held, each with what may stand instead of it.

    >>> _alternatives("solar power or wind"), _alternatives("a cat and mice")
    ([('solar power', 'wind')], [('a cat',), ('mice',)])
    """
    either = len(_OR.split(words)) > 1
    each = [_PLURAL.sub("", part.strip(f" {_QUOTES}")) for part in (_OR if either else _AND).split(words)]
    return [tuple(dict.fromkeys(filter(None, each)))] if either else [(part,) for part in each]
