"""A checked text as one HTML file: its sentences, each with what the sources say to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from fathom.render.html import file_of
from fathom.render.html.inert import language
from fathom.render.html.words import Words, words
from fathom.report import VERIFIED, SupportStatus
from fathom.text.language import detect
from fathom.text.phrases import Phrases, phrases
from fathom.verification.texts import CheckedSentence, CheckedText


def render(text: CheckedText) -> str:
    """The text as one HTML file without scripts; behind each sentence its status, and the passage that it was held
    against. It names no address."""
    return file_of("checked.html", _CheckedView(text, detect(" ".join(each.text for each in text.sentences))))


@dataclass(frozen=True)
class _CheckedView:
    """What the template shows."""

    text: CheckedText
    code: str

    @property
    def lang(self) -> str:
        """The language of the text, as HTML names it."""
        return language(self.code)

    @property
    def title(self) -> str:
        """What the text is called."""
        return self.text.title

    @property
    def words(self) -> Words:
        """The words of its language."""
        return words(self.code)

    @property
    def phrases(self) -> Phrases:
        """Those that reports have too."""
        return phrases(self.code)

    @property
    def counts(self) -> list[tuple[SupportStatus, int]]:
        """How many sentences have each status, those that none has left out."""
        found = self.text.verdicts.model_dump()
        return [(status, found[status]) for status in get_args(SupportStatus) if found[status]]

    def is_good(self, sentence: CheckedSentence) -> bool:
        """Whether it may stand as it is."""
        return sentence.status in VERIFIED

    def where(self, sentence: CheckedSentence) -> str:
        """Where the passage stands that it was held against; empty when there is none."""
        against = sentence.against
        return " › ".join(part for part in (against.title, against.locator) if part) if against else ""
