"""How far a question reaches: what is current, what others do and think, what is the asker's own."""

from __future__ import annotations

import re
import unicodedata

from fathom.languages.packs import either

_CURRENT = re.compile(either("reach.current"), re.IGNORECASE)
_OTHERS = re.compile(either("reach.others"), re.IGNORECASE)
_OWN = re.compile(either("reach.own"), re.IGNORECASE)
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
