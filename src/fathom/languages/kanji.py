"""Numbers and years as Japanese writes them: 四十三, 3万5千, 令和5年."""

from __future__ import annotations

import re
from decimal import Decimal

_KANJI_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {"零": 0}
_KANJI_TENS = {"十": 10, "百": 100, "千": 1_000}
_KANJI_MYRIADS = {"万": 10**4, "億": 10**8, "兆": 10**12}
_KANJI = "".join([*_KANJI_DIGITS, *_KANJI_TENS, *_KANJI_MYRIADS])
_COUNTED = (  # a single numeral is one only before what is counted: elsewhere it is mostly a part of a word
    "[年月日時分秒週人名個件回度倍割枚本台隻歳階段点位種章節項行列歩羽頭冊]|つ|か[国所月]|[ヶケカ][国所月]|箇所"
    "|メートル|キロ|センチ|ミリ|グラム|トン|パーセント|%|海里|円|ドル|バイト|ビット"
)
NUMERAL = re.compile(
    rf"(?<!\d)\d+(?:,\d{{3}})*(?:\.\d+)?(?:[十百千万億兆]\d*)+"
    rf"|(?!十分[なに、。]|万一)[{_KANJI}]{{2,}}|(?!十分[なに、。])[{_KANJI}](?={_COUNTED})"
)
_ERAS = {"令和": 2018, "R": 2018, "平成": 1988, "H": 1988, "昭和": 1925, "S": 1925}
_OF_ERA = re.compile(
    r"(?P<era>令和|平成|昭和)\s?(?P<number>元|\d{1,2})年"
    r"|(?<![A-Za-z0-9])(?P<letter>[RHS])\.?(?P<short>\d{1,2})"
    r"(?:年|[.-](?P<month>\d{1,2})(?!\d)(?:[.-](?P<day>\d{1,2})(?!\d))?)"
)


def value_of(text: str) -> Decimal:
    """The value of digits and numerals such as `3万5千`, `四十三` or `二〇二四`."""
    text = text.replace(",", "")
    if not any(char in _KANJI_TENS or char in _KANJI_MYRIADS for char in text):
        return Decimal("".join(str(_KANJI_DIGITS.get(char, char)) for char in text))
    total = myriad = Decimal(0)
    pending = ""
    for char in [*text, ""]:
        if char and (char in _KANJI_DIGITS or char.isdecimal() or char == "."):
            pending += str(_KANJI_DIGITS.get(char, char))
            continue
        count = Decimal(pending) if pending.strip(".") else None
        pending = ""
        if char in _KANJI_TENS:
            myriad += (1 if count is None else count) * _KANJI_TENS[char]
        elif char in _KANJI_MYRIADS:
            myriad += count or 0
            total, myriad = total + (myriad or 1) * _KANJI_MYRIADS[char], Decimal(0)
        else:
            myriad += count or 0
    return total + myriad


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
