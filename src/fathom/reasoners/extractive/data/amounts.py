"""Conditions on numbers that a question states: more than 100 attendees, a price below 20, 定員が50人以上."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import Filter, Operator
from fathom.reasoners.extractive.data.naming import Naming, Place, overlaps
from fathom.text.quantities import SCALES

_NUMBER = (
    r"[$€£¥]?\s*(?P<{0}>\d[\d,]*(?:\.\d+)?)\s*(?P<{0}_scale>thousand|million|billion|bn|[km](?![A-Za-z])|[千万億])?"
)
_ONE = _NUMBER.format("one")
_OTHER = _NUMBER.format("other")
_BEFORE: dict[Operator, str] = {
    "gte": r"(?:at\s+least|no(?:t)?\s+(?:less|fewer)\s+than|a\s+minimum\s+of|minimum\s+of|>=|≥)",
    "lte": r"(?:at\s+most|up\s+to|no(?:t)?\s+(?:more|higher|greater)\s+than|a\s+maximum\s+of|maximum\s+of|<=|≤)",
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
    (op, re.compile(pattern, re.IGNORECASE))
    for op, pattern in (
        *((op, rf"(?<![\w<>]){words}\s*{_ONE}") for op, words in _BEFORE.items()),
        *((op, rf"(?<![\d.,]){_ONE}(?:{words})") for op, words in _BEHIND.items()),
    )
)
_BETWEEN = re.compile(
    rf"\bbetween\s+{_ONE}\s+and\s+{_OTHER}"
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
        if _counts_records(text, place, records, namings):
            places.append(place)
            continue
        field, named_at = _field_of(text, place, [value for _, value in conditions], dataset, namings)
        if field is None:
            lost.append(place)
            continue
        found += [Filter(field=field.name, op=op, value=value) for op, value in conditions]
        places += [place, *([named_at] if named_at else [])]
    return found, places, lost


def _conditions(text: str) -> list[tuple[Place, list[tuple[Operator, int | float]]]]:
    found: list[tuple[Place, list[tuple[Operator, int | float]]]] = []
    for match in _BETWEEN.finditer(text):
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


def _field_of(
    text: str, place: Place, values: Sequence[int | float], dataset: DatasetDescription, namings: Sequence[Naming]
) -> tuple[DataField | None, Place | None]:
    """The field of numbers that is named nearest; else the only one, or the only one among whose values these lie."""
    if near := _near(text, place, namings):
        naming = min(near, key=lambda each: each[0])[1]
        return naming.field, naming.place
    numeric = [field for field in dataset.fields if field.type == "number"]
    if len(numeric) > 1:
        numeric = [field for field in numeric if _spans(field.minimum, field.maximum, values)]
    return (numeric[0], None) if len(numeric) == 1 else (None, None)


def _spans(low: object, high: object, values: Sequence[int | float]) -> bool:
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return all(low <= value <= high for value in values)


def _counts_records(text: str, place: Place, records: re.Pattern[str], namings: Sequence[Naming]) -> bool:
    """Whether a number counts records: `more than 100 events`, and no field of numbers is named beside it."""
    behind = text[place[1] :]
    said = records.match(behind.lstrip()) or re.match(r"\s*(?:件|回|times\b)", behind)
    return bool(said) and not _near(text, place, namings)


def _near(text: str, place: Place, namings: Sequence[Naming]) -> list[tuple[int, Naming]]:
    """The fields of numbers that are named near a number, with how far away."""
    near: list[tuple[int, Naming]] = []
    for naming in namings:
        if naming.field.type != "number":
            continue
        behind, before = naming.place[0] - place[1], place[0] - naming.place[1]
        gap = behind if behind >= 0 else before
        between = text[place[1] : naming.place[0]] if behind >= 0 else text[naming.place[1] : place[0]]
        if 0 <= gap <= _NEAR and not re.search(r"[,;。、?]|\b(?:by|and|per)\b", between):
            near.append((gap, naming))
    return near
