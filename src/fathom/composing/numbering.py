"""Judges each sentence of the written sections by what it cites, and numbers them in the order of the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NamedTuple, Protocol

from fathom.composing.research import ReportMaterial
from fathom.data.turns import AggregationResult
from fathom.evidence import Document, Evidence
from fathom.findings import Finding, Statement
from fathom.report import (
    VERIFIED,
    AnswerState,
    Claim,
    ClaimClause,
    Contradiction,
    ContradictionSide,
    EvidenceEntry,
    Figure,
    ReportSection,
    SectionRole,
    SourceEntry,
    SubtaskEntry,
    SupportStatus,
)
from fathom.text.display import display
from fathom.text.phrases import Phrases
from fathom.verification.disagreement import Pair, Side
from fathom.verification.judged import Judged, Stretch, judged_sentences
from fathom.verification.quality import Quality

WEIGHT: dict[SupportStatus, float] = {
    "quoted": 1.0,
    "supported": 1.0,
    "unjudged": 0.7,
    "partial": 0.6,
    "unsupported": 0.2,
    "contradicted": 0.1,
}
"""What a verdict leaves of the confidence of the findings that a sentence cites."""


@dataclass(frozen=True)
class Written:
    """A section of the outline with its statements."""

    role: SectionRole
    heading: str
    subtask_id: str | None
    statements: tuple[Statement, ...]
    sections: tuple[Written, ...] = ()


@dataclass(frozen=True)
class JudgedSection:
    """A section with its sentences judged."""

    role: SectionRole
    heading: str
    subtask_id: str | None
    sentences: tuple[Judged, ...]
    sections: tuple[JudgedSection, ...] = ()

    def all_sentences(self) -> Iterator[Judged]:
        """Its own and those of the sections below it, in the order of the report."""
        yield from self.sentences
        for section in self.sections:
            yield from section.all_sentences()

    def with_sentences(self, sentences: Iterator[Judged]) -> JudgedSection:
        """The section with its sentences, and those below, replaced by the next ones of `sentences`."""
        own = tuple(next(sentences) for _ in self.sentences)
        return replace(
            self, sentences=own, sections=tuple(section.with_sentences(sentences) for section in self.sections)
        )


def judge(
    written: Iterable[Written],
    findings: dict[str, Finding],
    documents: dict[str, Document],
    results: Mapping[str, AggregationResult] | None = None,
) -> tuple[JudgedSection, ...]:
    """Each sentence compared with its evidence, figures with the counts that they are said to come from (`results`, by
    the digests of their snapshots); what the report has said before is left out.

    A section that says nothing besides what the summary has said says it once more: a part of the question that is
    answered keeps its place.
    """
    told: dict[str, SectionRole] = {}

    def untold(each: Written) -> list[Statement]:
        new = []
        passages: dict[str, bool] = {}  # a passage is told whole or not at all, however much of it another one holds
        for at, statement in enumerate(each.statements):
            whole = [id for id in statement.findings if findings[id].is_passage]
            for id in whole:
                said = [one for one in each.statements[at:] if id in one.findings and one.form != "lead_in"]
                passages.setdefault(id, any(_folded(one) not in told for one in said))
            if whole:
                is_new = any(passages[id] for id in whole)
            elif statement.form == "lead_in":  # which may come again with another list
                below = list(takewhile(lambda one: one.form in ("item", "row"), each.statements[at + 1 :]))
                is_new = not below or any(_folded(one) not in told for one in below)
            else:
                is_new = _folded(statement) not in told
            if is_new:
                new.append(statement)
            told.setdefault(_folded(statement), each.role)
        if new or each.sections or each.role != "section":
            return new
        again = [statement for statement in each.statements if told[_folded(statement)] == "summary"]
        told.update((_folded(statement), each.role) for statement in again)
        return again

    def section(each: Written) -> JudgedSection:
        judged: list[Judged] = []
        for statement in untold(each):
            judged += judged_sentences(statement, [findings[id] for id in statement.findings], documents, results or {})
        below = tuple(map(section, each.sections))
        return JudgedSection(each.role, each.heading, each.subtask_id, tuple(judged), below)

    return tuple(map(section, written))


def _folded(statement: Statement) -> str:
    return " ".join(statement.text.casefold().split())


@dataclass
class Numbering:
    """Hands out `C1`, `E1` and `S1` in the order of the report."""

    quality: Quality
    results: Mapping[str, AggregationResult] = field(default_factory=dict)
    """Counts by the digest of their snapshot."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """What is said of a document where its passages stand, by its digest."""
    claims: list[Claim] = field(default_factory=list)
    evidence: dict[str, EvidenceEntry] = field(default_factory=dict)
    """By the id of the span."""
    sources: dict[str, SourceEntry] = field(default_factory=dict)
    """By the digest of the snapshot."""
    stale: list[Claim] = field(default_factory=list)
    """Claims that rest on old pages only, where that matters."""
    alone: list[Claim] = field(default_factory=list)
    """Claims that rest on a single page, or on its copies, and that no other source states."""
    citing: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the claims that cite a finding, by its id."""
    saying: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the claims that say a finding from other sentences, by its id."""

    def source(self, sha256: str) -> SourceEntry:
        """The numbered entry of a document."""
        if sha256 not in self.sources:
            document = self.quality.documents[sha256]
            id, copied = f"S{len(self.sources) + 1}", self.quality.copy_of(sha256)
            same = (entry.origin for known, entry in self.sources.items() if self.quality.copy_of(known) == copied)
            self.sources[sha256] = SourceEntry(
                id=id,
                origin=next(same, id),
                **document.model_dump(include=set(SourceEntry.model_fields)),
                records=self.results[sha256].aggregation.total_docs if sha256 in self.results else None,
            )
        return self.sources[sha256]

    def place(self, evidence: Evidence, *, behind: Evidence | None) -> str:
        """Where a span stands: its document, the heading above it, and the document's date; behind another one of the
        same document the heading alone, if there is any."""
        entry = self.source(evidence.document)
        heading = evidence.locator.rpartition(" › ")[2] if evidence.locator != entry.title else ""
        if heading and behind and behind.document == evidence.document:
            return heading
        path = " › ".join(filter(None, (entry.title, heading)))
        said = [text for text in (entry.published, self.marks.get(evidence.document)) if text]
        return f"{path} ({', '.join(said)})" if said else path

    def quote(self, evidence: Evidence, subtask_id: str) -> EvidenceEntry:
        """The numbered entry of a span; a span that two subtasks found belongs to the first."""
        if evidence.id not in self.evidence:
            self.evidence[evidence.id] = EvidenceEntry(
                id=f"E{len(self.evidence) + 1}",
                source_id=self.source(evidence.document).id,
                subtask_id=subtask_id,
                **evidence.model_dump(include={"quote", "start", "end", "locator"}),
            )
        return self.evidence[evidence.id]

    def claim(self, sentence: Judged, subtask_id: str | None, *, lead_in: str | None) -> Claim:
        """Number a sentence, and what it cites."""
        cited, status = sentence.cited, sentence.verdict.status
        quotes = [
            self.quote(evidence, finding.subtask_id)
            for finding in cited
            for evidence in ((finding.lead_in,) if sentence.form == "lead_in" and finding.lead_in else finding.spans)
        ]
        behind = self.quality.behind(sentence.text, (evidence.document for evidence in sentence.evidence))
        least = min((finding.confidence for finding in cited), default=0.0)
        confidence = self.quality.confidence(least, behind) * WEIGHT[status]
        claim = Claim(
            id=f"C{len(self.claims) + 1}",
            text=sentence.text,
            lead_in=lead_in,
            citations=tuple(dict.fromkeys(quote.source_id for quote in quotes)),
            evidence=tuple(dict.fromkeys(quote.id for quote in quotes)),
            clauses=tuple(map(self._clause, sentence.stretches)),
            status=status,
            verified=status in VERIFIED,
            judged_by=sentence.verdict.by,
            why=sentence.verdict.why,
            is_assessment=sentence.is_assessment,
            repaired=sentence.repaired,
            confidence=round(confidence, 3),
            subtask_id=subtask_id or (cited[0].subtask_id if cited else None),
            origins=self.quality.origins(behind),
        )
        self.claims.append(claim)
        for id in sentence.findings:
            self.citing.setdefault(id, []).append(claim.id)
        for id in sentence.says:
            self.saying.setdefault(id, []).append(claim.id)
        if self.quality.rests_on_stale(behind):
            self.stale.append(claim)
        if self.quality.rests_on_one_page(behind):
            self.alone.append(claim)
        return claim

    def _clause(self, stretch: Stretch) -> ClaimClause:
        quotes = [self.quote(span, each.subtask_id) for each in stretch.cited for span in each.spans]
        return ClaimClause(
            text=stretch.text,
            citations=tuple(dict.fromkeys(quote.source_id for quote in quotes)),
            evidence=tuple(dict.fromkeys(quote.id for quote in quotes)),
            is_assessment=stretch.is_assessment,
        )


class SetText(NamedTuple):
    """The text of a report with its sentences numbered."""

    sections: tuple[ReportSection, ...]
    contradictions: tuple[Contradiction, ...]
    limits: tuple[str, ...] = ()
    """What its writer says that a reader must know."""


class Text(Protocol):
    """The checked text of a report."""

    def set(self, numbering: Numbering, words: Phrases) -> SetText:
        """Number its sentences in their order, and set them."""
        ...

    def sentences(self) -> Iterator[Judged]:
        """Its sentences, in order."""
        ...


@dataclass(frozen=True)
class Telling:
    """What the report tells, every sentence with its number."""

    research: ReportMaterial
    told: Sequence[Finding]
    """The findings that it tells, in its order."""
    numbering: Numbering
    sections: tuple[ReportSection, ...]
    figures: tuple[Figure, ...]
    contradictions: tuple[Contradiction, ...]
    subtasks: tuple[SubtaskEntry, ...]
    outcome: AnswerState
    limits: tuple[str, ...] | None = None
    """What a model says that a reader must know; `None` where no model has written."""


def contradictions_of(pairs: Iterable[Pair], numbering: Numbering, words: Phrases) -> Iterator[Contradiction]:
    """The disagreements as the report has them; what they rest on is numbered."""
    for pair in pairs:
        sides = tuple(_side(side, numbering) for side in pair)
        yield Contradiction(
            findings=(pair[0].finding.id, pair[1].finding.id),
            description=" ".join(words.says_of(side.kind, side.source_id, side.date, side.claim) for side in sides),
            sides=sides,
        )


def _side(side: Side, numbering: Numbering) -> ContradictionSide:
    finding, document = side.finding, numbering.quality.documents[side.document]
    source = numbering.quote(finding.evidence[0], finding.subtask_id).source_id
    claim = " ".join(filter(None, ("" if finding.is_passage else _lead(finding, document), side.text)))
    return ContradictionSide(
        finding=finding.id, claim=claim, source_id=source, kind=document.kind, date=document.published
    )


def _lead(finding: Finding, document: Document) -> str:
    return display(finding.lead_in.quote, document.markup) if finding.lead_in else ""
