"""Whether a sentence stands in a text, word for word."""

from __future__ import annotations

import re
import unicodedata

from fathom.text.characters import CJK

_TYPOGRAPHY = str.maketrans("‘’“”–—|", "''\"\"-- ", "\u00ad\u200b")
_WIDE_GAP = re.compile(f"(?<=[{CJK}、。]) | (?=[{CJK}])")


def folded(text: str) -> str:
    """Case, width, spacing, typographic quotes, bars between cells and colons between words removed, so that only the
    words differ."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(" ".join(text.translate(_TYPOGRAPHY).split()).replace(": ", " ").split())


def is_quotation(claim: str, source: str) -> bool:
    """Whether a sentence stands in the source, both `folded`; its last punctuation mark does not count.

    >>> is_quotation("the limit is 64.", "by default, the limit is 64, and"), is_quotation("limit is 6", "limit is 64")
    (True, False)
    """
    core, source = (_WIDE_GAP.sub("", text) for text in (claim.rstrip(" .。:：;；,、"), source))
    if not core:
        return True  # nothing is said
    at = source.find(core)
    while at >= 0:
        before, after = source[at - 1 : at], source[at + len(core) : at + len(core) + 1]
        if not (_joins(before, core[0]) or _joins(core[-1], after)):
            return True
        at = source.find(core, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word or number, so that a match between them cuts it."""
    return bool(left and right and left.isascii() and right.isascii() and left.isalnum() and right.isalnum())
