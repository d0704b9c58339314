"""What kind of thing a question asks for, and whether a text has one: a time, an amount, how to reach someone."""

from __future__ import annotations

import re
from typing import Literal

from fathom.languages.packs import either
from fathom.text.quantities import quantities

Wanted = Literal["time", "amount", "contact"]

_ASKS: dict[Wanted, re.Pattern[str]] = {
    "time": re.compile(either("wanted.time"), re.IGNORECASE),
    "amount": re.compile(either("wanted.amount"), re.IGNORECASE),
    "contact": re.compile(either("wanted.contact"), re.IGNORECASE),
}
_OPEN = re.compile(either("wanted.open"), re.IGNORECASE)
_TIME = re.compile(either("wanted.times"), re.IGNORECASE)
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
