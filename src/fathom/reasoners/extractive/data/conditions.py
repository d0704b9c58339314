"""Conditions that a question states on numbers and texts: more than 100 attendees, 50人以上, that mention inflation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import Filter, Operator
from fathom.reasoners.extractive.data.naming import Naming, Place, overlaps
from fathom.text.analysis import query_terms
from fathom.text.quantities import SCALES

_NUMBER = (
    r"[$€£¥]?\s*(?P<{0}>\d[\d,]*(?:\.\d+)?)\s*(?P<{0}_scale>thousand|million|billion|bn|[km](?![A-Za-z])|[千万億])?"
)
_BEFORE: dict[Operator, str] = {
    "gte": r"(?:at\s+least|no(?:t)?\s+(?:less|fewer)\s+than|(?:a\s+)?minimum\s+of|>=|≥)",
    "lte": r"(?:at\s+most|up\s+to|no(?:t)?\s+(?:more|higher|greater)\s+than|(?:a\s+)?maximum\s+of|<=|≤)",
    "gt": r"(?:(?:more|greater|higher|larger|bigger|older|longer|heavier)\s+than|over|above|exceed(?:s|ing)?|>)",
    "lt": r"(?:(?:less|fewer|lower|smaller|younger|shorter|cheaper|lighter)\s+than|under|below|<)",
    "eq": r"(?:exactly|equals?(?:\s+to)?|equal\s+to|=)",
}
_BEHIND: dict[Operator, str] = {
    "gte": r"\s*(?:\+|or\s+(?:more|higher|above|over)|and\s+(?:above|over|more))|.{0,3}?以上",
    "lte": r"\s*(?:or\s+(?:less|fewer|lower|below|under)|and\s+(?:below|under|less))|.{0,3}?以下",
    "gt": r".{0,3}?(?:を(?:超え|越え|上回)|超(?!過)|より(?:も)?(?:多|高|大|上|長))",
    "lt": r".{0,3}?(?:未満|を下回|より(?:も)?(?:少|低|安|小|短))",
}
_COMPARED = tuple(
    (op, re.compile(pattern.format(number=_NUMBER.format("one"), words=words), re.IGNORECASE))
    for pattern, ways in ((r"(?<![\w<>]){words}\s*{number}", _BEFORE), (r"(?<![\d.,]){number}(?:{words})", _BEHIND))
    for op, words in ways.items()
)
_RANGE = re.compile(
    rf"\bbetween\s+{_NUMBER.format('one')}\s+and\s+{_NUMBER.format('other')}"
    rf"|\bfrom\s+{_NUMBER.format('from')}\s+to\s+{_NUMBER.format('to')}"
    rf"|(?<!\d)(?<!\d,){_NUMBER.format('low')}.{{0,2}}?(?:から|~|〜|～|以上)\s*{_NUMBER.format('high')}.{{0,2}}?(?:以下|未満|まで|の間)",
    re.IGNORECASE,
)
_NEAR = 28
"""Characters between a field and a number that belong together."""


def amounts_in(
    text: str,
    dataset: DatasetDescription,
    namings: Sequence[Naming],
    *,
    records: re.Pattern[str],
    taken: Sequence[Place] = (),
) -> tuple[list[Filter], list[Place], list[Place]]:
    """The conditions on numbers in `text` (NFKC), where they and their fields stand, and where those are of no field.

    A number that counts the records themselves (`more than 100 events`) is no condition on any of them.
    """
    found: list[Filter] = []
    places: list[Place] = []
    lost: list[Place] = []
    for place, conditions in _conditions(text):
        if overlaps(place, (*taken, *places)):
            continue
        near = _near(text, place, namings)
        behind = text[place[1] :]
        if not near and (records.match(behind.lstrip()) or re.match(r"\s*(?:件|回|times\b)", behind)):
            places.append(place)
            continue
        field = near.field if near else _only([value for _, value in conditions], dataset)
        if field is None:
            lost.append(place)
            continue
        found += [Filter(field=field.name, op=op, value=value) for op, value in conditions]
        places += [place, *([near.place] if near else [])]
    return found, places, lost


def _conditions(text: str) -> list[tuple[Place, list[tuple[Operator, int | float]]]]:
    found: list[tuple[Place, list[tuple[Operator, int | float]]]] = []
    for match in _RANGE.finditer(text):
        groups = [name for name in ("one", "other", "from", "to", "low", "high") if match[name]]
        low, high = (_value(match[name], match[f"{name}_scale"]) for name in groups)
        found.append((match.span(), [("gte", min(low, high)), ("lte", max(low, high))]))
    for op, pattern in _COMPARED:
        for match in pattern.finditer(text):
            if not overlaps(match.span(), [place for place, _ in found]):
                found.append((match.span(), [(op, _value(match["one"], match["one_scale"]))]))
    return sorted(found, key=lambda each: each[0])


def _value(digits: str, scale: str | None) -> int | float:
    number = float(digits.replace(",", "")) * SCALES.get((scale or "").lower(), 1)
    return int(number) if number.is_integer() and abs(number) < 10**15 else number


def _only(values: Sequence[int | float], dataset: DatasetDescription) -> DataField | None:
    """The only field of numbers, or the only one among whose values these lie."""
    fields = [field for field in dataset.fields if field.type == "number"]
    if len(fields) > 1:
        fields = [
            field
            for field in fields
            if isinstance(low := field.minimum, int | float)
            and isinstance(high := field.maximum, int | float)
            and all(low <= value <= high for value in values)
        ]
    return fields[0] if len(fields) == 1 else None


def _near(text: str, place: Place, namings: Sequence[Naming]) -> Naming | None:
    """The field of numbers that is named nearest to a number, if one is near."""
    near: list[tuple[int, Naming]] = []
    for naming in namings:
        first, second = sorted((naming.place, place))
        between = text[first[1] : second[0]]
        apart = len(between) > _NEAR or re.search(r"[,;。、?]|\b(?:by|and|per)\b", between)
        if naming.field.type == "number" and not apart:
            near.append((len(between), naming))
    return min(near, key=lambda each: each[0])[1] if near else None


# ── Texts ──────────────────────────────────────────────────────────────────────────────────────────────────────────

LONGEST = 60
"""Characters of the longest words that are looked for."""
_QUOTES = r"\"“”'‘’「」『』"
_STOP = (
    r"(?=,?\s+(?:in|by|per|from|since|between|before|after|during|over|with|are|is|were|was|have|has|take|took|that|which"
    r"|held|for\s+each|across|on\s+average|grouped|at|until|(?:and\s+)?(?:how|what|which|who|when|where|list|count))\b"
    r"|[?.!;:。、？！]|$)"
)
_SPLIT = re.compile(r"\s*(?:,\s*(?:(?:and|or)\s+)?|\s+or\s+|\s*/\s*)\s*", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_HOLDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|refer(?:s|red|ring)?\s+to|talk(?:s|ed|ing)?\s+about"
        r"|discuss(?:es|ed|ing)?|speak(?:s|ing)?\s+of|about|regarding|concerning|relat(?:ed|ing)\s+to|with\s+the\s+words?)"
        rf"\s+(?:the\s+(?:words?|phrase|term)\s+)?(?P<words>.+?){_STOP}",
        r"[「『](?P<words>[^「」『』]{1,40})[」』](?:という(?:言葉|語|単語))?(?:を含[むんみ]|に言及|に触れ|が含まれ|に関する|についての|が?ある)",
        r"(?<![\w'])[\"“「『'](?P<words>[^\"“”「」『』']{2,60})[\"”」』'](?!\w)",
    )
)
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
    for pattern in _HOLDS:
        for match in pattern.finditer(text):
            place = match.span("words")
            words = match["words"].strip(f" {_QUOTES}").removeprefix("the ").strip()
            known = overlaps(place, [*places, *taken]) or not 2 <= len(words) <= LONGEST
            if not known and query_terms(records.sub(" ", words)):
                quoted = pattern is _HOLDS[-1]
                found += [(words,)] if quoted else _alternatives(words)
                places.append(match.span())
    named = any(overlaps(match.span(), places) for match in _HOLDS[-1].finditer(text))
    return tuple(dict.fromkeys(found)), places, named


def _alternatives(words: str) -> list[tuple[str, ...]]:
    """What must be held, each with what may stand instead of it.

    >>> _alternatives("solar power or wind"), _alternatives("a cat and mice")
    ([('solar power', 'wind')], [('a cat',), ('mice',)])
    """
    several = [part.strip(f" {_QUOTES}") for part in _SPLIT.split(words)]
    if len(several) == 1:
        return [(_PLURAL.sub("", part.strip(f" {_QUOTES}")),) for part in _AND.split(words)]
    return [tuple(dict.fromkeys(_PLURAL.sub("", part) for part in several if part))]
