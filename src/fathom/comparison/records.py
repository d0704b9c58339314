"""What a comparison of two reports holds."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal

from fathom.frozen import FrozenModel
from fathom.report import SourceEntry, SupportStatus
from fathom.text.places import names

SCHEMA_VERSION = "1.0"
"""Of the JSON of a comparison."""

SentenceState = Literal["same", "moved", "changed", "new", "gone", "recited"]
"""What became of a sentence: it is the `same`, stands elsewhere (`moved`), has other words (`changed`), only one of the
reports has it (`new`, `gone`), or it has the same words and cites something else or has another verdict (`recited`)."""
SourceState = Literal["same", "changed", "new", "gone"]
"""What became of a source: `changed` has another text at the same address; only one report rests on what is `new` or
`gone`."""


class ComparedSentence(FrozenModel):
    """A sentence of one of the reports, or a row of its figures, or something that its sources do not hold."""

    text: str
    """The sentence; of a row, its cells with the names of their columns."""
    place: str
    """Heading that it stands under; of a row, the title of the figure."""
    claim: str = ""
    """Id of the claim in its report; empty for what is none."""
    citations: tuple[str, ...] = ()
    """Ids of the sources that it cites, in its report."""
    status: SupportStatus | None = None
    """The verdict of the check; `None` for what is no claim."""


class Piece(FrozenModel):
    """Words that both texts have, or one of them."""

    state: Literal["same", "new", "gone"]
    """Whose they are."""
    text: str
    """The words, with the white space between them."""


class SentencePair(FrozenModel):
    """A sentence before and now; each sentence of a report is in exactly one pair of that report."""

    state: SentenceState
    """What became of it."""
    old: ComparedSentence | None
    """As it was; `None` when it is new."""
    new: ComparedSentence | None
    """As it is; `None` when it is gone."""
    pieces: tuple[Piece, ...] = ()
    """Of one that has changed, its words in order: those that are not new make the old text, those that are not gone
    the new one. Empty for all else."""

    @property
    def sentence(self) -> ComparedSentence:
        """The newer of the two that there is."""
        sentence = self.new or self.old
        assert sentence is not None
        return sentence


class SourcePair(FrozenModel):
    """A source before and now: what stood at one address."""

    state: SourceState
    """What became of it."""
    old: SourceEntry | None
    """As the old report names it; `None` when that rests on nothing of it."""
    new: SourceEntry | None
    """As the new report names it; `None` when that rests on nothing of it."""

    @property
    def entry(self) -> SourceEntry:
        """The newer of the two that there is."""
        entry = self.new or self.old
        assert entry is not None
        return entry


class ComparedRun(FrozenModel):
    """One of the two runs."""

    run_id: str
    """The run."""
    query: str
    """Its question."""
    title: str
    """Title of its report."""
    language: str
    """ISO 639-1 code of the language of its report."""
    created_at: str
    """When its report was written: ISO 8601, UTC."""
    partial: str | None
    """Why its report is incomplete; `None` when it is not."""


class Comparison(FrozenModel):
    """Two reports side by side."""

    schema_version: str = SCHEMA_VERSION
    """Version of this form."""
    old: ComparedRun
    """The run that is compared with, mostly the earlier one."""
    new: ComparedRun
    """The run that is compared."""
    unchanged: bool
    """Whether every sentence is the same or has only moved; a source may have changed nevertheless."""
    counts: dict[SentenceState, int]
    """Sentences by what became of them; what there is none of is left out."""
    sentences: tuple[SentencePair, ...]
    """In the order of the new report; what is gone stands behind what it stood behind."""
    sources: tuple[SourcePair, ...]
    """Those of the new report in its order, then those that are gone."""

    def of(self, state: SentenceState) -> list[list[SentencePair]]:
        """The sentences of which that became, in order; those that are told in several places together."""
        found = defaultdict[tuple[str, str], list[SentencePair]](list)
        for pair in self.sentences:
            if pair.state == state:
                found[pair.old.text if pair.old else "", pair.new.text if pair.new else ""].append(pair)
        return list(found.values())

    def portable(self) -> Comparison:
        """The same as it may be given to others: its local files are named, and not where on this machine they are."""
        told = names(entry.uri for pair in self.sources for entry in (pair.old, pair.new) if entry)

        def named(entry: SourceEntry | None) -> SourceEntry | None:
            return entry and entry.model_copy(update={"uri": told[entry.uri]})

        pairs = (pair.model_copy(update={"old": named(pair.old), "new": named(pair.new)}) for pair in self.sources)
        return self.model_copy(update={"sources": tuple(pairs)})
