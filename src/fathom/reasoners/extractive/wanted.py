"""What kind of thing a question asks for, and whether a text has one: a time, an amount, how to reach someone."""

from __future__ import annotations

import re
from typing import Literal

from fathom.text.quantities import quantities

Wanted = Literal["time", "amount", "contact"]

_ASKS: dict[Wanted, re.Pattern[str]] = {
    "time": re.compile(
        r"\b(?:when|what\s+time|(?:what|which)\s+(?:days?|date|month)|until\s+when|by\s+when|how\s+soon)\b"
        r"|いつ|何(?:時|日|曜|月)",
        re.IGNORECASE,
    ),
    "amount": re.compile(
        r"\bhow\s+(?:much|many|long|far|high|deep|big|large|old|often)\b|\bcosts?\b|\bprice\b|\bpercent"
        r"|いくら|何(?:円|人|本|個|台|枚|回|度|割|か月|年|週|分|キロ|グラム|メートル|パーセント)|どのくらい|どれくらい",
        re.IGNORECASE,
    ),
    "contact": re.compile(
        r"\bwhom?\s+(?:can|could|do|should|must|shall|may|to)\b|誰に|だれに|どこに(?:電話|連絡)|連絡先|電話番号",
        re.IGNORECASE,
    ),
}
_OPEN = re.compile(
    r"\bshould\b|\bhow\s+(?:do|does|can|could|is|are|to)\b|\bwhat\s+(?:\w+\s+)?(?:do|does|must|can|to|am|are)\b"
    r"|\b(?:need|have|ought)\s+to\b|べき|どう|何を|なにを|(?:ほう|方)がいい|注意",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?(?:am|pm|a\.m|p\.m|o'clock|uhr)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december)\s+\d{1,2}\b"
    r"|\d{1,2}時(?:\d{1,2}分|半)?|\d{1,2}月\d{1,2}日|[月火水木金土日]曜|\d{4}-\d\d-\d\d",
    re.IGNORECASE,
)
_METRES = re.compile(r"(?<=\d) ?m\b(?! ?[.\d])")
"""Which `quantities` takes for millions, or for nothing."""
_CONTACT = re.compile(r"(?<!\d)\+?\d[\d ()-]{5,}\d(?!\d)|[\w.+-]+@[\w-]+\.\w+")


def wanted_of(question: str) -> list[Wanted]:
    """The kinds of things that a question asks for.

    >>> wanted_of("When is the tuner coming, and what does it cost?"), wanted_of("いくらかかりますか")
    (['time', 'amount'], ['amount'])
    """
    return [kind for kind, pattern in _ASKS.items() if pattern.search(question)]


def is_open(question: str) -> bool:
    """Whether a question asks what to do or how, or what to decide: one fact does not answer that.

    >>> is_open("What do we have to sort out?"), is_open("Can I bring the dog?"), is_open("買い替えるべきでしょうか")
    (True, False, True)
    """
    return bool(_OPEN.search(question))


def holds(kind: Wanted, text: str) -> bool:
    """Whether a text has something of that kind.

    >>> holds("time", "Thursdays from 18:30"), holds("contact", "Ring 01632 960417.")
    (True, True)
    """
    return bool(values_of(kind, text))


def values_of(kind: Wanted, text: str) -> frozenset[str]:
    """What a text has of that kind, each as one may be compared with another.

    >>> sorted(values_of("amount", "2.1 metres at low water, 5 kg")), sorted(values_of("time", "by 18:30"))
    (['2.1 metre', '5000 gram'], ['18:30'])
    """
    match kind:
        case "time":
            return frozenset(match[0].casefold() for match in _TIME.finditer(text))
        case "contact":
            return frozenset(match[0] for match in _CONTACT.finditer(text))
        case "amount":
            found = [each for each in quantities(_METRES.sub(" metres", text.casefold())) if each.kind or each.unit]
            return frozenset(f"{each.low.normalize():f} {each.kind or each.unit}" for each in found)


def differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts have different values of one measure.

    >>> differ(frozenset({"2.1 metre"}), frozenset({"1.5 metre"}))
    True
    >>> differ(frozenset({"5 gram"}), frozenset({"2 metre"}))
    False
    """
    measures = {value.partition(" ")[2] for value in one} & {value.partition(" ")[2] for value in other}
    return bool(measures) and one.isdisjoint(other)
