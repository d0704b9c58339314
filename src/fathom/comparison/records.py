"""What a comparison of two reports holds."""

from __future__ import annotations

from typing import Literal

from fathom.frozen import FrozenModel
from fathom.report import SourceEntry, SupportStatus

SentenceState = Literal["same", "moved", "changed", "new", "gone", "recited"]
"""What became of a sentence: it is the `same`, stands elsewhere (`moved`), has other words (`changed`), only one of the
reports has it (`new`, `gone`), or it has the same words and cites something else or has another verdict (`recited`)."""


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
    pieces: tuple[Piece, ...]
    """Its words in order: those that are not new make the old text, those that are not gone the new one."""

    @property
    def sentence(self) -> ComparedSentence:
        """The newer of the two that there is."""
        return next(each for each in (self.new, self.old) if each)


class SourcePair(FrozenModel):
    """A source before and now: what stood at one address. A local file is named, and not where on the machine it is."""

    state: Literal["same", "changed", "new", "gone"]
    """What became of it: `changed` has another text; only one report rests on what is `new` or `gone`."""
    old: SourceEntry | None
    """As the old report names it; `None` when it does not."""
    new: SourceEntry | None
    """As the new report names it; `None` when it does not."""

    @property
    def entry(self) -> SourceEntry:
        """The newer of the two that there is."""
        return next(each for each in (self.new, self.old) if each)


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
