"""Days in a text, and since when a statement holds."""

from __future__ import annotations

import re

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_DAY = r"(?P<day>\d\d?)"
DAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.]){_DAY}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH},?\s+{_YEAR}(?!\d)",
        rf"\b{MONTH}\s+{_DAY}(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)",
        rf"(?<![\w.-]){_YEAR}[-/](?P<month>\d\d?)[-/]{_DAY}(?![\w-])",
        rf"(?<!\d){_YEAR}年\s?(?P<month>\d\d?)月\s?{_DAY}日",
    )
)
"""A day as it is written, whether there is such a one or not: `year`, `month`, `day`."""
_ERAS = {"令和": 2018, "R": 2018, "平成": 1988, "H": 1988, "昭和": 1925, "S": 1925}
_OF_ERA = re.compile(
    r"(?P<era>令和|平成|昭和)\s?(?P<number>元|\d{1,2})年"
    r"|(?<![A-Za-z0-9])(?P<letter>[RHS])\.?(?P<short>\d{1,2})"
    r"(?:年|[.-](?P<month>\d{1,2})(?!\d)(?:[.-](?P<day>\d{1,2})(?!\d))?)"
)
_ORDINAL = r"[0-3]?\d(?:st|nd|rd|th)?"
_ANY_DAY = rf"(?:{_ORDINAL}\s+)?(?:[A-Z][a-z]{{2,8}}\.?\s+)?(?:{_ORDINAL},\s+)?(?:1[5-9]|20)\d\d(?:-\d\d-\d\d)?"
_SINCE = re.compile(
    rf",?\s*\b(?:[Ss]ince|[Aa]s\s+of|as\s+from|with\s+effect\s+from|effective(?:\s+from)?)\s+{_ANY_DAY}(?![\w-]),?"
    r"|(?:(?:19|20)\d\d年(?:1?\d月(?:[0-3]?\d日)?)?)(?:から|以降|より)(?:は)?、?"
)
_HOLDS_NOW = re.compile(
    r"\b(?:is|are|costs?|amounts?|stands?|takes?|lasts?|holds?|requires?|allows?|may|must)\b"
    r"|(?:です|である|だ|ます|となっている|円|人|分|日|時間)[。.]?$"
)
_PAST = re.compile(
    r"\b(?:has|have|had|was|were|been|until|to\s+(?:1[5-9]|20)\d\d)\b|まで|にかけて|(?:でし|だっ|まし|し)た[。.]?$"
)


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


def of_the_common_era(text: str) -> str:
    """The text with the years and days of Japanese eras as those of the common era.

    >>> of_the_common_era("令和元年10月1日から、R5.11改訂、平成30年版、H2O")
    '2019年10月1日から、2023年11月改訂、2018年版、H2O'
    """

    def year(match: re.Match[str]) -> str:
        number = (match["number"] or match["short"]).replace("元", "1")
        parts = (f"{_ERAS[match['era'] or match['letter']] + int(number)}年", match["month"], match["day"])
        return "".join(f"{part}{unit}" for part, unit in zip(parts, ("", "月", "日"), strict=True) if part)

    return _OF_ERA.sub(year, text)


def month_number(name: str) -> int:
    """The number of a month by its English name, the beginning of it, or its digits."""
    return int(name) if name.isdigit() else _MONTHS.index(name[:3].lower()) + 1


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
