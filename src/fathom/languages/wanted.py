"""What kind of thing a question asks for, and whether a text has one: a time, an amount, how to reach someone."""

from __future__ import annotations

import re
from typing import Literal

from fathom.text.quantities import quantities

Wanted = Literal["time", "amount", "contact"]

_ASKS: dict[Wanted, re.Pattern[str]] = {
    "time": re.compile(
        r"\b(?:when|what\s+time|(?:what|which)\s+(?:days?|date|month)|until\s+when|by\s+when|how\s+soon)\b"
        r"|\b(?:wann|um\s+wie\s?viel\s+uhr|quand|(?:à\s+)?quelle\s+(?:heure|date)|quel(?:s)?\s+(?:jours?|mois)|cuándo"
        r"|(?:a\s+)?qué\s+(?:hora|día|fecha))\b|いつ|何(?:時|日|曜|月)",
        re.IGNORECASE,
    ),
    "amount": re.compile(
        r"\bhow\s+(?:much|many|long|far|high|deep|big|large|old|often)\b|\bcosts?\b|\bprice\b|\bpercent"
        r"|\bwie\s?(?:viele?|lange?|oft|weit|hoch|groß|teuer|alt)\b|\bkoste[nt]?\b|\bpreise?\b|\bcombien\b|\bco[uû]te(?:nt)?\b"
        r"|\bprix\b|\bcuánt[oa]s?\b|\bcuestan?\b|\bprecios?\b"
        r"|いくら|何(?:円|人|本|個|台|枚|回|度|割|か月|年|週|分|キロ|グラム|メートル|パーセント)|どのくらい|どれくらい",
        re.IGNORECASE,
    ),
    "contact": re.compile(
        r"\bwhom?\s+(?:can|could|do|should|must|shall|may|to)\b|\b(?:an\s+)?wen\b|\bà\s+qui\b|\ba\s+quién\b|誰に|だれに|どこに(?:電話|連絡)|連絡先|電話番号",
        re.IGNORECASE,
    ),
}
_OPEN = re.compile(
    r"\bshould\b|\bhow\s+(?:do|does|can|could|is|are|to)\b|\bwhat\s+(?:\w+\s+)?(?:do|does|must|can|to|am|are)\b"
    r"|\b(?:need|have|ought)\s+to\b|\bwas\s+(?:muss|soll|mache|tun)\w*|\bwie\s+(?!viel|lange?\b|oft|weit|hoch|groß|teuer|alt)\w+"
    r"|\bsollte\w*|\bcomment\b|\bque\s+(?:faire|dois|faut)\b|\bfaut-il\b|\bcómo\b|\bqué\s+(?:hago|hacer|debo)\b|べき|どう|何を|なにを|(?:ほう|方)がいい|注意",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?(?:am|pm|a\.m|p\.m|o'clock|uhr)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:mon|diens|donners|frei|sams|sonn)tags?\b|\bmittwochs?\b|\b(?:lun|mar|mercre|jeu|vendre|same)dis?\b|\bdimanches?\b"
    r"|\b(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)\b|\b\d{1,2}\s?h(?:\s?\d\d)?\b|\b\d{1,2}\.\s?\d{1,2}\.(?:\d{2,4})?"
    r"|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december)\s+\d{1,2}\b"
    r"|\d{1,2}時(?:\d{1,2}分|半)?|\d{1,2}月\d{1,2}日|[月火水木金土日]曜|\d{4}-\d\d-\d\d",
    re.IGNORECASE,
)
_METRES = re.compile(r"(?<=\d) ?m\b(?! ?[.\d])")
"""Which `quantities` takes for millions, or for nothing."""
_HUNDREDTHS = re.compile(r"(?<![\d.])\d[\d,]*\.\d\d(?![\d.])")
_CONTACT = re.compile(r"(?<!\d)\+?\d[\d ()-]{5,}\d(?!\d)|[\w.+-]+@[\w-]+\.\w+")


def wanted_of(question: str) -> list[Wanted]:
    """The kinds of things that a question asks for.

    >>> wanted_of("When is the tuner coming, and what does it cost?"), wanted_of("いくらかかりますか")
    (['time', 'amount'], ['amount'])
    >>> wanted_of("Wann kommt wer, und wie viel kostet das?"), wanted_of("À qui dois-je écrire, et à quelle heure ?")
    (['time', 'amount'], ['time', 'contact'])
    """
    return [kind for kind, pattern in _ASKS.items() if pattern.search(question)]


def is_open(question: str) -> bool:
    """Whether a question asks what to do or how, or what to decide: one fact does not answer that.

    >>> is_open("Wie melde ich mich ab?"), is_open("Wie viel kostet das?"), is_open("Comment faire ?")
    (True, False, True)
    >>> is_open("What do we have to sort out?"), is_open("Can I bring the dog?"), is_open("買い替えるべきでしょうか")
    (True, False, True)
    """
    return bool(_OPEN.search(question))


def holds(kind: Wanted, text: str) -> bool:
    """Whether a text has something of that kind: of an amount its unit, or hundredths.

    >>> holds("time", "Thursdays from 18:30"), holds("contact", "Ring 01632 960417."), holds("amount", "call-out 85.00")
    (True, True, True)
    """
    match kind:
        case "time":
            return bool(_TIME.search(text))
        case "contact":
            return bool(_CONTACT.search(text))
        case "amount":
            measured = quantities(_METRES.sub(" metres", text.casefold()))
            return any(each.kind or each.unit for each in measured) or bool(_HUNDREDTHS.search(text))
