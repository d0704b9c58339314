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
_HIRAGANA = re.compile(f"[{HIRAGANA}]+")
_EMPTY = frozenset[str]().union(*FUNCTION_WORDS.values())
_RUN = re.compile(f"[{CJK}]{{2,}}")
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
    found = Counter[str]()
    for word in _WORD.findall(_RUN.sub(" ", text)):
        if word[0].isalnum():
            found[word.casefold()] += 1 if word.casefold() in _EMPTY else 3
    for run in _RUN.findall(text):
        for pair in map("".join, pairwise(run)):
            found[pair] += 1 if _HIRAGANA.fullmatch(pair) else 3
    return found


def pieces(old: str, new: str) -> tuple[Piece, ...]:
    """What two texts have in common, and what one of them has, in order; neighbours of one kind are one piece.

    >>> [(each.state, each.text) for each in pieces("It costs 240 euros.", "It costs 260 euros.")]
    [('same', 'It costs '), ('gone', '240'), ('new', '260'), ('same', ' euros.')]
    """

    def found() -> Iterator[Piece]:
        for state, run in groupby(_pieces(_WORD.findall(old), _WORD.findall(new)), key=lambda piece: piece.state):
            if text := "".join(piece.text for piece in run):
                yield Piece(state=state, text=text)

    return tuple(found())


def _pieces(old: list[str], new: list[str]) -> Iterator[Piece]:
    begin = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - begin
    end = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    yield Piece(state="same", text="".join(old[:begin]))
    a, b = old[begin : len(old) - end], new[begin : len(new) - end]
    if max(len(a), len(b)) > MOST:  # it takes the square of that
        yield Piece(state="gone", text="".join(a))
        yield Piece(state="new", text="".join(b))
    else:
        for kind, a_from, a_to, b_from, b_to in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if kind == "equal":
                yield Piece(state="same", text="".join(a[a_from:a_to]))
            else:
                yield Piece(state="gone", text="".join(a[a_from:a_to]))
                yield Piece(state="new", text="".join(b[b_from:b_to]))
    yield Piece(state="same", text="".join(old[len(old) - end :]))
