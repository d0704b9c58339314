"""The days that a question names, in English and Japanese: a year, a month, since when, until when, the last one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_LAST_MONTH = _MONTH.replace("<month>", "<last>")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_COUNTS = {
    word: at
    for at, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
}
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_UNIT_JA = {"年": "year", "か月": "month", "ヶ月": "month", "カ月": "month", "ヵ月": "month", "週": "week", "日": "day"}
_RELATIVE = {
    "昨年": ("year", -1),
    "去年": ("year", -1),
    "今年": ("year", 0),
    "本年": ("year", 0),
    "一昨年": ("year", -2),
    "来年": ("year", 1),
    "先月": ("month", -1),
    "今月": ("month", 0),
    "来月": ("month", 1),
    "先週": ("week", -1),
    "今週": ("week", 0),
    "昨日": ("day", -1),
    "今日": ("day", 0),
    "本日": ("day", 0),
    "yesterday": ("day", -1),
    "today": ("day", 0),
    "tomorrow": ("day", 1),
}
_STEPS = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1}

_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$", re.IGNORECASE)
_TO = re.compile(
    r"\s*(?:(?:to|until|till|through|up\s+to)(?:\s+(?:the\s+end\s+of|in))?|から|より|[-–—~〜～])\s*", re.IGNORECASE
)
_AND = re.compile(r"\s*(?:and|,)\s*", re.IGNORECASE)
_SINCE = re.compile(
    r"\b(?:since|from|starting(?:\s+(?:in|from|on))?|beginning(?:\s+(?:in|with))?|as\s+of)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\b(?:after|later\s+than|past)\s+(?:the\s+)?$", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|prior\s+to|earlier\s+than)\s+(?:the\s+)?$", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|up\s+to|through|by\s+the\s+end\s+of)\s+(?:the\s+)?$", re.IGNORECASE)
_SINCE_JA = re.compile(r"(?:に入って)?(?:以降|以後|以来|から)")
_AFTER_JA = re.compile(r"より(?:後|あと)|の後")
_UNTIL_JA = re.compile(r"以前|まで")
_BEFORE_JA = re.compile(r"より前|の前|未満")
_MORE_THAN = re.compile(
    r"(?:more|less|fewer|greater|higher|lower)\s+than\s+$|\b(?:over|above|under|below|least|most|exactly)\s+$|[$€£¥]\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """A stretch of days that a text names."""

    start: date
    end: date
    """The day behind its last one."""
    at: int
    """Where it stands in the text."""
    to: int
    """Where it ends there."""


@dataclass(frozen=True, kw_only=True)
class Days:
    """What a text says of when."""

    since: date | None = None
    """The first day that is meant; `None` for no bound."""
    until: date | None = None
    """The day behind the last one that is meant; `None` for no bound."""
    places: tuple[tuple[int, int], ...] = ()
    """Where that stands in the text."""
    several: int = 0
    """Stretches that stand side by side, to be compared."""
    apart: tuple[str, ...] = ()
    """These as years or months, where days lie between them that are not meant; ISO 8601."""


def days_in(text: str, *, today: str) -> Days:
    """What `text` (NFKC) says of when. `today` is an ISO 8601 date; without it nothing relative is understood.

    >>> found = days_in("events since March 2023", today="2026-11-22")
    >>> str(found.since), found.until
    ('2023-03-01', None)
    >>> found = days_in("2020年から2022年までの推移", today="")
    >>> str(found.since), str(found.until)
    ('2020-01-01', '2023-01-01')
    """
    stretches = _stretches(text, today=today)
    since: list[date] = []
    until: list[date] = []
    plain: list[Stretch] = []
    at = 0
    while at < len(stretches):
        one = stretches[at]
        other = stretches[at + 1] if at + 1 < len(stretches) else None
        if other and _is_range(text, one, other):
            since.append(min(one.start, other.start))
            until.append(max(one.end, other.end))
            at += 2
            continue
        before, behind = text[max(0, one.at - 24) : one.at], text[one.to : one.to + 6]
        if _AFTER.search(before) or _AFTER_JA.match(behind):
            since.append(one.end)
        elif _SINCE.search(before) or _SINCE_JA.match(behind):
            since.append(one.start)
        elif _BEFORE.search(before) or _BEFORE_JA.match(behind):
            until.append(one.start)
        elif _UNTIL.search(before) or _UNTIL_JA.match(behind):
            until.append(one.end)
        else:
            plain.append(one)
        at += 1
    if plain:
        since.append(min(one.start for one in plain))
        until.append(max(one.end for one in plain))
    return Days(
        since=min(since, default=None),
        until=max(until, default=None),
        places=tuple((one.at, one.to) for one in stretches),
        several=len(plain) if len(plain) > 1 else 0,
        apart=_apart(plain) if len(since) == len(until) == 1 else (),
    )


def _apart(plain: Iterable[Stretch]) -> tuple[str, ...]:
    """Whole years and months by their names; nothing when one follows the other, or one is something else."""
    order = sorted(plain, key=lambda each: each.start)
    if not any(one.end < other.start for one, other in pairwise(order)):
        return ()
    names = []
    for each in order:
        for name, end in (
            (f"{each.start:%Y}", _months(each.start.year, 1, 12)),
            (f"{each.start:%Y-%m}", _months(each.start.year, each.start.month, 1)),
        ):
            if (each.start, each.end) == end:
                names.append(name)
                break
        else:
            return ()
    return tuple(names)


MONTH_ALONE = re.compile(
    rf"\b(?:in|during|for|of|every|each)\s+{_MONTH}(?!\w)(?!\s+\d)"
    r"|(?<![\d年])(?<!年 )(?P<month_ja>1?\d)月(?!\d|間|別|ごと|毎|次)",
    re.IGNORECASE,
)
"""A month of which no year is said."""


def month_alone(text: str) -> tuple[int, tuple[int, int]] | None:
    """The number of a month that stands without a year, and where it stands."""
    for match in MONTH_ALONE.finditer(text):
        name = match["month"]
        if name and name == "may" and not match[0].endswith("May"):
            continue
        number = _month_number(name or match["month_ja"])
        if 1 <= number <= 12:
            start, end = match.span("month") if name else match.span()
            return number, (start, end)
    return None


def month_of(year: int, number: int) -> tuple[date, date]:
    """The first day of a month, and the day behind its last."""
    return _months(year, number, 1)


def _is_range(text: str, one: Stretch, other: Stretch) -> bool:
    """Whether two stretches are the ends of one: `from 2020 to 2022`, `between … and …`."""
    gap = text[one.to : other.at]
    between = bool(_BETWEEN.search(text[: one.at])) and bool(_AND.fullmatch(gap))
    return between or bool(_TO.fullmatch(gap))


# ── Single stretches ───────────────────────────────────────────────────────────────────────────────────────────────

Reader = Callable[[re.Match[str]], tuple[date, date]]


def _stretches(text: str, *, today: str) -> list[Stretch]:
    """The stretches of a text in order; none overlaps another."""
    found: list[Stretch] = []
    readers: Iterable[tuple[re.Pattern[str], Reader]] = _READERS
    if today:
        now = date.fromisoformat(today)
        readers = (*_READERS, *((pattern, _relative(read, now)) for pattern, read in _RELATIVES))
    for pattern, read in readers:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < other.to and other.at < end for other in found) or _MORE_THAN.search(text[:start]):
                continue
            try:
                first, last = read(match)
            except (ValueError, OverflowError):  # a month that no year has, a year that no calendar has
                continue
            found.append(Stretch(start=first, end=last, at=start, to=end))
    return sorted(found, key=lambda each: each.at)


def _relative(read: Callable[[re.Match[str], date], tuple[date, date]], now: date) -> Reader:
    return lambda match: read(match, now)


def _month_number(name: str) -> int:
    return int(name) if name.isdigit() else _MONTHS.index(name[:3].lower()) + 1


def _months(year: int, first: int, count: int) -> tuple[date, date]:
    behind = year * 12 + first - 1 + count
    return date(year, first, 1), date(behind // 12, behind % 12 + 1, 1)


def _day(match: re.Match[str]) -> tuple[date, date]:
    day = date(int(match["year"]), _month_number(match["month"]), int(match["day"]))
    return day, day + timedelta(days=1)


def _month(match: re.Match[str]) -> tuple[date, date]:
    return _months(int(match["year"]), _month_number(match["month"]), 1)


def _month_range(match: re.Match[str]) -> tuple[date, date]:
    first, last = _month_number(match["month"]), _month_number(match["last"])
    if last < first:
        raise ValueError("the year of the first month is not told")
    return _months(int(match["year"]), first, last - first + 1)


def _quarter(match: re.Match[str]) -> tuple[date, date]:
    number = _ORDINALS.get(match["number"].lower()) or int(match["number"])
    return _months(int(match["year"]), 3 * number - 2, 3)


def _half(match: re.Match[str]) -> tuple[date, date]:
    second = match["half"].lower() in ("second", "2nd", "2", "下半期", "下期", "後半")
    return _months(int(match["year"]), 7 if second else 1, 6)


def _year(match: re.Match[str]) -> tuple[date, date]:
    return _months(int(match["year"]), 1, 12)


def _era(match: re.Match[str]) -> tuple[date, date]:
    number = 1 if match["number"] == "元" else int(match["number"])
    return _months(_ERAS[match["era"]] + number, 1, 12)


def _fiscal(match: re.Match[str]) -> tuple[date, date]:
    return _months(int(match["year"]), 4, 12)  # in Japan it begins in April


def _decade(match: re.Match[str]) -> tuple[date, date]:
    year = int(match["year"])
    return date(year, 1, 1), date(year + 10, 1, 1)


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (rf"(?<![\w.-]){_YEAR}[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)(?![\w-])", _day),
        (rf"(?<!\d){_YEAR}年\s?(?P<month>1?\d)月\s?(?P<day>[1-3]?\d)日", _day),
        (rf"(?<![\w.])(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}(?!\d)", _day),
        (rf"\b{_MONTH}\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)", _day),
        (rf"\bq(?P<number>[1-4])[\s/-]*(?:of\s+)?{_YEAR}(?!\d)", _quarter),
        (rf"(?<!\d){_YEAR}[\s/-]*q(?P<number>[1-4])\b", _quarter),
        (
            rf"\b(?P<number>first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter\s+(?:of\s+|in\s+)?{_YEAR}(?!\d)",
            _quarter,
        ),
        (rf"(?<!\d){_YEAR}年(?:の)?第?(?P<number>[1-4])四半期", _quarter),
        (rf"\b(?P<half>first|second|1st|2nd)\s+half\s+(?:of\s+|in\s+)?{_YEAR}(?!\d)", _half),
        (rf"\bh(?P<half>[12])\s+{_YEAR}(?!\d)", _half),
        (rf"(?<!\d){_YEAR}年(?:の)?(?P<half>上半期|下半期|上期|下期|前半|後半)", _half),
        (
            rf"\b(?:(?:from|between)\s+)?{_MONTH}\s*(?:-|–|to|and|until|till|through)\s*{_LAST_MONTH},?\s+(?:of\s+)?{_YEAR}"
            r"(?!\d)",
            _month_range,
        ),
        (
            rf"(?<!\d){_YEAR}年\s?(?P<month>1?\d)月?\s?(?:から|[~〜～-])\s?(?P<last>1?\d)月(?:まで)?",
            _month_range,
        ),
        (rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}(?!\d)", _month),
        (rf"(?<!\d){_YEAR}年\s?(?P<month>1?\d)月", _month),
        (rf"(?<![\w.-]){_YEAR}[-/](?P<month>0[1-9]|1[0-2])(?![\w/-])", _month),
        (rf"(?<!\d){_YEAR}年代", _decade),
        (r"\b(?P<year>(?:19|20)\d0)'?s\b", _decade),
        (rf"(?<!\d){_YEAR}年度", _fiscal),
        (r"(?P<era>令和|平成|昭和)(?P<number>元|\d{1,2})年", _era),
        (rf"(?<!\d){_YEAR}年", _year),
        (rf"(?<![\w.,/#-]){_YEAR}(?![\w%]|[.,/]\d)", _year),
        (rf"(?<=\d\d\d\d[-–]){_YEAR}(?![\w%-]|[.,/]\d)", _year),
    )
)


def _around(unit: str, step: int, now: date) -> tuple[date, date]:
    """The year, month, week or day that lies `step` of them away from that of `now`."""
    match unit:
        case "year":
            return _months(now.year + step, 1, 12)
        case "quarter" | "month":
            size = 3 if unit == "quarter" else 1
            month = now.year * 12 + (now.month - 1) // size * size + step * size
            return _months(month // 12, month % 12 + 1, size)
        case "week":
            monday = now - timedelta(days=now.weekday()) + timedelta(weeks=step)
            return monday, monday + timedelta(weeks=1)
        case _:
            day = now + timedelta(days=step)
            return day, day + timedelta(days=1)


def _back(unit: str, count: int, now: date) -> tuple[date, date]:
    """The last `count` years, months, weeks or days up to `now`."""
    behind = now + timedelta(days=1)
    if unit in ("week", "day"):
        return now - timedelta(days=count * (7 if unit == "week" else 1)), behind
    month = now.year * 12 + now.month - 1 - count * (12 if unit == "year" else 3 if unit == "quarter" else 1)
    return date(month // 12, month % 12 + 1, min(now.day, 28)), behind


def _named(match: re.Match[str], now: date) -> tuple[date, date]:
    unit, step = _RELATIVE[match[0].lower()]
    return _around(unit, step, now)


def _stepped(match: re.Match[str], now: date) -> tuple[date, date]:
    return _around(match["unit"].lower(), _STEPS[match["step"].lower()], now)


def _counted(match: re.Match[str], now: date) -> tuple[date, date]:
    count = _COUNTS.get(match["count"].lower()) or int(match["count"])
    return _back(match["unit"].lower(), count, now)


def _counted_ja(match: re.Match[str], now: date) -> tuple[date, date]:
    return _back(_UNIT_JA[match["unit"]], int(match["count"]), now)


_RELATIVES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], tuple[date, date]]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        ("|".join(sorted((word for word in _RELATIVE if not word.isascii()), key=len, reverse=True)), _named),
        (r"\b(?:yesterday|today|tomorrow)\b", _named),
        (r"\b(?P<step>last|previous|this|current|next)\s+(?P<unit>year|quarter|month|week)\b", _stepped),
        (
            rf"\b(?:last|past|previous)\s+(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})\s+(?P<unit>year|quarter|month|week|day)s?\b",
            _counted,
        ),
        (r"(?:過去|直近|最近|ここ|この)(?P<count>\d{1,3})(?P<unit>年|か月|ヶ月|カ月|ヵ月|週|日)間?", _counted_ja),
    )
)


_DAYS_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w-]){_YEAR}[-/](?P<number>\d\d?)[-/](?P<day>\d\d?)(?![\w-])",
        rf"(?<!\d){_YEAR}年\s?(?P<number>\d\d?)月\s?(?P<day>\d\d?)日",
        rf"(?<![\w.])(?P<day>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}(?!\d)",
        rf"\b{_MONTH}\s+(?P<day>\d\d?)(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)",
    )
)


def no_such_day(text: str) -> str:
    """A day that `text` (NFKC) names and that no calendar has, as it is written; empty when there is none.

    >>> no_such_day("on 2024-02-30"), no_such_day("on 2024-02-29"), no_such_day("2023年2月29日")
    ('2024-02-30', '', '2023年2月29日')
    """
    for pattern in _DAYS_NAMED:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            month = int(groups["number"]) if "number" in groups else _MONTHS.index(groups["month"][:3].lower()) + 1
            try:
                date(int(match["year"]), month, int(match["day"]))
            except ValueError:
                return match[0].strip()
    return ""
