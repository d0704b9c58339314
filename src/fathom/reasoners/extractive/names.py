"""The things that a question names, and whether a source holds them however they are spelt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from fathom.languages.packs import either, words
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import identifiers, query_terms
from fathom.text.characters import CJK, HAN, KATAKANA

_LATIN = re.compile(r"(?<![\w-])[A-Za-z][\w.+-]*[\w+]")
_LONG_VOWEL = re.compile(f"ー(?![{KATAKANA}])")
_CODE_LIKE = re.compile(r"[_:()]|^-|\w\.\w|[a-z][A-Z]|-\w+-|\d")
_GENERIC_LATIN = words("names.generic")
_ENDED_NAME = re.compile(rf"[{HAN}々][{HAN}々ヶヵケノ]{{1,40}}?(?:{either('names.kinds')})(?![{HAN}々ァ-ヶー])")


@dataclass(frozen=True)
class Name:
    """Something that a question names."""

    text: str
    terms: tuple[str, ...]
    """Its terms, the whole first."""

    foreign: bool = False
    """Whether it is a Latin word in a Japanese text."""

    @property
    def is_sure(self) -> bool:
        """Whether it can only be a name: an option, a function, a setting, a Latin word in Japanese."""
        return self.foreign or bool(_CODE_LIKE.search(self.text))


def names_of(text: str) -> list[Name]:
    """Identifiers, capitalised names and katakana words; in a Japanese question every Latin word.

    >>> [name.text for name in names_of("asyncio でタスクを止めるには")]
    ['asyncio', 'タスク']
    """
    found = identifiers(text)
    wide = bool(re.search(f"[{CJK}]", text))
    if wide:
        found = sorted({*found, *_LATIN.findall(text)}, key=text.find)
    names = []
    for name in found:
        terms = query_terms(name)
        if terms and name.lower() not in _GENERIC_LATIN:
            names.append(Name(name, tuple(terms), foreign=wide and name.isascii()))
    return names


def kanji_names(text: str) -> list[str]:
    """The names of places, offices, companies and works that are told by how they end, each once.

    >>> kanji_names("霧ヶ原大橋の全長と実行方法")
    ['霧ヶ原大橋']
    """
    return list(dict.fromkeys(_ENDED_NAME.findall(text)))


def compounds_of(text: str) -> list[Name]:
    """What is written in three Chinese characters or more.

    >>> [name.text for name in compounds_of("出資金の額")]
    ['出資金']
    """
    return [Name(found, (found,)) for found in dict.fromkeys(re.findall(rf"[{HAN}々]{{3,}}", text))]


def missing(names: Iterable[Name], *, texts: Iterable[str], rarity: Rarity) -> list[Name]:
    """Those of the names that no text holds and that the sources do not count as a word.

    Case, width, hyphens, plurals, the long vowel at the end of a katakana word and a space before digits do not matter.

    >>> missing(names_of("OAuth2 and Kerberos"), texts=["Moving to OAuth 2.0"], rarity=Rarity({}, passages=0))
    [Name(text='Kerberos', terms=('kerbero',), foreign=False)]
    """
    folded = [_folded(text) for text in texts]
    return [
        name
        for name in names
        if not _is_counted(name, rarity) and not any(way in text for way in _spellings(name) for text in folded)
    ]


def _is_counted(name: Name, rarity: Rarity) -> bool:
    """Whether the sources hold a Latin name as a word of its own."""
    whole = name.terms[0]
    one_word = name.text.isascii() and not re.search(r"[\s/]", name.text)
    return one_word and rarity.knows(whole) and not rarity.is_absent(whole)


def _spellings(name: Name) -> set[str]:
    """The ways in which a folded text may spell a name."""
    folded = _folded(name.text)
    bare = folded.removesuffix("()").lstrip("-")
    apart = re.sub(r"(?<=[^\W\d_])(?=\d)", " ", bare)  # OAuth2, OAuth 2.0
    found = {
        folded,
        bare,
        bare.rstrip("s"),
        bare.replace("-", " "),
        bare.replace(" ", "-"),
        bare.replace(" ", ""),
        apart,
    }
    return found - {""}


def _folded(text: str) -> str:
    return _LONG_VOWEL.sub("", unicodedata.normalize("NFKC", text).casefold())
