"""Days in a text, and since when a statement holds."""

from __future__ import annotations

import re

from fathom.languages.packs import either, packs

_MONTHS = [each.holds("dates.months") for each in packs()]
MONTH = rf"(?P<month>{'|'.join(form for each in _MONTHS for form in each)})\.?"
_PARTS = {"month": MONTH, "day": r"(?P<day>\d\d?)", "year": r"(?P<year>(?:1[5-9]|20|21)\d\d)"}
DAYS = tuple(re.compile(each, re.IGNORECASE) for known in packs() for each in known.patterns("dates.days", **_PARTS))
"""A day as it is written, whether there is such a one or not: `year`, `month`, `day`."""
_ORDINAL = r"[0-3]?\d(?:st|nd|rd|th)?"
_ANY_DAY = rf"(?:{_ORDINAL}\s+)?(?:[A-Z][a-z]{{2,8}}\.?\s+)?(?:{_ORDINAL},\s+)?(?:1[5-9]|20)\d\d(?:-\d\d-\d\d)?"
_SINCE = re.compile(either("dates.since", any=_ANY_DAY))
_HOLDS_NOW = re.compile(either("dates.present"))
_PAST = re.compile(either("dates.past"))


def without_since(text: str) -> str:
    """A statement on what holds now, without the words that say since when; any other as it is.

    >>> without_since("The toll is 60 crowns per car since 26 September 2024.")
    'The toll is 60 crowns per car.'
    >>> without_since("Sales have grown by 5 percent since 2010.")
    'Sales have grown by 5 percent since 2010.'
    """
    if not _SINCE.search(text) or not _HOLDS_NOW.search(text) or _PAST.search(text):
        return text
    return _SINCE.sub("", text).strip()


def month_number(name: str) -> int:
    """The number of a month by its name, the beginning of it, or its digits.

    Raises:
        ValueError: no language calls a month so.
    """
    if name.isdigit():
        return int(name)
    told = (at for each in _MONTHS for at, form in enumerate(each, start=1) if re.match(form, name, re.IGNORECASE))
    if number := next(told, None):
        return number
    raise ValueError(f"no month: {name}")


def without_days(text: str) -> tuple[str, list[str]]:
    """The text with its days written as their years, and the days (ISO 8601) in the order of how they are written.

    >>> without_days("It opened on 3 May 1990.")
    ('It opened on 1990.', ['1990-05-03'])
    """
    found: list[str] = []

    def year(match: re.Match[str]) -> str:
        month = month_number(match["month"])
        if not 1 <= month <= 12 or not 1 <= int(match["day"]) <= 31:
            return match[0]
        found.append(f"{match['year']}-{month:02}-{int(match['day']):02}")
        return match["year"]

    for pattern in DAYS:
        text = pattern.sub(year, text)
    return text, found
