"""When something is, by the words of a question in English or Japanese: the days from one to another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from fathom.text.dates import DAYS, MONTH, month_number
from fathom.text.numbers import SMALL

_YEAR = r"(?P<year>(?:19|20)\d\d)"
_LAST = MONTH.replace("<month>", "<last>")
_ORDINALS = "first second third fourth".split()
_UNITS = {
    "year": (12, 0),
    "quarter": (3, 0),
    "month": (1, 0),
    "week": (0, 7),
    "day": (0, 1),
    "年": (12, 0),
    "月": (1, 0),
    "週": (0, 7),
    "日": (0, 1),
}
"""The months and the days of each."""
_STEPS = {
    **dict.fromkeys(("last", "previous", "yesterday", "昨", "去", "先"), -1),
    **dict.fromkeys(("this", "current", "today", "今", "本"), 0),
    **dict.fromkeys(("next", "tomorrow", "来"), 1),
}
_TO = re.compile(
    r"\s*(?:(?:to|until|till|through|up\s+to)(?:\s+(?:the\s+end\s+of|in))?|から|より|[-–—~〜～])\s*", re.IGNORECASE
)
_AND = re.compile(r"\s*(?:and|,)\s*", re.IGNORECASE)
_LEADS = re.compile(
    r"\b(?:(?P<after>after|later\s+than|past)|(?P<since>since|from|(?:starting|beginning)(?:\s+(?:in|from))?|as\s+of)"
    r"|(?P<before>before|prior\s+to|earlier\s+than)|(?P<until>until|till|up\s+to|through|by\s+the\s+end\s+of)"
    r"|(?P<between>between))\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    "(?P<after>より(?:後|あと)|の後)|(?P<since>以降|以後|以来|から)|(?P<before>より前|の前|未満)|(?P<until>以前|まで)"
)
"""Which bound a stretch is by the words before it, or behind it."""
_AMOUNT = re.compile(
    r"(?:more|less|fewer|greater|higher|lower)\s+than\s+$|\b(?:over|above|under|below|least|most|exactly)\s+$|[$€£¥]\s*$",
    re.IGNORECASE,
)
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?P<part>q[1-4]|h[12]|(?:{'|'.join(_ORDINALS)}|[1-4](?:st|nd|rd|th))\s+(?:quarter|half))"
        rf"[\s/-]*(?:(?:of|in)\s+)?{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}(?:年の?|[\s/-]*)(?P<part>q[1-4]\b|第?[1-4]四半期|[上下]半?期|[前後]半)",
        rf"\b(?:(?:from|between)\s+)?{MONTH}\s*(?:-|–|to|and|until|till|through)\s*{_LAST},?\s+(?:of\s+)?{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}年\s?(?P<month>1?\d)月?\s?(?:から|[~〜～-])\s?(?P<last>1?\d)月(?:まで)?",
        rf"\b{MONTH},?\s+(?:of\s+)?{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}年\s?(?P<month>1?\d)月",
        rf"(?<![\w.-]){_YEAR}[-/](?P<month>0[1-9]|1[0-2])(?![\w/-])",
        r"\b(?P<year>(?:19|20)\d0)(?P<decade>'?s\b|年代)",
        rf"(?<!\d){_YEAR}年(?P<fiscal>度?)",
        rf"(?:(?<![\w.,/#-])|(?<=\d\d\d\d[-–])){_YEAR}(?![\w%]|[.,/]\d)",
    )
)
_RELATIVE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        "(?P<step>昨(?=[年日])|去(?=年)|先(?=[月週])|今|本(?=[年日])|来(?=[年月週]))(?P<unit>[年月週日])",
        r"\b(?P<step>yesterday|today|tomorrow)\b",
        r"\b(?P<step>last|previous|this|current|next)\s+(?P<unit>year|quarter|month|week)\b",
        rf"\b(?:last|past|previous)\s+(?P<count>\d{{1,3}}|{'|'.join(SMALL)})\s+(?P<unit>year|quarter|month|week|day)s?\b",
        r"(?:過去|直近|最近|ここ|この)(?P<count>\d{1,3})[かヶカヵ]?(?P<unit>[年月週日])間?",
    )
)
_MONTH_ALONE = re.compile(
    rf"\b(?:(?:in|during|for|of|every|each|since|after|before|until|from)\s+)(?!may\b){MONTH}(?!\w)(?!\s+\d)"
    r"|(?<![\d年])(?<!年 )(?P<month_ja>1[0-2]|[1-9])月(?!\d|間|別|ごと|毎|次)",
    re.IGNORECASE,
)
"""A month of which no year is said; `may` is mostly another word."""


class Stretch(NamedTuple):
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
        name = "month" if match["month"] else "month_ja"
        month, place = month_number(match[name]), match.span(name)
        if len(years) > 1:
            return When(places=(place,), apart=tuple(f"{year}-{month:02}" for year in years))
        left = [Stretch(*_months(years[0] * 12 + month - 1, 1), (place[0], place[1] + (name == "month_ja")))]
    since: list[date] = []
    until: list[date] = []
    plain: list[Stretch] = []
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
            plain.append(Stretch(min(start, other.start), max(end, other.end), place))
            places.append(other.place)
        elif how in ("after", "since"):
            since.append(end if how == "after" else start)
        elif how in ("before", "until"):
            until.append(start if how == "before" else end)
        else:
            plain.append(Stretch(start, end, place))
    return When(
        since=min([*since, *(one.start for one in plain)], default=None),
        until=max([*until, *(one.end for one in plain)], default=None),
        places=tuple(places),
        several=len(plain) > 1,
        apart=() if since or until else _apart(plain),
    )


def _apart(plain: Sequence[Stretch]) -> tuple[str, ...]:
    """Whole years and months by their names; nothing when one follows the other, or one is something else."""
    order, names = sorted(plain), []
    for start, end, _ in order:
        months = 12 if (end - start).days > 31 else 1
        if (start, end) != _months(start.year * 12 + (0 if months > 1 else start.month - 1), months):
            return ()
        names.append(start.isoformat()[: len("2024") if months > 1 else len("2024-03")])
    return tuple(names) if any(one.end < other.start for one, other in pairwise(order)) else ()


def _stretches(text: str, *, today: str) -> list[Stretch]:
    """The stretches of a text in order; none overlaps another."""
    found: list[Stretch] = []
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
            found.append(Stretch(first, last, match.span()))
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
        count = 3 if "q" in part or "四半期" in part else 6
        digit, word = re.search(r"\d", part), part.split()[0]
        number = int(digit[0]) if digit else _ORDINALS.index(word) + 1 if word in _ORDINALS else 1 + (word[0] in "下後")
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
