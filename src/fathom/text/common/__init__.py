"""How much a word says in its language at large: "server" more than "people", whatever the sources hold.

The lists beside this file are of terms that stand often in texts of all kinds, made by `benchmarks/fit_common_words.py`
of the frequencies of wordfreq 3.1.1 (R. Speer, 2022), whose data are under CC BY-SA 4.0, as these lists are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from fathom.languages.packs import pack
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import HAN, KATAKANA
from fathom.text.stopwords import FUNCTION_WORDS

_LISTS = Path(__file__).parent
LANGUAGES = frozenset(file.stem for file in _LISTS.glob("*.txt"))
"""ISO 639-1 codes of the languages that there is a list of."""
COMMONEST, RARE = 6.4, 4.3
"""Occurrences in 10⁹ words, as a power of ten: of what says least, and of what says most."""
LEAST = 0.1
"""What the commonest words say."""

JOINT = 0.6
"""What a Japanese pair says that no list has and that hiragana is in: more often an ending than a word of its own."""
UNSAID = 3
"""Words of a question that a reader is told of as missing, at most: only such as are rare in its language."""
_JOINED = re.compile("[-'’]")
_HIRAGANA = re.compile("[ぁ-ゖ]")
_WORD = re.compile(rf"[{HAN}]{{2,}}|[{KATAKANA}]{{2,}}|[^\W\d_{HAN}{KATAKANA}ぁ-ゖ]{{2,}}(?:-[^\W\d_]+)*")


def telling(term: str, *, language: str) -> float:
    """From `LEAST` for the commonest terms of a language to 1 for those that are rare in it, names among them.

    >>> telling("peopl", language="en") < telling("servic", language="en") < telling("passport", language="en")
    True
    >>> telling("日に", language="ja") < telling("会費", language="ja")
    True
    >>> telling("est-ce", language="fr") < telling("rendez-vous", language="fr")
    True
    """
    parts, small = _JOINED.split(term), FUNCTION_WORDS.get(language, frozenset())
    if len(parts) > 1 and not small.isdisjoint(parts):
        said = (stem for part in parts if part not in small for stem in terms(part))
        return max((telling(stem, language=language) for stem in said), default=LEAST)
    unlisted = JOINT if pack(language).holds("about.wide") and _HIRAGANA.search(term) else 1.0
    return _weights(language).get(term, unlisted) if language in LANGUAGES else 1.0


def unsaid(asked: str, told: Iterable[str], *, language: str) -> tuple[str, ...]:
    """The words of a question that say most and that no text holds in any form, as it writes them, at most three.

    >>> unsaid("Would it be cheaper with Aviva?", ["The policy of Globe costs 96 euros."], language="en")
    ('cheaper', 'Aviva')
    """
    held = {term for text in told for term in terms(text)}
    said: dict[str, float] = {}
    for word in _WORD.findall(asked):
        own = query_terms(word)
        if own and held.isdisjoint(own):
            said[word] = max(telling(term, language=language) for term in own)
    most = sorted(said, key=said.__getitem__, reverse=True)[:UNSAID]
    return tuple(word for word in said if word in most and said[word] >= 1)


@cache
def _weights(language: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for line in (_LISTS / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        weight, *terms = line.split()
        found |= dict.fromkeys(terms, float(weight))
    return found
