"""The quantities of a sentence: what is counted or measured, between which bounds, and how exactly it is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from fathom.languages.packs import either, packs
from fathom.text.numbers import with_digits

SCALES: dict[str, int] = {
    word: value
    for topic in ("numbers.scales", "quantities.scales")
    for each in packs()
    for word, value in each.holds(topic).items()
    if value > 100
}
_UNITS = {
    written: (kind, factor)
    for each in packs()
    for kind, ways in each.table("units").items()
    for group, factor in re.findall(r"([^=]+)=(\S+)", ways)
    for written in group.split()
}
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_UNIT_WORDS = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_SCALE_WORDS = "|".join(sorted((word for word in SCALES if word not in {"k", "m"}), key=len, reverse=True))
_QUANTITY = re.compile(
    rf"(?P<sign>[$€£¥]|usd\s|eur\s)?\s*(?<![a-z0-9_.,:/-])(?P<low>{_NUMBER})"
    rf"(?:\s*(?:{either('quantities.to')})\s*(?P<high>{_NUMBER}))?"
    rf"(?P<scale>\s*(?:{_SCALE_WORDS})(?![a-z])|[km](?=\s+(?:users|people|downloads|stars)))?"
    rf"(?:(?:\s?degrees?(?=\s))?(?P<unit>[ -]?(?:{_UNIT_WORDS}))(?![a-z]))?"
    r"(?!\.?\d|[:/]\d|(?:st|nd|rd|th)\b)"
)
_VERSION = re.compile(r"(?<![a-z0-9_.,$€£¥])v?(?P<version>\d+\.\d+(?:\.\d+)*)(?![a-z0-9_]|\.\d|\s?[%％])")
_LONG_UNITS = "|".join(sorted((re.escape(word) for word in _UNITS if len(word) > 1), key=len, reverse=True))
_YEAR = re.compile(
    r"(?<![\d.,$€£¥])(?:1[5-9]|20|21)\d\d"
    rf"(?!\d|[,.]\d|\s?(?:{either('quantities.counters')})|\s(?:{_LONG_UNITS})(?![a-z]))(?:年)?"
)
_ABOUT = re.compile(rf"(?:{either('quantities.about')})\s*$")
_LEAST = re.compile(rf"(?:{either('quantities.least')})\s*$")
_MOST = re.compile(rf"(?:{either('quantities.most')})\s*$")
_AFTER = {
    "least": re.compile(rf"^\s*(?:{either('quantities.or_more')})"),
    "most": re.compile(rf"^\s*(?:{either('quantities.or_less')})"),
    "about": re.compile(rf"^\s*(?:{either('quantities.or_so')})"),
}
APPROXIMATE = Decimal("0.1")
"""How far two values may be apart, as a share of the larger, when one of them is told as about so much."""
ROUNDED = Decimal("0.05")
"""The most that the zeros at the end of a number may stand for, as a share of it."""
CONVERTED = Decimal("0.03")
"""The same for values in different units: nobody converts to the last digit."""


@dataclass(frozen=True)
class Quantity:
    """A number with what it counts or measures."""

    low: Decimal
    high: Decimal
    """The same as `low`, unless a range is told."""
    kind: str
    """What is measured (`byte`, `second`, `dollar`, …); empty for a bare number."""
    unit: str
    """As it is written."""
    step: Decimal
    """How far apart two values that round to this one may be."""
    bound: str
    """`least`, `most`, `about` or empty."""
    start: int
    end: int


def quantities(folded: str) -> list[Quantity]:
    """The quantities of a text in lower case and of normal width, in order; years and versions are none.

    >>> [(q.low, q.kind) for q in quantities("it holds 1,500 tables, up to 2 gb, since 2019")]
    [(Decimal('1500'), ''), (Decimal('2E+9'), 'byte')]
    """
    hidden = _YEAR.sub(lambda match: " " * len(match[0]), with_digits(folded))
    hidden = hidden.replace("per mille", "‰        ")
    hidden = re.sub(r"(?<![\w.])v?\d+\.\d+\.\d[\w.]*", lambda match: " " * len(match[0]), hidden)
    found = []
    for match in _QUANTITY.finditer(hidden):
        sign, written = (match["sign"] or "").strip(), (match["unit"] or "").strip(" -")
        kind, factor = _UNITS.get(written or sign, ("", "1"))
        scale = Decimal(SCALES.get((match["scale"] or "").strip(), 1)) * Decimal(factor)
        low, high = (Decimal((match[name] or match["low"]).replace(",", "")) for name in ("low", "high"))
        if high < low:
            high = low
        start, end = match.start("low"), match.end()
        found.append(
            Quantity(
                low=low * scale,
                high=high * scale,
                kind=kind,
                unit=written or sign,
                step=_step(match["low"], spelled=bool(match["scale"])) * scale,
                bound=_bound(hidden[:start].removesuffix(sign), hidden[end:]),
                start=start,
                end=end,
            )
        )
    return found


def versions(folded: str) -> list[str]:
    """The versions of a text, such as `3.11` and `v2.0.1`; a decimal number looks like one."""
    return [match["version"] for match in _VERSION.finditer(folded)]


def years(folded: str) -> list[str]:
    """The years of a text, in order."""
    return [match[0].removesuffix("年") for match in _YEAR.finditer(folded)]


def disagree(one: Quantity, other: Quantity) -> bool:
    """Whether two values of the same thing cannot both be told of it: neither rounded nor converted nor in a range.

    >>> a, b = quantities("8,849 metres, 8.8 km")
    >>> disagree(a, b)
    False
    """
    if one.kind != other.kind:
        return False
    if one.bound in ("least", "most") or other.bound in ("least", "most"):
        return _bounds_disagree(one, other)
    if one.low <= other.high and other.low <= one.high:
        return False
    gap = max(one.low, other.low) - min(one.high, other.high)
    larger = max(one.high, other.high)
    slack = max(one.step, other.step) / 2
    if "about" in (one.bound, other.bound):
        slack = max(slack, APPROXIMATE * larger)
    if one.unit != other.unit:
        slack = max(slack, CONVERTED * larger)
    return gap > slack


def _bounds_disagree(one: Quantity, other: Quantity) -> bool:
    if one.bound == other.bound:
        larger = max(one.high, other.high)
        return abs(one.low - other.low) > (CONVERTED * larger if one.unit != other.unit else 0)
    if {one.bound, other.bound} == {"least", "most"}:
        return False
    bounded, exact = (one, other) if one.bound in ("least", "most") else (other, one)
    return exact.low < bounded.low if bounded.bound == "least" else exact.high > bounded.high


def _step(written: str, *, spelled: bool) -> Decimal:
    """What the last digit stands for: 0.01 for `2.50`, 1 for `100` and for the 2 of `2 million`, 100 for `31,500`.

    Nobody rounds to the next hundred below ten thousand without saying so.
    """
    digits = written.replace(",", "")
    if "." in digits:
        return Decimal(1).scaleb(-len(digits.partition(".")[2]))
    zeros = len(digits) - len(digits.rstrip("0"))
    if spelled or len(digits) < 5 or zeros < 2:
        return Decimal(1)
    return min(Decimal(10) ** zeros, ROUNDED * Decimal(digits))


def _bound(before: str, after: str) -> str:
    for name, pattern in (("about", _ABOUT), ("least", _LEAST), ("most", _MOST)):
        if pattern.search(before[-24:]):
            return name
    return next((name for name, pattern in _AFTER.items() if pattern.search(after[:12])), "")
