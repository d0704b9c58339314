"""Days that filters leave, in words: `in 2023`, `from 2023-03 to 2023-08`, `since March 2024`."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from fathom.data.moments import stretch_of
from fathom.data.requests import Filter
from fathom.languages.packs import pack

_DAY = re.compile(r"[12]\d{3}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?)?)?")
_BOUNDS = ("gt", "gte", "lt", "lte")


@dataclass(frozen=True)
class Period:
    """The days from one to another, both included; open on a side where nothing bounds them."""

    field: str
    """The field with the date."""
    first: date | None
    last: date | None

    def said(self, language: str) -> str:
        """The days with the word that leads to them.

        >>> Period("day", date(2023, 3, 1), date(2023, 8, 31)).said("en")
        'from 2023-03 to 2023-08'
        >>> Period("day", None, date(2020, 12, 31)).said("ja")
        '2021年より前'
        """
        says = pack(language).says("conditions")
        if self.first and self.last:
            start, end = ends(self.first, self.last)
            if start != end:
                return str(says["between"].format(dated(start, language), dated(end, language)))
            return str(says["on" if len(start) == len("2023-03-05") else "within"].format(_written(start, says)))
        if self.first:
            return str(says["since"].format(_written(_short(self.first), says)))
        end = _short((self.last or date.max) + timedelta(days=1))
        return str(says["before"].format(_written(end, says)))

    def signs(self) -> str:
        """The days behind a sign that every language reads.

        >>> Period("day", date(2023, 3, 1), date(2023, 8, 31)).signs(), Period("day", None, date(2020, 12, 31)).signs()
        ('= 2023-03 … 2023-08', '< 2021')
        """
        if self.first and self.last:
            return f"= {' … '.join(dict.fromkeys(ends(self.first, self.last)))}"
        return f"≥ {_short(self.first)}" if self.first else f"< {_short((self.last or date.max) + timedelta(days=1))}"

    def short(self, language: str) -> str:
        """The same where no word leads to it.

        >>> Period("day", date(2024, 1, 1), date(2024, 12, 31)).short("en")
        '2024'
        """
        return re.sub(rf"^(?:{pack(language).says('conditions')['lead']})", "", self.said(language))


def periods_of(filters: Sequence[Filter]) -> Iterator[tuple[Period | None, Filter]]:
    """Each filter, those that bound the same field from both sides as one period; `None` beside one that is no date."""
    told: set[str] = set()
    for given in filters:
        if given.field in told:
            continue
        same = [each for each in filters if each.field == given.field]
        period = _period(same) if given.op in _BOUNDS else None
        if period is not None:
            told.add(given.field)
        yield period, given


def _period(filters: Sequence[Filter]) -> Period | None:
    """What all filters of a field leave; `None` where they are more than one bound on each side."""
    first = last = None
    for given in filters:
        days = _days(given.value)
        if days is None:
            return None
        starts, ends = days
        match given.op:
            case "gte" if first is None:
                first = starts
            case "gt" if first is None and ends < date.max:
                first = ends + timedelta(days=1)
            case "lt" if last is None and starts > date.min:
                last = starts - timedelta(days=1)
            case "lte" if last is None and ends < date.max:
                last = ends
            case _:
                return None
    if first and last and first > last:
        return None
    return Period(filters[0].field, first, last)


def _days(value: object) -> tuple[date, date] | None:
    """The first and the last day that a value names."""
    text = value.strip() if isinstance(value, str) else ""
    stretch = stretch_of(text[: len("2023-03-05")]) if _DAY.fullmatch(text) else None
    return stretch and (stretch[0].date(), stretch[1].date() - timedelta(days=1))


def ends(first: date, last: date) -> tuple[str, str]:
    """Both ends as years, months or days: as short as is exact."""
    after = last + timedelta(days=1)
    size = max(len(_short(first)), len(_short(after)))
    return first.isoformat()[:size], last.isoformat()[:size]


def _short(start: date) -> str:
    """The start of a year, a month or a day."""
    return start.isoformat()[: 4 if (start.month, start.day) == (1, 1) else 7 if start.day == 1 else 10]


def dated(text: str, language: str) -> str:
    """A year, a month or a day as a language has it by itself; any other text as it is.

    >>> dated("2024-03", "ja"), dated("2024", "ja"), dated("AI", "ja"), dated("2024-03", "en")
    ('2024年3月', '2024年', 'AI', '2024-03')
    """
    says = pack(language).says("conditions")
    is_day = says["dated"] and _days(text) and len(text) <= len("2024-03-05")
    return _written(text, says) if is_day else text


def _written(text: str, says: Mapping[str, Any]) -> str:
    year, month, day, *_ = (*map(int, text.split("-")), 1, 1)
    form = says[("year", "month", "day")[text.count("-")]]
    return str(form.format(year=year, month=month, day=day, name=month_name[month]))
