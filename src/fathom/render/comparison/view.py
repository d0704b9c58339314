"""What is shown of a comparison, in the language of the new report, whatever the format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple, get_args

from fathom.comparison.records import ComparedSentence, Comparison, Piece, SentencePair, SentenceState, SourcePair
from fathom.languages.packs import pack
from fathom.text import typeset
from fathom.text.phrases import phrases

DIFFERENT: tuple[SentenceState, ...] = ("changed", "new", "gone", "recited")
"""What is shown sentence by sentence, in this order."""


class Side(NamedTuple):
    """What one of the reports says."""

    label: str
    """Which report; empty where the other one does not say it."""
    pieces: tuple[Piece, ...]
    """Its words, those marked that the other one has not."""
    cites: str
    """The marks of what it cites; and its verdict, where all else is the same."""


class ComparisonView:
    """What is shown of a comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        language = comparison.new.language
        self.labels: Mapping[str, Any] = pack(language).says("comparison")
        self.phrases = phrases(language)
        self._verdicts: Mapping[str, str] = pack(language).says("page")["status"]

    @property
    def title(self) -> str:
        """Heading of it all."""
        return str(self.labels["title"]).format(title=self.comparison.new.title)

    @property
    def lines(self) -> Iterator[str]:
        """The old run and the new one, with the question where they have asked different ones; then how many sentences
        there are of each kind; and that nothing has changed, where that is so."""
        old, new, counts, words = self.comparison.old, self.comparison.new, self.comparison.counts, self.phrases
        for label, run in ((self.labels["old"], old), (self.labels["new"], new)):
            told = (run.run_id, run.created_at[:16].replace("T", " "), run.query if old.query != new.query else "")
            yield f"{label}{words.colon}{words.comma.join(filter(None, told))} {words.notice(run.partial)}".rstrip()
        states = [state for state in get_args(SentenceState) if counts.get(state)]
        yield words.comma.join(f"{self.labels['states'][state]}{words.colon}{counts[state]}" for state in states)
        yield self.labels["unchanged"] if self.comparison.unchanged else ""

    @property
    def parts(self) -> Iterator[tuple[str, list[tuple[str, list[list[Side]]]]]]:
        """The sentences that differ, under what became of them and the heading that they stand under in the report.
        What is told in several places is told once, under all of their headings."""
        for state in DIFFERENT:
            told: dict[object, list[SentencePair]] = {}
            for pair in self.comparison.sentences:
                if pair.state == state:
                    told.setdefault(pair.pieces, []).append(pair)
            shown = [(" · ".join(dict.fromkeys(p.sentence.place for p in same)), same[0]) for same in told.values()]
            if shown:
                places = groupby(shown, key=lambda each: each[0])
                yield self.labels["states"][state], [(at, [self._sides(p) for _, p in each]) for at, each in places]

    @property
    def sources(self) -> Iterator[tuple[SourcePair, tuple[str, ...]]]:
        """The sources that differ, and those that sentences cite which do, each with its ids now and before, and what
        became of it."""
        differing = [pair for pair in self.comparison.sentences if pair.state in DIFFERENT]
        old = {id for pair in differing if pair.old for id in pair.old.citations}
        new = {id for pair in differing if pair.new for id in pair.new.citations}
        for pair in self.comparison.sources:
            ids = tuple(each.id if each else "–" for each in (pair.new, pair.old))
            if pair.state != "same" or ids[0] in new or ids[1] in old:
                yield pair, (*ids, self.labels["sources"][pair.state])

    def _sides(self, pair: SentencePair) -> list[Side]:
        def side(sentence: ComparedSentence, label: str, other: str) -> Side:
            verdict = self._verdicts[sentence.status] if pair.state == "recited" and sentence.status else ""
            cites = self.phrases.comma.join(filter(None, (typeset.marks(sentence.citations), verdict)))
            own = tuple(piece for piece in pair.pieces if piece.state != other)
            return Side(label if pair.old and pair.new else "", own, cites)

        sides = ((pair.old, self.labels["old"], "new"), (pair.new, self.labels["new"], "gone"))
        return [side(sentence, label, other) for sentence, label, other in sides if sentence]
