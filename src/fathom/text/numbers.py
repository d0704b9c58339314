"""The numbers of a text, each written one way, so that those of two texts can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from fathom.languages.kanji import NUMERAL, value_of
from fathom.languages.packs import pack

SMALL = {word: value for value, word in enumerate(pack("en").words("numbers.small"))}
"""The English words for the numbers below twenty."""
_TENS = {word: 10 * value for value, word in enumerate(pack("en").words("numbers.tens"), start=2)}
_SCALES: dict[str, int] = pack("en").holds("numbers.scales")
_PARTS: dict[str, int] = pack("en").holds("numbers.parts")
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
    for match in NUMERAL.finditer(folded):
        if (value := value_of(match[0])) > 1 or match[0][0].isdecimal():
            found.add(_plain(f"{value:f}"))
    folded = NUMERAL.sub(" ", folded)
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
        return _plain(f"{value_of(match[0]):f}")

    def spelled(match: re.Match[str]) -> str:
        values = list(_spelled(_WORD.findall(match[0])))
        return str(values[0]) if len(values) == 1 and values[0] > 1 and match[0] not in _SCALES else match[0]

    return _SPELLED.sub(spelled, NUMERAL.sub(japanese, folded))


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
