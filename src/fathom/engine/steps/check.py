"""Turns written sections into checked and numbered sentences, in the order of the report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fathom.engine.markdown import Part, Sentence
from fathom.engine.steps.write import Written
from fathom.evidence import Document, Evidence
from fathom.findings import Finding, Statement
from fathom.report import Claim, EvidenceEntry, SourceEntry, SupportStatus
from fathom.text.display import display
from fathom.text.sentences import sentences
from fathom.text.support import Verdict, check

WEIGHT: dict[SupportStatus, float] = {"supported": 1.0, "partial": 0.6, "unsupported": 0.2, "uncited": 0.2}
"""What a verdict leaves of the confidence of the findings that a sentence cites."""

NEAR = 2_000
"""Characters between two quotations that may still share a paragraph."""


@dataclass
class Numbering:
    """Hands out `C1`, `E1` and `S1` in the order of the report."""

    documents: dict[str, Document]
    claims: list[Claim] = field(default_factory=list)
    evidence: dict[str, EvidenceEntry] = field(default_factory=dict)
    """By the id of the span."""
    sources: dict[str, SourceEntry] = field(default_factory=dict)
    """By the digest of the snapshot."""
    told: set[str] = field(default_factory=set)
    """Sentences of the report so far, folded."""

    def is_new(self, statement: Statement) -> bool:
        """Whether the report has not said the same before; a lead-in may come again with another list."""
        folded = " ".join(statement.text.casefold().split())
        new = folded not in self.told
        self.told.add(folded)
        return new or statement.form == "lead_in"

    def source(self, sha256: str) -> SourceEntry:
        """The numbered entry of a document."""
        if sha256 not in self.sources:
            document = self.documents[sha256]
            self.sources[sha256] = SourceEntry(
                id=f"S{len(self.sources) + 1}",
                uri=document.uri,
                title=document.title,
                sha256=sha256,
                retrieved_at=document.retrieved_at,
                kind=document.kind,
            )
        return self.sources[sha256]

    def quote(self, evidence: Evidence, subtask_id: str) -> EvidenceEntry:
        """The numbered entry of a span; a span that two subtasks found belongs to the first."""
        if evidence.id not in self.evidence:
            self.evidence[evidence.id] = EvidenceEntry(
                id=f"E{len(self.evidence) + 1}",
                source_id=self.source(evidence.document).id,
                quote=evidence.quote,
                start=evidence.start,
                end=evidence.end,
                locator=evidence.locator,
                subtask_id=subtask_id,
            )
        return self.evidence[evidence.id]


def part_of(section: Written, findings: dict[str, Finding], numbering: Numbering) -> Part:
    """A written section with every sentence checked and numbered."""
    checked: list[Sentence] = []
    lead_in: str | None = None
    last: Evidence | None = None
    for statement in filter(numbering.is_new, section.statements):
        cited = [findings[id] for id in statement.findings]
        for text, verdict in _verdicts(statement, cited, numbering.documents):
            under = lead_in if statement.form == "item" else None
            claim = _claim(text, verdict, cited, numbering, section.subtask_id, form=statement.form, lead_in=under)
            place = cited[0].evidence[0] if cited else None
            same_item = (
                under is not None and len(checked) > 0 and checked[-1].form == "item" and _same_block(last, place)
            )
            checked.append(Sentence(claim, statement.form, opens=not _near(last, place), goes_on=same_item))
            last = place
        lead_in = statement.text if statement.form == "lead_in" else lead_in if statement.form == "item" else None
    parts = tuple(part_of(below, findings, numbering) for below in section.sections)
    return Part(section.heading, tuple(checked), parts, section.subtask_id)


def _near(last: Evidence | None, place: Evidence | None) -> bool:
    """Whether two quotations stand close enough to each other to be read as one paragraph."""
    if last is None or place is None:
        return last is place
    return last.document == place.document and abs(place.start - last.start) <= NEAR


def _same_block(last: Evidence | None, place: Evidence | None) -> bool:
    if last is None or place is None or place.block is None:
        return False
    return (last.document, last.block) == (place.document, place.block)


def _verdicts(
    statement: Statement, cited: list[Finding], documents: dict[str, Document]
) -> Iterator[tuple[str, Verdict]]:
    """The statement's sentences, each with its verdict; a quotation, an item and a lead-in are judged as a whole."""
    spans = [
        display(evidence.quote, documents[evidence.document].markup)
        for finding in cited
        for evidence in _evidence(finding)
    ]
    whole = check(statement.text, spans)
    if statement.form != "paragraph" or whole.score == 1.0:
        yield statement.text, whole
        return
    for start, end in sentences(statement.text):
        yield statement.text[start:end], check(statement.text[start:end], spans)


def _evidence(finding: Finding) -> tuple[Evidence, ...]:
    """The spans of a finding in the order of reading: its lead-in first."""
    return (*((finding.lead_in,) if finding.lead_in else ()), *finding.evidence)


def _claim(
    text: str,
    verdict: Verdict,
    cited: list[Finding],
    numbering: Numbering,
    subtask_id: str | None,
    *,
    form: str,
    lead_in: str | None,
) -> Claim:
    """Number a sentence and what it cites."""
    rests_on = [
        (finding, evidence)
        for finding in cited
        for evidence in ((finding.lead_in,) if form == "lead_in" and finding.lead_in else _evidence(finding))
    ]
    quotes = [numbering.quote(evidence, finding.subtask_id) for finding, evidence in rests_on]
    confidence = min((finding.confidence for finding in cited), default=0.0) * WEIGHT[verdict.status]
    claim = Claim(
        id=f"C{len(numbering.claims) + 1}",
        text=text,
        lead_in=lead_in,
        citations=tuple(dict.fromkeys(quote.source_id for quote in quotes)),
        evidence=tuple(dict.fromkeys(quote.id for quote in quotes)),
        status=verdict.status,
        verified=verdict.status == "supported",
        confidence=round(confidence, 3),
        subtask_id=subtask_id or (cited[0].subtask_id if cited else None),
    )
    numbering.claims.append(claim)
    return claim
