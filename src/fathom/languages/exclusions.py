"""What a question leaves out: other than the hotline, beyond popular practices, 電話以外に."""

from __future__ import annotations

import re

from fathom.languages.english.lists import AUX, WH
from fathom.languages.french import FRENCH
from fathom.languages.german import GERMAN
from fathom.languages.spanish import SPANISH

_BEFORE = (
    r"beyond|besides|(?:apart|aside)\s+from|other\s+than|except(?:\s+for)?|excluding"
    r"|außer|abgesehen\s+von|à\s+part|mis\s+à\s+part|hormis|en\s+dehors\s+d[eu]s?|aparte\s+de|excepto|salvo|fuera\s+de"
)
_BEHIND = _BEFORE.removeprefix("beyond|")
_FIRST = re.compile(rf"^(?:{_BEFORE})\s+(?P<out>[^;?!]+?)\s?,\s+(?=(?P<asked>[^,;?!]+))", re.IGNORECASE)
_LAST = re.compile(
    rf"(?:(?<=\w),)?\s+(?:{_BEHIND})\s+(?P<out>[^\s,;?!]+(?:\s[^\s,;?!]+){{0,4}})(?=\s?[?.!]*$)", re.IGNORECASE
)
_JAPANESE = re.compile(
    r"(?:^|(?<=[。、]))(?P<out>[^。、？?]{2,}?)(?:以外|の(?:ほか|他))(?:に|で|の)(?:は|も)?、?(?=[^。、？?]{3})"
)
_ASKS = re.compile(
    "|".join((WH, AUX, r"que\s", *(f"{each.words}|{each.verbs}" for each in (GERMAN, FRENCH, SPANISH)))), re.IGNORECASE
)
"""How what is asked begins behind a comma."""


def without_exclusion(question: str) -> tuple[str, str]:
    """A question without what it leaves out, and that.

    >>> without_exclusion("Besides Anna and Bert, who has a key?")
    ('who has a key?', 'Anna and Bert')
    >>> without_exclusion("Was muss ich zahlen, abgesehen von der Kaution?"), without_exclusion("電話以外の方法は？")
    (('Was muss ich zahlen?', 'der Kaution'), ('方法は？', '電話'))
    """
    for pattern in (_FIRST, _LAST, _JAPANESE):
        for match in pattern.finditer(question):
            if pattern is not _FIRST or _ASKS.match(match["asked"]):
                return f"{question[: match.start()]}{question[match.end() :]}".strip(), match["out"].strip()
    return question, ""
