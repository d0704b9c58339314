"""Words that the end of a line breaks: whether the hyphen belongs to the word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from fathom.reading.pdf_places import SOFT
from fathom.text.analysis import terms
from fathom.text.common import LANGUAGES, telling
from fathom.text.language import detect

_COMPOUND = re.compile(r"[^\W_]+(?:[-‐][^\W_]+)*")
_BEFORE = re.compile(r"([^\W_]{1,60})[-‐]$")
_AFTER = re.compile(r"[^\W_]+")
_BROKEN = re.compile(rf"(?<!\S)\S{{0,60}}[-‐{SOFT}]\n\S{{0,60}}")
_AND = frozenset("and or und oder bzw sowie".split())
"""Behind a hyphen in place of the rest of a word: "two- and three-year"."""
_BEGINNINGS = frozenset("con de dis for fore inter mis out over pre pro re sub un under up".split())
"""What looks like a word, and is mostly a part of one."""
_WRITTEN_APART = frozenset({"en", "fr"})
"""Languages in which two words make one with a hyphen between them more often than without."""


class Hyphens:
    """What the words of a document say of those that are broken."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Lines of text, in order; a broken one ends with its hyphen."""
        text = "\n".join(lines)
        self._whole: Counter[str] = Counter()
        self._parted: Counter[tuple[str, str]] = Counter()
        for word in _COMPOUND.findall(_BROKEN.sub(" ", text).casefold()):
            parts = re.split("[-‐]", word)
            self._whole.update(parts)
            self._parted.update(pairwise(parts))
        self._language = detect(text, likely="en")

    def joined(self, before: str, after: str) -> str:
        """Two lines as one, the former ending with a hyphen: with it, without it, or with a space behind it.

        >>> Hyphens([]).joined("a well-", "known exhi-"), Hyphens([]).joined("exhi-", "bition"), Hyphens([]).joined(
        ...     "two-", "and three-year loans")
        ('a well-known exhi-', 'exhibition', 'two- and three-year loans')
        """
        if before.endswith(SOFT):
            return before[:-1] + after
        head, tail = _BEFORE.search(before.rpartition(" ")[2]), _AFTER.match(after)
        if not head or not tail:
            return f"{before} {after}"
        one, other = head[1], tail[0]
        if other in _AND and not self._is_word(one + other):
            return f"{before} {after}"
        return before + after if self._is_kept(one, other) else before[:-1] + after

    def _is_kept(self, one: str, other: str) -> bool:
        if not (one[-1].isalpha() and other[0].isalpha()) or len(one) == 1:
            return True
        if one.isupper() != other[0].isupper() or (one.isupper() and not other.isupper()):
            return True  # EU-wide, Anglo-Saxon
        one, other = one.casefold(), other.casefold()
        parted, whole = self._parted[one, other], self._whole[one + other]
        if parted or whole:
            return parted > whole
        if self._language not in _WRITTEN_APART or one in _BEGINNINGS:
            return False
        return self._is_word(one) and self._is_word(other) and not self._is_word(one + other)

    def _is_word(self, word: str) -> bool:
        """Whether the document holds a word, or its language often does."""
        if word.casefold() in self._whole:
            return True
        listed = self._language in LANGUAGES and len(word) > 1
        return listed and any(telling(term, language=self._language) < 1 for term in terms(word)[:1])
