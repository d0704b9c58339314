"""When something is, by the words of a question: the days from one to another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from fathom.languages.packs import either, pack, packs
from fathom.text.dates import DAYS, MONTH, month_number
from fathom.text.numbers import SMALL

_YEAR = r"(?P<year>(?:19|20)\d\d)"
_LAST = MONTH.replace("<month>", "<last>")
_ORDINALS = pack("en").words("when.ordinals")
_UNITS = {name: step for each in packs() for name, step in each.holds("when.units").items()}
"""The months and the days of each."""
_STEPS = {name: step for each in packs() for name, step in each.holds("when.steps").items()}
_TO = re.compile(rf"\s*(?:{either('when.to')})\s*", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|,)\s*", re.IGNORECASE)
_LEADS = re.compile(either("when.leads"), re.IGNORECASE)
_FOLLOWS = re.compile(either("when.follows"))
"""Which bound a stretch is by the words before it, or behind it."""
_AMOUNT = re.compile(either("when.amount"), re.IGNORECASE)
_PARTS = {
    "year": _YEAR,
    "month": MONTH,
    "last": _LAST,
    "ordinals": "|".join(_ORDINALS),
    "numbers": "|".join(SMALL),
}
_NAMED, _RELATIVE = (
    tuple(
        re.compile(pattern, re.IGNORECASE)
        for topic in topics
        for each in packs()
        for pattern in each.patterns(topic, **_PARTS)
    )
    for topics in (("when.named", "when.years"), ("when.relative",))
)
_MONTH_ALONE = re.compile(either("when.alone", **_PARTS), re.IGNORECASE)
"""A month of which no year is said; `may` is mostly another word."""
_QUARTERS, _SECOND = re.compile(either("when.quarters")), re.compile(either("when.second"))


class DaySpan(NamedTuple):
    """A stretch of days that a text names; `end` is the day behind its last one."""

    start: date
    end: date
    place: tuple[int, int]


class When(NamedTuple):
    """What a text says of when: from the first day on, before the day behind the last one."""

    since: date | None = None
    until: date | None = None
    places: tuple[tuple[int, int], ...] = ()
    """Where it says so, with the words that lead to it."""
    several: bool = False
    """Whether stretches stand side by side, to be compared."""
    apart: tuple[str, ...] = ()
    """These as years or months, where days lie between them that are not meant; ISO 8601."""


def when(text: str, *, today: str, years: Sequence[int] = ()) -> When:
    """What `text` (NFKC) says of when. `today` is an ISO 8601 date; without it nothing relative is understood.

    A month without a year is that of each of `years`.

    >>> found = when("events since March 2023", today="2026-11-22")
    >>> str(found.since), found.until
    ('2023-03-01', None)
    >>> found = when("2020年から2022年までの推移", today="")
    >>> str(found.since), str(found.until)
    ('2020-01-01', '2023-01-01')
    """
    left = _stretches(text, today=today)
    if years and not left and (match := _MONTH_ALONE.search(text)):
        name = "month" if match["month"] else "number"
        month, place = month_number(match[name]), match.span(name)
        if len(years) > 1:
            return When(places=(place,), apart=tuple(f"{year}-{month:02}" for year in years))
        left = [DaySpan(*_months(years[0] * 12 + month - 1, 1), (place[0], place[1] + (name == "number")))]
    since: list[date] = []
    until: list[date] = []
    plain: list[DaySpan] = []
    places = []
    while left:
        (start, end, place), *left = left
        leads = _LEADS.search(text[max(0, place[0] - 24) : place[0]])
        bound = leads or _FOLLOWS.match(text, place[1])
        how = bound.lastgroup if bound else ""
        places.append((place[0] - len(leads[0]) if leads else place[0], place[1]))
        gap = text[place[1] : left[0].place[0]] if left else ""
        if left and (_TO.fullmatch(gap) or (how == "between" and _AND.fullmatch(gap))):
            other, *left = left
            plain.append(DaySpan(min(start, other.start), max(end, other.end), place))
            places.append(other.place)
        elif how in ("after", "since"):
            since.append(end if how == "after" else start)
        elif how in ("before", "until"):
            until.append(start if how == "before" else end)
        else:
            plain.append(DaySpan(start, end, place))
    return When(
        since=min([*since, *(one.start for one in plain)], default=None),
        until=max([*until, *(one.end for one in plain)], default=None),
        places=tuple(places),
        several=len(plain) > 1,
        apart=() if since or until else _apart(plain),
    )


def _apart(plain: Sequence[DaySpan]) -> tuple[str, ...]:
    """Whole years and months by their names; nothing when one follows the other, or one is something else."""
    order, names = sorted(plain), []
    for start, end, _ in order:
        months = 12 if (end - start).days > 31 else 1
        if (start, end) != _months(start.year * 12 + (0 if months > 1 else start.month - 1), months):
            return ()
        names.append(start.isoformat()[: len("2024") if months > 1 else len("2024-03")])
    return tuple(names) if any(one.end < other.start for one, other in pairwise(order)) else ()


def _stretches(text: str, *, today: str) -> list[DaySpan]:
    """The stretches of a text in order; none overlaps another."""
    found: list[DaySpan] = []
    now = date.fromisoformat(today) if today else None
    for pattern in (*DAYS, *_NAMED, *(_RELATIVE if now else ())):
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(a < end and start < b for _, _, (a, b) in found) or _AMOUNT.search(text[:start]):
                continue
            said = {name: word.lower() for name, word in match.groupdict().items() if word}
            try:
                first, last = _relative(said, now) if now and pattern in _RELATIVE else _named(said)
            except (ValueError, OverflowError):  # a month that no year has, a year that no calendar has
                continue
            found.append(DaySpan(first, last, match.span()))
    return sorted(found, key=lambda each: each.place)


def _months(since: int, count: int) -> tuple[date, date]:
    """The first day of some months in a row, and the day behind their last; `since` counts months from year 0 on."""
    return tuple(date(each // 12, each % 12 + 1, 1) for each in (since, since + count))  # type: ignore[return-value]


def _named(said: dict[str, str]) -> tuple[date, date]:
    """A day, a month, months in a row, a part of a year, a year or a decade, by the groups of its pattern."""
    year, month = int(said["year"]), month_number(said.get("month", "1"))
    first = date(year, month, int(said.get("day", "1")))
    if "day" in said:
        return first, first + timedelta(days=1)
    since, count = year * 12 + month - 1, 120 if "decade" in said else 1 if "month" in said else 12
    if "last" in said and (count := month_number(said["last"]) - month + 1) < 1:
        raise ValueError("the year of the first month is not told")
    if part := said.get("part"):
        count = 3 if _QUARTERS.search(part) else 6
        digit, word = re.search(r"\d", part), part.split()[0]
        number = (
            int(digit[0])
            if digit
            else _ORDINALS.index(word) + 1
            if word in _ORDINALS
            else 1 + bool(_SECOND.match(word))
        )
        since += count * (number - 1)
    return _months(since + 3 * ("fiscal" in said), count)  # in Japan the fiscal year begins in April


def _relative(said: dict[str, str], now: date) -> tuple[date, date]:
    """The last so many years, months, weeks or days up to `now`, or the one that lies so many steps away from its."""
    months, days = _UNITS[said.get("unit", "day")]
    since = now.year * 12 + now.month - 1
    if "count" in said:
        count = SMALL[said["count"]] if said["count"] in SMALL else int(said["count"])
        first, _ = _months(since - count * months, 0)
        return first.replace(day=min(now.day, 28)) if months else now - timedelta(days=count * days), now + timedelta(1)
    step = _STEPS[said["step"]]
    if months:
        return _months(since + step * months - since % months, months)
    first = now + timedelta(days=step * days - (now.weekday() if days > 1 else 0))
    return first, first + timedelta(days=days)


def no_such_day(text: str) -> str:
    """A day that `text` (NFKC) names and that no calendar has, as it is written; empty when there is none.

    >>> no_such_day("on 2024-02-30"), no_such_day("on 2024-02-29"), no_such_day("2023年2月29日")
    ('2024-02-30', '', '2023年2月29日')
    """
    for match in (match for pattern in DAYS for match in pattern.finditer(text)):
        try:
            date(int(match["year"]), month_number(match["month"]), int(match["day"]))
        except ValueError:
            return match[0].strip()
    return ""
