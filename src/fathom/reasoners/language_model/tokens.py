"""How many tokens a text takes, about: no provider's tokenizer is needed, and none is fetched."""

from __future__ import annotations

import re

from fathom.text.characters import CJK

_WIDE = re.compile(f"[{CJK}\u3000-\u303f\uff00-\uffef]")
CHARACTERS_PER_TOKEN = 3.6
"""Of text in Latin letters; common tokenizers have 3.5 to 4.5 in English prose, fewer in code and tables."""
TOKENS_PER_WIDE = 1.1
"""Of a Chinese, Japanese or Korean character; common tokenizers have 0.7 to 1.3."""


def count_tokens(text: str) -> int:
    """An estimate on the safe side: rather too many than too few.

    >>> count_tokens("A sentence of nine words is counted like this."), count_tokens("東京都の人口")
    (13, 7)
    """
    wide = len(_WIDE.findall(text))
    return round((len(text) - wide) / CHARACTERS_PER_TOKEN + wide * TOKENS_PER_WIDE)
