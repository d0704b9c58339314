"""When the records are that a question asks about: as conditions on the field that says when, and as counts by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from fathom.data.fields import DataField, DatasetDescription
from fathom.data.requests import DateHistogram, Filter, Interval, Scalar
from fathom.reasoners.extractive.data import asked
from fathom.reasoners.extractive.data.days import Days, days_in, month_alone
from fathom.reasoners.extractive.data.naming import Naming
from fathom.reasoners.extractive.data.words import words_of_name

MOST_YEARS = 40
"""Years of which a month is meant when none is said."""
YEARS = (1_500, 2_100)
"""Between them lie numbers that are years, whatever their field is called."""


def moment_of(dataset: DatasetDescription) -> DataField | None:
    """The field that says when: the date of the mapping, else the first date, else the first field of years."""
    dates = [field for field in dataset.fields if field.type == "date"]
    years = (field for field in dataset.fields if is_year(field))
    return next((each for each in dates if each.name == dataset.mapping.date), next(iter(dates), next(years, None)))


def is_year(field: DataField) -> bool:
    """Whether a field of numbers holds years."""
    low, high = field.minimum, field.maximum
    if field.type != "number":
        return False
    if isinstance(low, int | float) and isinstance(high, int | float):
        return YEARS[0] <= low <= high <= YEARS[1]
    return "year" in words_of_name(field.name) or field.name.endswith(("年", "年度"))


def days_of(text: str, moment: DataField | None, *, today: str) -> Days:
    """The days that are meant. A month without a year is that of every year that there is."""
    days = days_in(text, today=today) if moment else Days()
    if moment is None or moment.type != "date" or days.places or (alone := month_alone(text)) is None:
        return days
    number, place = alone
    first, last = _as_day(moment.minimum), _as_day(moment.maximum)
    if first is None or last is None or last.year - first.year > MOST_YEARS:
        return days
    return Days(places=(place,), apart=tuple(f"{year}-{number:02}" for year in range(first.year, last.year + 1)))


def filters_of(days: Days, moment: DataField | None) -> list[Filter]:
    """From the first day on, and before the day behind the last: so the last day counts whole, in years its year."""
    if moment is None:
        return []
    if several := apart(days, moment):
        return [Filter(field=moment.name, op="in", value=several)]
    is_date = moment.type == "date"
    found = []
    if days.since:
        found.append(Filter(field=moment.name, op="gte", value=days.since.isoformat() if is_date else days.since.year))
    if days.until:
        until = days.until.isoformat() if is_date else (days.until - timedelta(days=1)).year + 1
        found.append(Filter(field=moment.name, op="lt", value=until))
    return found


def apart(days: Days, moment: DataField | None) -> tuple[Scalar, ...]:
    """The years or months that stand apart, as the field has them: one of years has no months."""
    if moment is None or moment.type == "date":
        return days.apart
    return tuple(map(int, days.apart)) if all(map(str.isdigit, days.apart)) else ()


def histogram_of(text: str, named: Sequence[Naming], days: Days, moment: DataField | None) -> DateHistogram | None:
    """Counts over time when the question asks for them, names a date to count by, or sets periods side by side."""
    dates = [each for each in named if each.field.type == "date"]
    grouped = [each for each in dates if asked.groups_by(text, each.place)]
    asks = asked.over_time(text) or grouped or (days.several and not days.apart)
    if moment is None or moment.type != "date" or not asks:
        return None
    field = (grouped or dates)[0].field if dates else moment
    usual = "year" if days.several else interval_for(field, filters_of(days, field))
    return DateHistogram(field=field.name, interval=asked.interval_of(text) or usual)


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
    match = re.match(r"\d{4}-\d\d-\d\d", value) if isinstance(value, str) else None
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:
        return None
