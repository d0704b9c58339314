"""Composes the report's Markdown, in the order in which a reader needs its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

from fathom.findings import StatementForm
from fathom.report import (
    Claim,
    Contradiction,
    Figure,
    NotFoundEntry,
    ReportSection,
    SectionRole,
    SourceEntry,
    TextBlock,
)
from fathom.text import typeset
from fathom.text.commonmark import inert
from fathom.text.own import REPORT_MARK
from fathom.text.phrases import Phrases

PARAGRAPH_SENTENCES = 6
"""A paragraph has at most this many sentences."""


@dataclass(frozen=True)
class Sentence:
    """A checked sentence, and how it is set."""

    claim: Claim
    form: StatementForm = "paragraph"
    opens: bool = False
    """It begins a paragraph: what it cites stands elsewhere than what the sentence before cites."""
    goes_on: bool = False
    """It belongs to the list item before: what both cite stands in one item of the source."""
    place: str = ""
    """Where the passage that it is of stands, when that is told whole; there it is cited, too."""


@dataclass(frozen=True)
class ReportPart:
    """A heading with the sentences told under it."""

    heading: str
    sentences: tuple[Sentence, ...] = ()
    parts: tuple[ReportPart, ...] = ()
    subtask_id: str | None = None
    figures: tuple[Figure, ...] = ()
    """Shown below its sentences."""
    note: str = ""
    """Said under its heading."""
    role: SectionRole = "section"

    def all_sentences(self) -> Iterator[Sentence]:
        """Its own sentences and those of its parts, in the order of the report."""
        yield from self.sentences
        for part in self.parts:
            yield from part.all_sentences()


@dataclass(frozen=True)
class ReportDraft:
    """Everything that the Markdown shows."""

    title: str
    phrases: Phrases
    parts: tuple[ReportPart, ...]
    not_found: tuple[NotFoundEntry, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    limitations: tuple[str, ...] = ()
    sources: tuple[SourceEntry, ...] = ()
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The parts that are cited, by the id of their source, unless they stand in the text."""
    footer: tuple[str, ...] = ()
    notice: str = ""
    """Why the report is partial; stands at the top."""
    nothing_found: bool = field(default=False)
    """No source holds an answer, as far as the research went."""


def compose(draft: ReportDraft) -> str:
    """The report as CommonMark, ending in a newline."""
    words = draft.phrases
    blocks = [f"# {inert(draft.title)}"]
    if draft.notice:
        blocks.append(f"> {draft.notice}")
    if draft.nothing_found:
        blocks.append(words.nothing_yet if draft.notice else words.nothing_found)
    for part in draft.parts:
        blocks += _part(part, words, level=2)
    if draft.not_found:
        items = [f"- {inert(entry.what)}" for entry in draft.not_found]
        blocks += [f"## {words.not_found}", words.not_found_intro, "\n".join(items)]
    if draft.contradictions:
        lines = (f"- {_contradiction(contradiction, words)}" for contradiction in draft.contradictions)
        blocks += [f"## {words.contradictions}", "\n".join(lines)]
    if draft.limitations:
        blocks += [f"## {words.limitations}", "\n".join(f"- {inert(line)}" for line in draft.limitations)]
    if draft.sources:
        blocks += [f"## {words.sources}", *typeset.source_list(draft.sources, words, places=draft.places)]
    if draft.footer:
        blocks += ["---", "  \n".join(draft.footer)]
    return "\n\n".join(filter(None, (*blocks, typeset.link_targets(draft.sources), REPORT_MARK))) + "\n"


def section_of(part: ReportPart) -> ReportSection:
    """A part as the report's JSON has it."""
    return ReportSection(
        heading=part.heading,
        subtask_id=part.subtask_id,
        claims=tuple(sentence.claim.id for sentence in part.sentences),
        blocks=tuple(_blocks(part.sentences)),
        figures=tuple(figure.id for figure in part.figures),
        role=part.role,
        sections=tuple(section_of(below) for below in part.parts if any(below.all_sentences())),
    )


def _part(part: ReportPart, words: Phrases, *, level: int) -> Iterator[str]:
    if not any(part.all_sentences()):
        return
    yield f"{'#' * min(level, 6)} {inert(part.heading)}"
    if part.note:
        yield part.note
    claims = {sentence.claim.id: sentence.claim for sentence in part.sentences}
    yield from typeset.blocks(_blocks(part.sentences), claims, words)
    for figure in part.figures:
        yield from typeset.figure_blocks(figure, words)
    for child in part.parts:
        yield from _part(child, words, level=level + 1)


def _blocks(sentences: Sequence[Sentence]) -> Iterator[TextBlock]:
    """Paragraphs, lists, tables and code: sentences that belong together share a paragraph, items in a row a list, and
    rows a table with the head before them."""
    runs: list[list[Sentence]] = []
    for sentence in sentences:
        if runs and _goes_on(runs[-1], sentence):
            runs[-1].append(sentence)
        else:
            runs.append([sentence])
    head: Sentence | None = None
    for run, below in zip_longest(runs, runs[1:]):
        first = run[0]
        if first.form == "lead_in" and below and below[0].form == "row" and typeset.BAR in first.claim.text:
            head = first
            continue
        items: list[list[str]] = []
        for sentence in run:
            if items and (first.form in ("paragraph", "lead_in") or sentence.goes_on):
                items[-1].append(sentence.claim.id)
            else:
                items.append([sentence.claim.id])
        yield TextBlock(
            kind=_KINDS.get(first.form, "paragraph"),
            items=tuple(map(tuple, items)),
            head=head.claim.id if head else None,
            place=first.place,
        )
        head = None


_KINDS: dict[str, Literal["list", "table", "code"]] = {"item": "list", "row": "table", "code": "code"}


def _goes_on(run: Sequence[Sentence], sentence: Sentence) -> bool:
    last = run[-1]
    if (sentence.form, sentence.place) != (last.form, last.place) or sentence.form == "lead_in":
        return False
    if sentence.form == "paragraph" or sentence.place:
        return not (sentence.opens or (sentence.form == "paragraph" and len(run) == PARAGRAPH_SENTENCES))
    return True


def _contradiction(contradiction: Contradiction, words: Phrases) -> str:
    return " ".join(
        words.says_of(side.kind, side.source_id, inert(side.date), inert(side.claim)) for side in contradiction.sides
    )
