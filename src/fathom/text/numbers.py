"""The numbers of a text, each written one way, so that those of two texts can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen".split()
    )
}
"""The English words for the numbers below twenty."""
_TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10, "hundredth": 100}
_MONTHS = {
    name: str(number)
    for number, month in enumerate(
        "january february march april may june july august september october november december".split(), start=1
    )
    for name in (month, "sept" if month == "september" else month[:3])
    if name not in ("mar", "may")  # which are mostly other words
}
MONTHS = frozenset(_MONTHS)
"""Names of months, which stand for numbers."""
NUMBER_WORDS = frozenset([*SMALL, *_TENS, *_SCALES, *_PARTS])
"""English words that are numbers, or parts of them."""

_WORDS = "|".join([*SMALL, *_TENS, *_SCALES])
_SPELLED = re.compile(rf"\b(?:{_WORDS})\b(?:(?:[ -]|,? and )(?:{_WORDS})\b)*")
_DIGITS = re.compile(rf"\d+(?:[.,]\d+)*(?:[ -]?\b({'|'.join(_SCALES)})\b)?")
_FRACTION = re.compile(
    rf"\b(a|one|two|three|four|five|seven|nine)[ -]({'|'.join(_PARTS)})s?\b(?! (?:time|place|party|person|edition))"
)
_WORD = re.compile(r"[a-z]+")

_KANJI_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {"零": 0}
_KANJI_TENS = {"十": 10, "百": 100, "千": 1_000}
_KANJI_MYRIADS = {"万": 10**4, "億": 10**8, "兆": 10**12}
_KANJI = "".join([*_KANJI_DIGITS, *_KANJI_TENS, *_KANJI_MYRIADS])
_COUNTED = (  # a single numeral is one only before what is counted: elsewhere it is mostly a part of a word
    "[年月日時分秒週人名個件回度倍割枚本台隻歳階段点位種章節項行列歩羽頭冊]|つ|か[国所月]|[ヶケカ][国所月]|箇所"
    "|メートル|キロ|センチ|ミリ|グラム|トン|パーセント|%|海里|円|ドル|バイト|ビット"
)
_JAPANESE = re.compile(
    rf"(?<!\d)\d+(?:,\d{{3}})*(?:\.\d+)?(?:[十百千万億兆]\d*)+"
    rf"|(?!十分[なに、。]|万一)[{_KANJI}]{{2,}}|(?!十分[なに、。])[{_KANJI}](?={_COUNTED})"
)


def numbers(folded: str) -> set[str]:
    """Every number of a text in lower case and of normal width: spelled out or not, with its hundred or million.

    "Zero" and "one" alone are mostly no numbers, and are left out.

    >>> sorted(numbers("forty-three of 1,000.50, two million in march 2024, a third of them"))
    ['1/3', '1000.5', '2000000', '2024', '3', '43']
    >>> sorted(numbers("四十三人、3万5千円、二〇二四年")) == sorted(numbers("43, 35000, 2024"))
    True
    """
    found: set[str] = set()
    for part, whole in _FRACTION.findall(folded):
        found.add(f"{1 if part == 'a' else SMALL[part]}/{_PARTS[whole]}")
    folded = _FRACTION.sub(" ", folded)
    for match in _JAPANESE.finditer(folded):
        if (value := _japanese(match[0])) > 1 or match[0][0].isdecimal():
            found.add(_plain(f"{value:f}"))
    folded = _JAPANESE.sub(" ", folded)
    for match in _DIGITS.finditer(folded):
        plain = _plain(match[0].removesuffix(match[1] or "").rstrip(" -"))
        found.add(_plain(f"{Decimal(plain) * _SCALES[match[1]]:f}") if match[1] and _is_decimal(plain) else plain)
    for match in _SPELLED.finditer(_DIGITS.sub(" ", folded)):
        found |= {str(value) for value in _spelled(_WORD.findall(match[0])) if value > 1}
    return found | {_MONTHS[word] for word in _WORD.findall(folded) if word in _MONTHS}


def with_digits(folded: str) -> str:
    """The text with its Japanese numerals, and those numbers that it spells out in English, in digits.

    >>> with_digits("thirty days, 3万5千円, 四十三人")
    '30 days, 35000円, 43人'
    """

    def japanese(match: re.Match[str]) -> str:
        return _plain(f"{_japanese(match[0]):f}")

    def spelled(match: re.Match[str]) -> str:
        values = list(_spelled(_WORD.findall(match[0])))
        return str(values[0]) if len(values) == 1 and values[0] > 1 and match[0] not in _SCALES else match[0]

    return _SPELLED.sub(spelled, _JAPANESE.sub(japanese, folded))


def _plain(text: str) -> str:
    """`1,000.50` as `1000.5`, `007` as `7`; a version such as `3.11.10` is kept.

    >>> [_plain(text) for text in ("1,000.50", "2024", "3.11.10", "007")]
    ['1000.5', '2024', '3.11.10', '7']
    """
    text = re.sub(r",(?=\d{3}(?!\d))", "", text)
    if text.count(".") > 1 or "," in text:
        return text
    whole, _, fraction = text.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def _is_decimal(text: str) -> bool:
    return text.count(".") <= 1 and "," not in text


def _spelled(words: list[str]) -> Iterator[int]:
    """The numbers that words in a row stand for: what does not continue a number begins another.

    >>> list(_spelled("two hundred and five thousand nineteen eighty four".split()))
    [205019, 84]
    """
    total = current = 0
    last = 0  # the size of the word before, 0 at the beginning
    for word in words:
        if word == "and":
            continue
        if scale := _SCALES.get(word):
            if scale > 100:
                total, current = total + max(current, 1) * scale, 0
            else:
                current = max(current, 1) * scale
            last = scale
            continue
        value = SMALL.get(word, _TENS.get(word, 0))
        goes_on = last in _SCALES.values() or (last in _TENS.values() and value < 10)
        if last and not goes_on:
            yield total + current
            total = current = 0
        current += value
        last = value if value != 12 else 1  # a dozen is a scale, and twelve is none
    yield total + current


def _japanese(text: str) -> Decimal:
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


def plain_number(value: float) -> str:
    """A number as people write it: no exponent, no digits beyond the twelfth that counts.

    >>> plain_number(1200.0), plain_number(0.1 + 0.2), plain_number(1e15), plain_number(-0.0)
    ('1200', '0.3', '1000000000000000', '0')
    """
    if isinstance(value, int):
        return str(value)
    text = format(Decimal(f"{value:.12g}"), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
