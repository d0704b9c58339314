"""What an English question asks for by name: especially this, with a focus on that."""

from __future__ import annotations

import re

_ADVERB = r"(?:especially|particularly|in\s+particular|above\s+all|most\s+of\s+all|notably|specifically)"
_FOCUS = (
    r"(?:(?:with|putting|placing|giving)\s+)?(?:(?:an?|the|special|particular|strong|main)\s+)*"
    r"(?:(?:focus(?:es|ing)?|concentrat(?:e|ing))\s+(?:\w+ly\s+)?on|(?:emphasis|stress)\s+on|attention\s+to)"
)
_DETAIL = r"(?:in\s+(?:great\s+|more\s+|full\s+)?detail\s+(?:about|on|for))"
_VERB = r"(?:(?:please|also|cover|covering|explain|describe|discuss|treat|include|including|about|on|of|for)\s+)*"
_ENGLISH = re.compile(
    rf"(?:^|[\s,;:(–—-]+)(?:and\s+|but\s+)?(?:{_ADVERB},?\s+(?:{_FOCUS}\s+)?|{_FOCUS}\s+|{_DETAIL}\s+){_VERB}"
    r"(?P<named>[^;()]+)\)?$",
    re.IGNORECASE,
)
_NOT_A_NAME = re.compile(
    r"^(?:when|if|because|since|while|whether|how|what|why|who|which|where|in|with|by|from|to|at|as|after|before|is"
    r"|are|does|do|can)\b",
    re.IGNORECASE,
)
_BREAK = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|as\s+well\s+as)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:(?:the|an?|also|both|on|about)\s+)+", re.IGNORECASE)
_MAX_WORDS = 6


def stressed_in(text: str) -> tuple[str, tuple[str, ...]]:
    """The words before a stress, and what is stressed; `(text, ())` when nothing is.

    >>> stressed_in("Explain async, especially generators and event loops")
    ('Explain async', ('generators', 'event loops'))
    >>> stressed_in("how locks behave, especially when a table is large")
    ('how locks behave, especially when a table is large', ())
    """
    match = _ENGLISH.search(text)
    if not match:
        return text, ()
    named = [_ARTICLE.sub("", part).strip(" ,.") for part in _BREAK.split(match["named"]) if part.strip(" ,.")]
    if not all(named) or any(_NOT_A_NAME.match(name) or len(name.split()) > _MAX_WORDS for name in named):
        return text, ()
    return text[: match.start()].strip(" ,;:"), tuple(dict.fromkeys(named))
