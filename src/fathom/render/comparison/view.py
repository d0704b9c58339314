"""What is shown of a comparison, whatever the format: what differs, and the sources that this names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import get_args

from fathom.comparison.records import (
    ComparedSentence,
    Comparison,
    Piece,
    SentencePair,
    SentenceState,
    SourcePair,
    SourceState,
)
from fathom.languages.packs import pack
from fathom.render.html.words import words as words_of_notes
from fathom.text import typeset
from fathom.text.phrases import Phrases, phrases

DIFFERENT: tuple[SentenceState, ...] = ("changed", "new", "gone", "recited")
"""What is shown sentence by sentence, in this order."""


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What two reports side by side say besides. `{…}` marks what `str.format` fills in."""

    title: str
    """Heading of it all: `{title}` is that of the new report."""
    old: str
    """Before what the old report says."""
    new: str
    """Before what the new one says."""
    unchanged: str
    """The whole answer when no sentence differs."""
    states: dict[SentenceState, str]
    """Heading of the sentences of which that became; it stands before their number, too."""
    sources: dict[SourceState, str]
    """What became of a source."""


@dataclass(frozen=True)
class Side:
    """What one of the reports says."""

    label: str
    """Which report, where both say something."""
    pieces: tuple[Piece, ...]
    """Its words; none where both have the same."""
    cites: str
    """The marks of what it cites, and its verdict where that is what differs."""


@dataclass(frozen=True)
class Shown:
    """A sentence that differs."""

    place: str
    """The heading that it stands under; several where it is told in several places."""
    text: str
    """Its words where both reports have the same, or only one has it."""
    sides: tuple[Side, ...]
    """The old report's and the new one's; one that is new or gone has one."""


class ComparisonView:
    """A comparison in the language of the new report."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.labels = Labels(**pack(comparison.new.language).says("comparison"))
        self.phrases: Phrases = phrases(comparison.new.language)
        self._verdicts = words_of_notes(comparison.new.language).status

    @property
    def title(self) -> str:
        """Heading of it all."""
        return self.labels.title.format(title=self.comparison.new.title)

    @property
    def runs(self) -> Iterator[str]:
        """The old run and the new one, a line for each; the question where they have asked different ones."""
        old, new = self.comparison.old, self.comparison.new
        for label, run in ((self.labels.old, old), (self.labels.new, new)):
            told = [run.run_id, run.created_at[:16].replace("T", " "), run.query if old.query != new.query else ""]
            notice = f" {self.phrases.notice(run.partial)}" if run.partial else ""
            yield f"{label}{self.phrases.colon}{self.phrases.comma.join(filter(None, told))}{notice}"

    @property
    def counts(self) -> str:
        """How many sentences there are of each kind."""
        counts = self.comparison.counts
        return self.phrases.comma.join(
            f"{self.labels.states[state]}{self.phrases.colon}{counts[state]}"
            for state in get_args(SentenceState)
            if counts.get(state)
        )

    @property
    def parts(self) -> Iterator[tuple[str, list[tuple[str, list[Shown]]]]]:
        """The sentences that differ, under the heading of what became of them and the one that they stand under in the
        report; what is said in several places is told once."""
        for state in DIFFERENT:
            shown = map(self._shown, self.comparison.of(state))
            if places := [(place, list(within)) for place, within in groupby(shown, key=lambda each: each.place)]:
                yield self.labels.states[state], places

    @property
    def sources(self) -> list[SourcePair]:
        """The sources that differ, and those that the sentences name which do."""
        differing = [pair for pair in self.comparison.sentences if pair.state in DIFFERENT]
        old = {id for pair in differing if pair.old for id in pair.old.citations}
        new = {id for pair in differing if pair.new for id in pair.new.citations}
        return [
            pair
            for pair in self.comparison.sources
            if pair.state != "same" or (pair.old and pair.old.id in old) or (pair.new and pair.new.id in new)
        ]

    def _shown(self, pairs: list[SentencePair]) -> Shown:
        pair, places = pairs[0], [pair.sentence.place for pair in pairs]
        both = pair.old is not None and pair.new is not None
        labelled = ((self.labels.old, pair.old, "new"), (self.labels.new, pair.new, "gone"))
        sides = tuple(
            Side(
                label if both else "",
                tuple(piece for piece in pair.pieces if piece.state != other),
                self._cites(each, with_verdict=pair.state == "recited"),
            )
            for label, each, other in labelled
            if each
        )
        return Shown(" · ".join(dict.fromkeys(places)), "" if pair.pieces else pair.sentence.text, sides)

    def _cites(self, sentence: ComparedSentence, *, with_verdict: bool) -> str:
        marks = typeset.marks(sentence.citations)
        verdict = self._verdicts[sentence.status] if with_verdict and sentence.status else ""
        return self.phrases.comma.join(filter(None, (marks, verdict)))
