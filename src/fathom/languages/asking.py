"""How a question divides into clauses in a language of which no more is known than the words that ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fathom.languages.clause import Clause
from fathom.languages.english import questions as english
from fathom.languages.packs import Language
from fathom.text.analysis import query_terms
from fathom.text.common import telling
from fathom.text.sentences import sentences

_PARTS = ("asking.words", "asking.verbs", "asking.joins")
FRAME = 1.35
"""What words that ask nothing may say, in rare words, to be no more than the frame of what is asked behind them."""


@dataclass(frozen=True)
class Asking:
    """How questions are asked in a language: its `asking`."""

    language: Language

    def clauses(self, text: str) -> tuple[str, list[Clause]]:
        """What a question tells before it asks, and what it asks in order.

        >>> from fathom.languages.packs import pack
        >>> asked = "Der Ofen raucht. Wer kehrt ihn und muss ich das zahlen?"
        >>> [each.text for each in Asking(pack("de")).clauses(asked)[1]]
        ['Wer kehrt ihn', 'muss ich das zahlen']
        """
        told: list[str] = []
        found: list[Clause] = []
        for begin, end in sentences(text):
            form = self.language.holds("asking.form")
            for piece in self._pieces(text[begin:end]):
                if self._asks.match(piece) or piece.endswith("?"):
                    words = piece.strip(" ,;.?¿")
                    found.append(Clause(text=words, heading=form.format(words[:1].upper() + words[1:])))
                elif piece.endswith((".", ":")) or self._says(piece) > FRAME:
                    told.append(piece.rstrip(" ,;:–"))
                elif not text[begin:end].endswith("?"):
                    form = "{}"  # what is asked indirectly is no question
        return (" ".join(told), found) if found else english.clauses(text)

    def thorough(self, text: str) -> str:
        """The word that asks for a comprehensive answer, or nothing."""
        return (
            match[0]
            if (match := re.search(rf"\b(?:{self.language.pattern('asking.whole')})\b", text, re.IGNORECASE))
            else ""
        )

    def periods(self, text: str) -> tuple[str, ...]:
        """The years that are named."""
        return english.periods(text)

    def ordered(self, text: str) -> bool:
        """Whether one thing is asked after the other."""
        return english.ordered(text)

    @cached_property
    def _asks(self) -> re.Pattern[str]:
        words, verbs, joins = map(self.language.pattern, _PARTS)
        return re.compile(rf"(?:¿\s*)?(?:(?:{joins})\s+)?(?:{words}|{verbs})\b", re.IGNORECASE)

    @cached_property
    def _word(self) -> re.Pattern[str]:
        return re.compile(rf"¿?(?:{self.language.pattern('asking.words')})\b", re.IGNORECASE)

    @cached_property
    def _boundary(self) -> re.Pattern[str]:
        words, verbs, joins = map(self.language.pattern, _PARTS)
        joined = rf"\s?[,;:–]\s+(?:(?:{joins})\s+)?|\s+(?:{joins})\s+"
        return re.compile(rf"(?:{joined}|(?P<frame>\s+)(?=(?:{words})\b))(?=¿?(?:{words}|{verbs})\b)", re.IGNORECASE)

    def _pieces(self, sentence: str) -> Iterator[str]:
        """A sentence cut before every question in it; where it only goes on (`alles, was …`) it is left whole."""
        start = 0
        for gap in self._boundary.finditer(sentence):
            before = sentence[start : gap.start()]
            frames = gap["frame"] is None or not (start or self._asks.match(before) or self._says(before) > FRAME)
            if frames and len(before.split()) > 1 and self._word.sub("", sentence[gap.end() :]).strip(" ?.!"):
                yield before + (":" if ":" in gap[0] else "")
                start = gap.end()
        yield sentence[start:]

    def _says(self, words: str) -> float:
        return sum(telling(term, language=self.language.code) for term in query_terms(words))
