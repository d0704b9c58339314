"""Words that the end of a line breaks: whether the hyphen belongs to the word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from fathom.languages.packs import pack
from fathom.reading.pdf_places import SOFT
from fathom.text.analysis import terms
from fathom.text.common import LANGUAGES, telling
from fathom.text.language import detect

_COMPOUND = re.compile(r"[^\W_]+(?:[-‐][^\W_]+)*")
_BEFORE = re.compile(r"([^\W_]{1,60})[-‐]$")
_AFTER = re.compile(r"[^\W_]+")
_AND = frozenset("and or und oder bzw sowie".split())
"""Behind a hyphen in place of the rest of a word: "two- and three-year"."""
_BEGINNINGS = frozenset("con de dis for fore inter mis out over pre pro re sub un under up".split())
_ENDINGS = frozenset("able age ant ate ful her hood ing ion ist less man men ment ness ship some ten ward wise".split())
"""What looks like a word, and is mostly a part of one."""
_COMPOUNDED = frozenset("based driven free friendly led level old owned related sized storey story style year".split())
"""English words that come behind a hyphen, whatever is before it."""
_WRITTEN_APART = frozenset({"en", "fr"})
"""Languages in which two words make one with a hyphen between them more often than without."""
_LONGEST = 100
"""Characters of a part of a word."""
_SAMPLE = 100_000
"""Characters of a document by which its language is found."""


def _unbroken(lines: Iterable[str]) -> Iterator[str]:
    """The words of lines but for those that the end of one breaks."""
    begins_broken = False
    for line in lines:
        ends_broken = line.endswith(("-", "‐", SOFT))
        words = line.split()
        yield from words[begins_broken : len(words) - ends_broken]
        begins_broken = ends_broken


class Hyphens:
    """What the words of a document say of those that are broken."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Lines of text, in order; a broken one ends with its hyphen."""
        lines = list(lines)
        self._whole: Counter[str] = Counter()
        self._parted: Counter[tuple[str, str]] = Counter()
        for word in _COMPOUND.findall(" ".join(_unbroken(lines)).casefold()):
            parts = re.split("[-‐]", word)
            self._whole.update(parts)
            self._parted.update(pairwise(parts))
        self._language = detect("\n".join(lines)[:_SAMPLE], likely="en")

    def joined(self, before: str, after: str) -> str:
        """Two lines as one, the former ending with a hyphen: with it, without it, or with a space behind it.

        >>> Hyphens([]).joined("a well-", "known exhi-"), Hyphens([]).joined("exhi-", "bition"), Hyphens([]).joined(
        ...     "two-", "and three-year loans")
        ('a well-known exhi-', 'exhibition', 'two- and three-year loans')
        """
        if before.endswith(SOFT):
            return before[:-1] + after
        head, tail = _BEFORE.search(before[-_LONGEST:]), _AFTER.match(after)
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
        if one in pack(self._language).words("numbers.tens") or (self._language == "en" and other in _COMPOUNDED):
            return True
        if self._language not in _WRITTEN_APART or one in _BEGINNINGS or other in _ENDINGS:
            return False
        return self._is_word(one) and self._is_word(other) and not self._is_word(one + other)

    def _is_word(self, word: str) -> bool:
        """Whether the document holds a word, or its language often does."""
        if word.casefold() in self._whole:
            return True
        listed = self._language in LANGUAGES and len(word) > 1
        return listed and any(telling(term, language=self._language) < 1 for term in terms(word)[:1])
