"""Dates of any precision: what stretch of time a text means, and what a step of a histogram is called."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from fathom.data.requests import Interval

_YEAR = re.compile(r"(\d{4})(?:-(?:Q([1-4])|W(\d{1,2})|(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}))?)?))?")
_JAPANESE = re.compile(r"(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?")


def _at(year: int, month: int = 1, day: int = 1, hour: int = 0) -> datetime:
    return datetime(year, month, day, hour)  # noqa: DTZ001 - as DuckDB has them: in UTC, without saying so


_LAST = datetime.max  # noqa: DTZ901 - see `_at`
"""Where the calendar ends: what would go on behind it ends there."""


def stretch_of(text: str) -> tuple[datetime, datetime] | None:
    """From when until before when a text means; `None` when it is no date.

    >>> stretch_of("2024-Q1")
    (datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 4, 1, 0, 0))
    >>> stretch_of("2024-02-30") is None
    True
    """
    text = text.strip()
    if match := _JAPANESE.fullmatch(text):
        text = "-".join(part for part in match.groups() if part)
    try:
        if match := _YEAR.fullmatch(text):
            year, quarter, week, month, day, hour = (int(part) if part else None for part in match.groups())
            if year is None or year == 0:
                return None
            if quarter:
                return _from(_at(year, 3 * quarter - 2, 1), "quarter")
            if week:
                return _from(datetime.fromisocalendar(year, week, 1), "week")
            if hour is not None:
                return _from(_at(year, month or 1, day or 1, hour), "hour")
            return _from(_at(year, month or 1, day or 1), "day" if day else "month" if month else "year")
        moment = datetime.fromisoformat(text)
        if moment.tzinfo:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    smallest = timedelta(microseconds=1) if moment.microsecond or "." in text else timedelta(seconds=1)
    if re.fullmatch(r"\d{4}-?\d{2}-?\d{2}[T ]\d{2}:\d{2}(Z|[+-][\d:]+)?", text):
        smallest = timedelta(minutes=1)
    return moment, _later(moment, smallest)


def _from(start: datetime, interval: Interval) -> tuple[datetime, datetime]:
    return start, following(start, interval)


def following(start: datetime, interval: Interval) -> datetime:
    """When the next step begins."""
    if interval in ("year", "quarter", "month"):
        months = {"year": 12, "quarter": 3, "month": 1}[interval]
        place = start.year * 12 + start.month - 1 + months
        return _at(place // 12, place % 12 + 1, 1) if place // 12 <= 9999 else _LAST
    return _later(start, {"week": timedelta(weeks=1), "day": timedelta(days=1), "hour": timedelta(hours=1)}[interval])


def _later(start: datetime, step: timedelta) -> datetime:
    return start + step if start <= _LAST - step else _LAST


def key_of(start: date, interval: Interval) -> str:
    """What the step that begins at `start` is called.

    >>> key_of(date(2024, 1, 29), "week"), key_of(datetime(2024, 3, 5, 14), "hour"), key_of(date(2024, 3, 1), "month")
    ('2024-W05', '2024-03-05T14', '2024-03')
    """
    match interval:
        case "year":
            return f"{start.year:04d}"
        case "quarter":
            return f"{start.year:04d}-Q{(start.month + 2) // 3}"
        case "month":
            return f"{start.year:04d}-{start.month:02d}"
        case "week":
            year, week, _ = start.isocalendar()
            return f"{year:04d}-W{week:02d}"
        case "day":
            return f"{start.year:04d}-{start.month:02d}-{start.day:02d}"
        case "hour":
            hour = start.hour if isinstance(start, datetime) else 0
            return f"{start.year:04d}-{start.month:02d}-{start.day:02d}T{hour:02d}"
