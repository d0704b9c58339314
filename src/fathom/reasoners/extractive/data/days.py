"""When the records are that a question asks about: conditions on the field that says when, and counts over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import Filter, Interval, Scalar
from fathom.reasoners.extractive.data.words import words_of_name
from fathom.text.when import When, when

MOST_YEARS = 40
"""Years of which a month is meant when none is said."""
YEARS = (1_500, 2_100)
"""Between them lie numbers that are years, whatever their field is called."""


def moment_of(dataset: DatasetDescription) -> DataField | None:
    """The field that says when: the date of the mapping, else the first date, else the first field of years."""
    dates = [field for field in dataset.fields if field.type == "date"]
    dates.sort(key=lambda each: each.name != dataset.mapping.date)
    return next(iter((*dates, *filter(is_year, dataset.fields))), None)


def numbers_of(field: DataField) -> tuple[float, float] | None:
    """The least and the greatest number of a field, where both are known."""
    low, high = field.minimum, field.maximum
    return (low, high) if isinstance(low, int | float) and isinstance(high, int | float) else None


def only_numbers(field: DataField, records: int | None) -> bool:
    """Whether a field of numbers only numbers the records, from 1 on."""
    return numbers_of(field) == (1, records) and field.distinct == records


def is_year(field: DataField) -> bool:
    """Whether a field of numbers holds years."""
    first, last = numbers_of(field) or (0, 0)
    called = not last and ("year" in words_of_name(field.name) or field.name.endswith(("年", "年度")))
    return field.type == "number" and (called or YEARS[0] <= first <= last <= YEARS[1])


def days_of(text: str, moment: DataField | None, *, today: str) -> When:
    """The days that are meant. A month without a year is that of every year that there is."""
    if moment is None:
        return When()
    first, last = _as_day(moment.minimum), _as_day(moment.maximum)
    years = range(first.year, last.year + 1) if first and last else range(0)
    return when(text, today=today, years=years if len(years) <= MOST_YEARS else ())


def filters_of(days: When, moment: DataField | None) -> list[Filter]:
    """From the first day on, and before the day behind the last: so the last day counts whole, in years its year."""
    if moment is None:
        return []
    if several := apart(days, moment):
        return [Filter(field=moment.name, op="in", value=several)]
    is_date, found = moment.type == "date", []
    if days.since:
        found.append(Filter(field=moment.name, op="gte", value=days.since.isoformat() if is_date else days.since.year))
    if days.until:
        until = days.until.isoformat() if is_date else (days.until - timedelta(days=1)).year + 1
        found.append(Filter(field=moment.name, op="lt", value=until))
    return found


def apart(days: When, moment: DataField | None) -> tuple[Scalar, ...]:
    """The years or months that stand apart, as the field has them: one of years has no months."""
    if moment is None or moment.type == "date":
        return days.apart
    return tuple(map(int, days.apart)) if all(map(str.isdigit, days.apart)) else ()


def interval_for(field: DataField, filters: Sequence[Filter]) -> Interval:
    """Steps by how long the time is that the conditions leave: a reader can follow some thirty of them."""
    bounds = {each.op: _as_day(each.value) for each in filters if each.field == field.name}
    first = max(filter(None, (_as_day(field.minimum), bounds.get("gte"))), default=None)
    last = min(filter(None, (_as_day(field.maximum), bounds.get("lt"))), default=None)
    if first is None or last is None:
        return "month" if bounds else "year"
    span = (last - first).days
    return "day" if span <= 45 else "week" if span <= 180 else "month" if span <= 1_100 else "year"


def _as_day(value: Scalar | tuple[Scalar, ...]) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
