"""Places the steps of a histogram in time, those that nothing was counted in included."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import NamedTuple

MOST = 2_000
"""Steps up to which missing ones are put in."""


class _Scale(NamedTuple):
    """A way of writing steps: what it looks like, its place in time, and how a place is written."""

    looks: re.Pattern[str]
    place: Callable[[str], int]
    label: Callable[[int], str]


def _months(text: str) -> int:
    return int(text[:4]) * 12 + int(text[5:7]) - 1


def _month(place: int) -> str:
    return f"{place // 12:04}-{place % 12 + 1:02}"


def _day(place: int) -> str:
    return date.fromordinal(place).isoformat()


def _hours(text: str) -> int:
    moment = datetime.fromisoformat(f"{text[:10]}T{text[11:13]}")
    return moment.toordinal() * 24 + moment.hour


def _hour(place: int) -> str:
    return (datetime.fromordinal(place // 24) + timedelta(hours=place % 24)).strftime("%Y-%m-%dT%H")


_SCALES = (
    _Scale(re.compile(r"\d{4}"), int, lambda place: f"{place:04}"),
    _Scale(re.compile(r"\d{4}-01-01"), lambda text: int(text[:4]), lambda place: f"{place:04}-01-01"),
    _Scale(
        re.compile(r"\d{4}-Q[1-4]"),
        lambda text: int(text[:4]) * 4 + int(text[6:]) - 1,
        lambda place: f"{place // 4:04}-Q{place % 4 + 1}",
    ),
    _Scale(re.compile(r"\d{4}-(?:0[1-9]|1[0-2])"), _months, _month),
    _Scale(re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-01"), _months, lambda place: f"{_month(place)}-01"),
    _Scale(re.compile(r"\d{4}-\d\d-\d\d"), lambda text: date.fromisoformat(text).toordinal(), _day),
    _Scale(re.compile(r"\d{4}-\d\d-\d\dT\d\d"), _hours, _hour),
)
"""Of those that fit, the first: days that are all the first of a month are months."""


def positions(steps: Iterable[str]) -> dict[str, int]:
    """Each step with its place in time, in order; missing ones between them are put in, unless they are too many.

    Steps that are written in no way that is known stand in the order in which they come.

    >>> positions(["2023-11", "2024-02"])
    {'2023-11': 24286, '2023-12': 24287, '2024-01': 24288, '2024-02': 24289}
    >>> positions(["2024-01-01", "2024-01-08", "2024-01-22"]).keys()
    dict_keys(['2024-01-01', '2024-01-08', '2024-01-15', '2024-01-22'])
    >>> positions(["spring", "autumn"])
    {'spring': 0, 'autumn': 1}
    """
    known = list(dict.fromkeys(steps))
    for scale in _SCALES:
        if known and all(scale.looks.fullmatch(step) for step in known):
            try:
                places = {step: scale.place(step) for step in known}
            except ValueError:  # 30 February
                break
            return _filled(places, scale.label)
    return {step: place for place, step in enumerate(known)}


def _filled(places: dict[str, int], label: Callable[[int], str]) -> dict[str, int]:
    first, last = min(places.values()), max(places.values())
    is_weekly = label is _day and len(places) > 1 and not any((place - first) % 7 for place in places.values())
    apart = 7 if is_weekly else 1
    if (last - first) // apart > MOST:
        return dict(sorted(places.items(), key=lambda each: each[1]))
    return {label(place): place for place in range(first, last + 1, apart)}
