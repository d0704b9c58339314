"""The words in which two texts differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby, pairwise

from fathom.comparison.records import Piece
from fathom.text.characters import CJK, HAN, HANGUL, HIRAGANA, KATAKANA
from fathom.text.stopwords import FUNCTION_WORDS

_WORD = re.compile(
    rf"\s+|\d+(?:[.,:]\d+)*|[{HAN}]+|[{KATAKANA}]+|[{HIRAGANA}]+|[{HANGUL}]+|[^\W\d_{CJK}]+(?:['’][^\W\d_{CJK}]+)*|.",
    re.DOTALL,
)
"""Words, numbers, white space and single marks; Japanese, which has no spaces, by its kinds of letters."""
_RUN = re.compile(f"[{CJK}]{{2,}}")
_HIRAGANA = re.compile(f"[{HIRAGANA}]+")
_FUNCTION = frozenset[str]().union(*FUNCTION_WORDS.values())
MOST = 400
"""Words that are compared one by one, between what both texts begin and end with; more of them count as other words."""


def weights(text: str) -> Counter[str]:
    """What a text is made of, for whoever weighs what two texts share: words and numbers; of a run of Chinese, Japanese
    or Korean letters, its pairs. Function words and pairs of hiragana count a third of the others.

    >>> weights("It costs 9.50 €") == {"it": 1, "costs": 3, "9.50": 3}
    True
    >>> weights("量は8900だった") == {"量は": 3, "8900": 3, "だっ": 1, "った": 1}
    True
    """
    words = [word.casefold() for word in _WORD.findall(_RUN.sub(" ", text)) if word[0].isalnum()]
    words += (a + b for run in _RUN.findall(text) for a, b in pairwise(run))
    return Counter({w: n * (1 if w in _FUNCTION or _HIRAGANA.fullmatch(w) else 3) for w, n in Counter(words).items()})


def pieces(old: str, new: str) -> tuple[Piece, ...]:
    """What two texts have in common, and what one of them has, in order; neighbours of one kind are one piece.

    >>> [(each.state, each.text) for each in pieces("It costs 240 euros.", "It costs 260 euros.")]
    [('same', 'It costs '), ('gone', '240'), ('new', '260'), ('same', ' euros.')]
    """
    a, b = _WORD.findall(old), _WORD.findall(new)
    most = min(len(a), len(b))
    begin = next((at for at in range(most) if a[at] != b[at]), most)
    end = next((at for at in range(most - begin) if a[-1 - at] != b[-1 - at]), most - begin)
    between = a[begin : len(a) - end], b[begin : len(b) - end]

    def found() -> Iterator[tuple[str, list[str]]]:
        yield "same", a[:begin]
        if max(map(len, between)) > MOST:  # it takes the square of that
            yield from (("gone", between[0]), ("new", between[1]))
        else:
            for kind, a1, a2, b1, b2 in SequenceMatcher(None, *between, autojunk=False).get_opcodes():
                if kind == "equal":
                    yield "same", between[0][a1:a2]
                else:
                    yield from (("gone", between[0][a1:a2]), ("new", between[1][b1:b2]))
        yield "same", a[len(a) - end :]

    parts = groupby(((state, "".join(run)) for state, run in found() if run), key=lambda part: part[0])
    return tuple(
        Piece.model_validate({"state": state, "text": "".join(text for _, text in run)}) for state, run in parts
    )
