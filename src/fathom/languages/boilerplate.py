"""Sentences that a page says of itself amid its text: who wrote it and when, what to click or to subscribe to.

Banners, menus and what else stands around the text is left out where a page is read.
"""

from __future__ import annotations

import re

from fathom.languages.packs import packs
from fathom.text.display import word_count

LONGEST = 40
"""Words of the longest sentence that is taken for one: what is longer says something besides."""
_WHOLE = re.compile(
    "|".join(
        f"{each.pattern('boilerplate.before')}(?:{ways}){each.pattern('boilerplate.behind')}"
        for each in packs()
        if (ways := each.pattern("boilerplate.ways"))
    ),
    re.IGNORECASE,
)


def is_boilerplate(claim: str) -> bool:
    """Whether a sentence says nothing of the subject of its page, but of the page itself, or of what to do there.

    >>> is_boilerplate("Published on March 3, 2024"), is_boilerplate("Published in 1998, the book made him famous.")
    (True, False)
    >>> is_boilerplate("続きを読む"), is_boilerplate("クッキーは7日後に失効します。")
    (True, False)
    """
    if word_count(claim) > LONGEST:
        return False
    return bool(_WHOLE.match(" ".join(claim.split())))
