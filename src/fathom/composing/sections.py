"""Sets the judged sentences of a report: in sections, and there in paragraphs, lists, tables and code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from fathom.composing.numbering import JudgedSection, Numbering, SetText, contradictions_of
from fathom.evidence import Evidence
from fathom.findings import StatementForm
from fathom.report import Claim, ReportSection, TextBlock
from fathom.text.phrases import Phrases
from fathom.text.typeset import BAR
from fathom.verification.disagreement import Pair
from fathom.verification.judged import Judged

PARAGRAPH_SENTENCES = 6
"""A paragraph has at most this many sentences."""
NEAR = 2_000
"""Characters between two quotations that may still share a paragraph."""


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
    label: str = ""
    """What stands before it in a table or a list."""


@dataclass(frozen=True)
class QuotedText:
    """A report in the words of its sources, section by section."""

    sections: tuple[JudgedSection, ...]
    pairs: Sequence[Pair]
    """What its sources say differently."""

    def set(self, numbering: Numbering, words: Phrases) -> SetText:
        """Its sections, in the order in which they are numbered."""
        return SetText(sections_of(self.sections, numbering), tuple(contradictions_of(self.pairs, numbering, words)))

    def sentences(self) -> Iterator[Judged]:
        """Its sentences, in order."""
        return (sentence for section in self.sections for sentence in section.all_sentences())


def sections_of(judged: Iterable[JudgedSection], numbering: Numbering) -> tuple[ReportSection, ...]:
    """Those of the sections that tell anything, with every sentence numbered."""
    sections = (_section(each, numbering) for each in judged)
    return tuple(section for section in sections if section.told)


def _section(section: JudgedSection, numbering: Numbering) -> ReportSection:
    sentences = _numbered(section, numbering)
    return ReportSection(
        heading=section.heading,
        subtask_id=section.subtask_id,
        claims=tuple(sentence.claim.id for sentence in sentences),
        blocks=tuple(blocks_of(sentences)),
        role=section.role,
        sections=sections_of(section.sections, numbering),
    )


def _numbered(section: JudgedSection, numbering: Numbering) -> list[Sentence]:
    """Its own sentences, and how each is set."""
    numbered: list[Sentence] = []
    lead_in: str | None = None
    last: Evidence | None = None
    passage = where = ""
    for sentence in section.sentences:
        listed = sentence.form in ("item", "row")
        under = lead_in if listed else None
        claim = numbering.claim(sentence, section.subtask_id, lead_in=under)
        place = sentence.cited[0].evidence[0] if sentence.cited else None
        same_item = under is not None and bool(numbered) and numbered[-1].form == "item" and _same_block(last, place)
        whole = sentence.cited[0] if sentence.cited and sentence.cited[0].is_passage else None
        opens = not (sentence.goes_on or _near(last, place))
        if whole and place:
            is_new, passage = whole.id != passage, whole.id
            opens = not listed or (is_new and not (last and last.leads_to(place)))
            where = numbering.place(place, behind=last) if is_new and opens else where
        told_at = where if whole else ""
        same_item = same_item and not sentence.label
        numbered.append(
            Sentence(claim, sentence.form, opens=opens, goes_on=same_item, place=told_at, label=sentence.label)
        )
        last = place
        lead_in = sentence.text if sentence.form == "lead_in" else lead_in if listed else None
    return numbered


def _near(last: Evidence | None, place: Evidence | None) -> bool:
    """Whether two quotations stand close enough to each other to be read as one paragraph."""
    if last is None or place is None:
        return last is place
    return last.document == place.document and abs(place.start - last.start) <= NEAR


def _same_block(last: Evidence | None, place: Evidence | None) -> bool:
    if last is None or place is None or place.block is None:
        return False
    return (last.document, last.block) == (place.document, place.block)


def blocks_of(sentences: Sequence[Sentence]) -> Iterator[TextBlock]:
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
        if first.form == "lead_in" and below and below[0].form == "row" and BAR in first.claim.text:
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
            labels=tuple(sentence.label for sentence in run) if first.label else (),
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
