"""What a question leaves out: other than the hotline, beyond popular practices, 電話以外に."""

from __future__ import annotations

import re

from fathom.languages.english.lists import AUX, WH
from fathom.languages.packs import either

_BEFORE = either("exclusions.before")
_FIRST = re.compile(rf"^(?:{_BEFORE})\s+(?P<out>[^;?!]+?)\s?,\s+(?=(?P<asked>[^,;?!]+))", re.IGNORECASE)
_LAST = re.compile(
    rf"(?:(?<=\w),)?\s+(?!{either('exclusions.opens')})(?:{_BEFORE})\s+(?P<out>[^\s,;?!]+(?:\s[^\s,;?!]+){{0,4}})(?=\s?[?.!]*$)",
    re.IGNORECASE,
)
_WHOLE = re.compile(either("exclusions.whole"))
ASKS = re.compile(
    "|".join((WH, AUX, *(either(topic) for topic in ("exclusions.asked", "asking.words", "asking.verbs")))),
    re.IGNORECASE,
)
"""How what is asked begins behind a comma."""


def without_exclusion(question: str) -> tuple[str, str]:
    """A question without what it leaves out, and that.

    >>> without_exclusion("Besides Anna and Bert, who has a key?")
    ('who has a key?', 'Anna and Bert')
    >>> without_exclusion("Was muss ich zahlen, abgesehen von der Kaution?"), without_exclusion("電話以外の方法は？")
    (('Was muss ich zahlen?', 'der Kaution'), ('方法は？', '電話'))
    """
    for pattern in (_FIRST, _LAST, _WHOLE):
        for match in pattern.finditer(question):
            if pattern is not _FIRST or ASKS.match(match["asked"]):
                return f"{question[: match.start()]}{question[match.end() :]}".strip(), match["out"].strip()
    return question, ""
