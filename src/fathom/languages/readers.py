"""Which language takes a text apart, and puts a clause into the form of a heading or of a sentence."""

from __future__ import annotations

from typing import Protocol

from fathom.languages import japanese
from fathom.languages.asking import Asking
from fathom.languages.clause import Clause
from fathom.languages.english import forms
from fathom.languages.english import questions as english
from fathom.languages.packs import pack, pack_for
from fathom.text.characters import count_cjk


class LanguageReader(Protocol):
    """What takes a question of a language apart."""

    def clauses(self, text: str, /) -> tuple[str, list[Clause]]:
        """What a question tells before it asks, and what it asks in order."""

    def thorough(self, text: str, /) -> str:
        """The word that asks for a comprehensive answer, or nothing."""

    def periods(self, text: str, /) -> tuple[str, ...]:
        """The periods that are named, each once."""

    def ordered(self, text: str, /) -> bool:
        """Whether one thing is asked after the other."""


def reader_of(text: str, language: str) -> LanguageReader:
    """The reader of a language, given as an ISO 639-1 code, or the English one; of text with kana the Japanese one."""
    if japanese.looks_japanese(text) or pack(language).holds("about.wide"):
        return japanese
    return Asking(pack(language)) if pack(language).holds("asking.words") else english


def heading(text: str) -> str:
    """A clause as a heading.

    >>> heading("how to mend a roof"), heading("屋根の直し方を教えて")
    ('How to mend a roof', '屋根の直し方')
    """
    return japanese.heading(text) if count_cjk(text) else forms.heading(text)


def sentence(text: str, within: str = "") -> str:
    """A clause, `within` a question, as words that stand alone."""
    return japanese.sentence(text) if count_cjk(text + within) else forms.sentence(text)


def titled(words: str, within: str = "") -> str:
    """Words as a heading, with a capital when they and what they stand in are of a language that has them."""
    return words if count_cjk(words + within) else forms.short(forms.capitalised(words))


def under(topic: str, said: str, within: str = "") -> str:
    """What is said of a topic, behind it.

    >>> under("roofs", "who mends them"), under("屋根", "誰が直すか")
    ('Roofs: who mends them', '屋根：誰が直すか')
    """
    return f"{titled(topic, within)}{pack_for(topic + said).says('clauses')['colon']}{said}"
