"""How far a question reaches: what is current, what others do and think, what is the asker's own."""

from __future__ import annotations

import re
import unicodedata

_CURRENT = re.compile(
    r"\b(?:latest|newest|most\s+recent|recent(?:ly)?|currently|today(?:'s)?|nowadays|now|as\s+of|news|up[-\s]to[-\s]date"
    r"|this\s+(?:year|month|week|quarter)|(?:next|coming)\s+(?:year|month|week|quarter|version|release)|upcoming|roadmap"
    r"|state\s+of\s+the\s+art|trends?|trending|forecasts?|outlook|prices?|pricing|priced|exchange\s+rates?|still"
    r"|how\s+much\s+(?:do|does|is|are|will)\b(?=.*\b(?:cost|dollars?|euros?|yen)\b)"
    r"|(?<!electric\s)(?<!ocean\s)(?<!alternating\s)(?<!direct\s)current(?!s\b)(?=\s+\w)"
    r"(?!\s+(?:transaction|branch|row|directory|user|session|thread|process|time|flow|of|is|in)\b))\b"
    r"|最新|現在|現時点|今日|本日|今年|今月|今週|来年|近年|最近|昨今|ニュース|価格|値段|料金|相場|動向|為替|株価|今後",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:industry|best\s+practices?|competitors?|competing|alternatives?|market|external|publicly|public\s+opinion"
    r"|other\s+(?:companies|vendors|products|tools|teams|organi[sz]ations|people|providers|countries)|elsewhere"
    r"|opinions?|reviews?|reputation|popular(?:ity)?|on\s+the\s+(?:web|internet)|online|worldwide)\b"
    r"|社外|業界|外部|他社|世間|競合|市場|評判|口コミ|世論|一般的|ベストプラクティス|世界中|ウェブ|インターネット",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:our|ours|my|in-house|internal(?:ly)?)\b|\bwe\b"
    r"|弊社|[当本](?:社|院|校|店|園|館|部|所|会)|自社|社内|弊部|我が社|私の|私たち|我々|うちの|手元の",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.,/-])(?:19|20|21)\d\d(?![\d,]|\.\d)")


def asks_for_current(text: str, *, today: str = "") -> bool:
    """Whether the answer is another one next year. `today` is an ISO 8601 date; without it no year is the present one.

    >>> asks_for_current("What is the latest release?"), asks_for_current("Who won in 2026?", today="2026-03-01")
    (True, True)
    >>> asks_for_current("What drives an ocean current?"), asks_for_current("Who won in 2019?", today="2026-03-01")
    (False, False)
    """
    text = unicodedata.normalize("NFKC", text)
    present = today[:4]
    return bool(_CURRENT.search(text)) or bool(present and any(year >= present for year in _YEAR.findall(text)))


def asks_for_others(text: str) -> bool:
    """Whether it asks what others do, offer or think.

    >>> asks_for_others("How does it compare with competitors?"), asks_for_others("Compare lists with tuples.")
    (True, False)
    """
    return bool(_OTHERS.search(unicodedata.normalize("NFKC", text)))


def speaks_of_own(text: str) -> bool:
    """Whether it speaks of what only the asker has.

    >>> speaks_of_own("What is our retry policy?"), speaks_of_own("弊社の規定"), speaks_of_own("How deep is the sea?")
    (True, True, False)
    """
    return bool(_OWN.search(unicodedata.normalize("NFKC", text)))


def is_all_own(text: str) -> bool:
    """Whether all that it asks is about what only the asker has; what it asks besides may be known elsewhere.

    >>> is_all_own("How long is our key valid?"), is_all_own("What did our tests find, and how long is the bridge?")
    (True, False)
    """
    pieces = [piece for piece in _PIECES.split(text) if len(piece) > _LEAST]
    return bool(pieces) and all(speaks_of_own(piece) and not asks_for_others(piece) for piece in pieces)


_PIECES = re.compile(r"[,;:?!、。？！]\s*")
_LEAST = 5
"""Characters of a piece that asks something."""
