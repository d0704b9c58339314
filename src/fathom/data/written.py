"""The figures of a sentence as they are written: how exactly, with which unit, between which bounds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Unit = Literal["", "%", "points", "fraction", "times", "rank"]
Bound = Literal["", "about", "nearly", "just over", "more", "least", "less", "most"]

ABOUT = Fraction(5, 100)
"""How far a figure may be off, as a share of it, when it is told as about so much."""
ABOUT_FRACTION = Fraction(10, 100)
"""The same for a third, a half and the like: there is none between two of them."""
SPOKEN = Fraction(2, 100)
"""The same for those without a word like about."""
SPOKEN_RATIO = Fraction(5, 100)
"""The same for `twice` and `doubled`."""
TENTHS = Fraction(5, 2)
"""Points by which a share told in tenths may be off: the next finer way to tell it is by halves of them."""


@dataclass(frozen=True)
class Written:
    """A figure."""

    start: int
    end: int
    value: Fraction
    """Shares in per cent; a ratio of 1 is the same size."""
    slack: Fraction
    """How far the exact value may be off when nothing is said of it."""
    unit: Unit
    bound: Bound
    sign: int = 0
    """1 or -1 when a sign is written."""
    text: str = ""

    def fits(self, exact: Fraction) -> bool:
        """Whether it may be written for `exact`: rounded as written, or between the bounds it tells."""
        told = self.value
        match self.bound:
            case "more":
                return exact > told
            case "least":
                return exact >= told
            case "less":
                return exact < told
            case "most":
                return exact <= told
            case "about":
                return abs(exact - told) <= max(self.slack, self._about * told)
            case "nearly":
                return told - max(self.slack, self._about * told) <= exact <= told
            case "just over":
                return told < exact <= told + max(self.slack, ABOUT_FRACTION * told)
        if self.unit == "%" and told in (0, 100):
            return exact == told  # nobody rounds to all or nothing
        return abs(exact - told) <= self.slack

    @property
    def _about(self) -> Fraction:
        return ABOUT_FRACTION if self.unit in ("fraction", "times") else ABOUT


_NUMBER = r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SCALES = {
    "thousand": 10**3, "k": 10**3, "million": 10**6, "m": 10**6, "billion": 10**9, "bn": 10**9,
    "千": 10**3, "万": 10**4, "億": 10**8,
}  # fmt: skip
_PARTS = "half quarter third fourth fifth sixth seventh eighth ninth tenth".split()
_PART_OF = dict(zip(_PARTS, (2, 4, 3, 4, 5, 6, 7, 8, 9, 10), strict=True)) | {"halve": 2}
_ORDINALS = {
    word: at for at, word in enumerate("second third fourth fifth sixth seventh eighth ninth tenth".split(), start=2)
}
_FRACTION = re.compile(
    r"\b(?P<many>a|an|one|\d+)[ -](?P<part>half|halve|quarter|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)s?\b"
    r"(?![ -](?:place|time|year|month|largest|biggest|most|half))"
    r"|(?P<half>\bhalf\b(?=(?: of| the| its| all| are| is| as| fall| have| belong| in\b|,|\.))|(?<!過)半数|半分)"
    r"|\b(?:one|1) in (?P<among>\d+)\b"
    r"|(?<![\d.,/])(?P<top>\d+)/(?P<bottom>\d+)(?![\d/])"
    r"|(?<!\d)(?P<below>\d+)\s?分の\s?(?P<above>\d+)"
)
_TENTHS = re.compile(r"(?<!\d)(?P<tens>\d+(?:\.\d+)?)\s?割(?:\s?(?P<ones>\d)\s?分)?")
_RANK = re.compile(
    rf"(?:第\s?)?(?<!\d)(?P<place>\d+)\s?(?:位|番目|番手)|(?<![\w.])(?P<nth>\d+)(?:st|nd|rd|th)\b"
    rf"|\b(?P<word>{'|'.join(_ORDINALS)})\b(?!s?\s+(?:of\b|half|quarter))"
)
_FACTOR: dict[str, int | Fraction] = {
    "twice": 2, "double": 2, "doubles": 2, "doubled": 2, "doubling": 2, "two-fold": 2, "twofold": 2, "倍増": 2,
    "thrice": 3, "triple": 3, "triples": 3, "tripled": 3, "threefold": 3, "quadruple": 4, "quadrupled": 4,
    "halved": Fraction(1, 2), "halving": Fraction(1, 2), "半減": Fraction(1, 2),
}  # fmt: skip
_RATIO_WORD = re.compile("|".join(rf"\b{word}\b" if word.isascii() else word for word in _FACTOR))
_RATIO = re.compile(rf"(?<![\w.,])(?P<number>{_NUMBER})(?:\s?-?\s?(?:times\b|fold\b|x\b)|\s?倍)", re.ASCII)
_NONE = re.compile(
    r"\bno(?= (?:[\ue000-\uf8ff] )?(?:records?|events?|entries|documents?|items?|rows|cases?)\b)|\bnone(?= of\b)"
    r"|(?:(?<=記録)|(?<=レコード)|(?<=イベント)|(?<=件))(?=[\ue000-\uf8ff()]{0,4}(?:が|は|も)?(?:ありません|存在しません|ない(?:。|$)))"
)
_HALF_AS = re.compile(r"\bhalf as (?:many|much|large|big|frequent)")
_FIGURE = re.compile(
    rf"(?:(?<=[\s(])|^)?(?P<sign>(?<![A-Za-z0-9_)\ue000-\uf8ff])[+-])?(?<![A-Za-z0-9_.])(?<![A-Za-z]-)(?P<number>{_NUMBER})"
    r"(?:\s?(?P<scale>thousand|million|billion|bn|[km](?![a-z])|[千万億]))?"
    r"(?:\s?(?P<unit>%|percent(?:age)?\b|per cent\b|パーセント))?(?P<points>[ -]?(?:percentage )?points?\b|ポイント)?"
)

_BEFORE: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    ("just over", re.compile(r"(?:just|slightly|a little|a bit) (?:over|above|more than)\s*$")),
    ("nearly", re.compile(r"(?:nearly|almost|(?:just|slightly) (?:under|below|less than)|close to)\s*$")),
    ("most", re.compile(r"(?:no|not) more than\s*$|(?:at most|up to|a maximum of|<=|≤|最大で?)\s*$")),
    ("least", re.compile(r"(?:no|not) (?:fewer|less) than\s*$|(?:at least|a minimum of|>=|≥|少なくとも)\s*$")),
    ("more", re.compile(r"(?:more than|over|above|exceed(?:s|ed|ing)?|upwards of|>)\s*$")),
    ("less", re.compile(r"(?:less than|fewer than|under|below|<)\s*$")),
    ("about", re.compile(r"(?:\babout|around|approximately|approx\.?|roughly|some|circa|~|≈|約|およそ|ほぼ|概ね)\s*$")),
)
_COUNTER = r"\s*(?:件|人|個|回|グループ|種類|つ|点|%|の記録)?"
_AFTER: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    ("least", re.compile(rf"{_COUNTER}以上|\s+or more\b|\+")),
    ("most", re.compile(rf"{_COUNTER}以下|\s+or (?:less|fewer)\b")),
    ("less", re.compile(rf"{_COUNTER}(?:未満|に満たな)")),
    ("more", re.compile(rf"{_COUNTER}(?:超(?!過)|を超え)")),
    ("just over", re.compile(rf"{_COUNTER}強")),
    ("nearly", re.compile(rf"{_COUNTER}(?:弱|近く)")),
    ("about", re.compile(rf"{_COUNTER}(?:程度|前後|ほど|くらい|ぐらい)")),
)


def written_in(text: str) -> tuple[str, list[Written]]:
    """The figures of a text in lower case whose names are masked, in order; and the text with them masked, too.

    >>> [(str(each.value), each.unit, each.bound) for each in written_in("about 30 % or 50 of 165, twice as many")[1]]
    [('30', '%', 'about'), ('50', '', ''), ('165', '', ''), ('2', 'times', '')]
    """
    found: list[Written] = []
    for pattern, read in (
        (_NONE, _none),
        (_HALF_AS, _half_as),
        (_FRACTION, _fraction),
        (_TENTHS, _tenths),
        (_RATIO, _ratio),
        (_RATIO_WORD, _ratio_word),
        (_RANK, _rank),
        (_FIGURE, _figure),
    ):
        for match in pattern.finditer(text):
            value, slack, unit, sign = read(match)
            bound = _bound(text[: match.start()], text[match.end() :])
            found.append(Written(match.start(), match.end(), value, slack, unit, bound, sign, match[0].strip()))
        text = pattern.sub(lambda match: "\ufdd0" * len(match[0]), text)
    return text, sorted(found, key=lambda each: each.start)


def _bound(before: str, after: str) -> Bound:
    for bound, pattern in _BEFORE:
        if pattern.search(before[-28:]):
            return bound
    return next((bound for bound, pattern in _AFTER if pattern.match(after[:14])), "")


_Read = tuple[Fraction, Fraction, Unit, int]


def _none(_match: re.Match[str]) -> _Read:
    return Fraction(0), Fraction(0), "", 0


def _half_as(_match: re.Match[str]) -> _Read:
    return Fraction(1, 2), SPOKEN_RATIO / 2, "times", 0


def _fraction(match: re.Match[str]) -> _Read:
    if match["part"]:
        many = int(match["many"]) if match["many"].isdecimal() else 1
        value = Fraction(many, _PART_OF[match["part"]])
    elif match["among"]:
        value = Fraction(1, int(match["among"]) or 1)
    elif match["half"]:
        value = Fraction(1, 2)
    else:
        above, below = (match["top"], match["bottom"]) if match["top"] else (match["above"], match["below"])
        value = Fraction(int(above), int(below) or 1)
    value *= 100
    return value, SPOKEN * value, "fraction", 0


def _tenths(match: re.Match[str]) -> _Read:
    value = Fraction(match["tens"]) * 10 + int(match["ones"] or 0)
    exactly = match["ones"] or "." in match["tens"]
    return value, Fraction(1, 2) if exactly else TENTHS, "%", 0


def _ratio(match: re.Match[str]) -> _Read:
    value, step = _read_number(match["number"])
    return value, min(step / 2, SPOKEN_RATIO * value), "times", 0


def _ratio_word(match: re.Match[str]) -> _Read:
    value = Fraction(_FACTOR[match[0]])
    return value, SPOKEN_RATIO * value, "times", 0


def _rank(match: re.Match[str]) -> _Read:
    place = match["place"] or match["nth"]
    return Fraction(int(place) if place else _ORDINALS[match["word"]]), Fraction(0), "rank", 0


def _figure(match: re.Match[str]) -> _Read:
    value, step = _read_number(match["number"])
    scale = _SCALES.get(match["scale"] or "", 1)
    unit: Unit = "points" if match["points"] else "%" if match["unit"] else ""
    sign = {"+": 1, "-": -1}.get(match["sign"] or "", 0)
    return value * scale, step * scale / 2, unit, sign


def _read_number(text: str) -> tuple[Fraction, Fraction]:
    """The value, and what its last digit stands for."""
    digits = text.replace(",", "")
    decimals = len(digits.partition(".")[2])
    return Fraction(digits), Fraction(1, 10**decimals)
