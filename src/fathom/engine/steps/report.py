"""The end of a run: every sentence is checked against what it cites, and everything is numbered for the reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fathom.engine.board import Outcome, Research
from fathom.engine.citations import Verdict, check
from fathom.engine.context import Context
from fathom.engine.markdown import Draft, Part, Sentence, compose
from fathom.engine.steps.write import Role, Written
from fathom.events import Checked
from fathom.evidence import Document, Evidence
from fathom.findings import Finding
from fathom.report import (
    Claim,
    Contradiction,
    EvidenceEntry,
    FindingEntry,
    NotFoundEntry,
    Outline,
    Report,
    ReportSection,
    SourceEntry,
    Statement,
    SubtaskEntry,
    SupportStatus,
)
from fathom.text.display import display
from fathom.text.phrases import Phrases, phrases
from fathom.text.sentences import sentences

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


async def assemble(context: Context, research: Research, outline: Outline, written: tuple[Written, ...]) -> Report:
    """Check, number and compose."""
    run = context.run
    words = phrases(run.language)
    findings = {finding.id: finding for finding in research.findings}
    numbering = Numbering(research.documents)
    parts = tuple(_part(section, findings, numbering) for section in written)
    cited_sources = tuple(numbering.sources.values())
    counts = _counts(numbering.claims)
    await context.emit(Checked(**counts))

    entries = tuple(_finding(finding, numbering) for finding in research.findings)
    contradictions = tuple(_contradictions(research, findings, words))
    not_found = tuple(_not_found(research, numbering.claims))
    limitations = tuple(_limitations(research, written, numbering, cited_sources, words))
    nothing = not numbering.claims
    draft = Draft(
        title=outline.title,
        phrases=words,
        parts=parts,
        not_found=() if nothing and len(not_found) == 1 else not_found,
        contradictions=tuple(contradiction.description for contradiction in contradictions),
        limitations=limitations,
        sources=cited_sources,
        footer=_footer(research, counts, words),
        notice=_notice(research, words),
        nothing_found=nothing,
    )
    created_at, usage = await context.end()
    return Report(
        run_id=run.run_id,
        query=run.query,
        language=run.language,
        mode=research.plan.execution_mode,
        created_at=created_at,
        title=outline.title,
        markdown=compose(draft),
        key_findings=_told_in(written, parts, "summary"),
        conclusions=_told_in(written, parts, "conclusion"),
        limitations=limitations,
        suggestions=tuple(_suggestions(research, not_found, run.run_id, words)),
        sections=tuple(_section(part) for part in parts if any(part.all_sentences())),
        claims=tuple(numbering.claims),
        evidence=tuple(numbering.evidence.values()),
        findings=entries,
        syntheses=research.syntheses,
        sources=tuple(numbering.sources.values()),
        subtasks=tuple(_subtask(outcome) for outcome in research.outcomes),
        not_found=not_found,
        contradictions=contradictions,
        coverage=research.coverage,
        usage=usage,
        limits=run.limits,
        estimate=research.estimate,
        partial=research.partial,
    )


def _part(section: Written, findings: dict[str, Finding], numbering: Numbering) -> Part:
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
    parts = tuple(_part(below, findings, numbering) for below in section.sections)
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


def _finding(finding: Finding, numbering: Numbering) -> FindingEntry:
    return FindingEntry(
        id=finding.id,
        claim=finding.claim,
        evidence=tuple(numbering.quote(evidence, finding.subtask_id).id for evidence in finding.evidence),
        confidence=finding.confidence,
        subtask_id=finding.subtask_id,
    )


def _subtask(outcome: Outcome) -> SubtaskEntry:
    return SubtaskEntry.of(outcome.subtask, outcome.status, outcome.evaluation)


def _section(part: Part) -> ReportSection:
    return ReportSection(
        heading=part.heading,
        subtask_id=part.subtask_id,
        claims=tuple(sentence.claim.id for sentence in part.sentences),
        sections=tuple(_section(below) for below in part.parts if any(below.all_sentences())),
    )


def _told_in(written: tuple[Written, ...], parts: tuple[Part, ...], role: Role) -> tuple[str, ...]:
    """The sentences of the section with that role, with their citation marks."""
    return tuple(
        " ".join((sentence.claim.text, "".join(f"[{id}]" for id in sentence.claim.citations))).rstrip()
        for section, part in zip(written, parts, strict=True)
        if section.role == role
        for sentence in part.all_sentences()
    )


def _counts(claims: Iterable[Claim]) -> dict[str, int]:
    """Claims by status."""
    counts = dict.fromkeys(WEIGHT, 0)
    for claim in claims:
        counts[claim.status] += 1
    return {str(status): count for status, count in counts.items()}


def _contradictions(research: Research, findings: dict[str, Finding], words: Phrases) -> Iterator[Contradiction]:
    seen: set[frozenset[str]] = set()
    for synthesis in research.syntheses:
        for one, other in synthesis.contradictions:
            if {one, other} <= findings.keys() and frozenset((one, other)) not in seen:
                seen.add(frozenset((one, other)))
                description = words.contradiction.format(one=findings[one].claim, other=findings[other].claim)
                yield Contradiction(findings=(one, other), description=description)


def _not_found(research: Research, claims: Iterable[Claim]) -> Iterator[NotFoundEntry]:
    """Root subtasks that were researched to their end without an answer; all of them when the report tells nothing."""
    told = any(True for _ in claims)
    answered = {synthesis.subtask_id for synthesis in research.syntheses if synthesis.findings}
    for outcome in research.outcomes:
        subtask = outcome.subtask
        if outcome.status != "completed" or subtask.parent_id is not None:
            continue
        if not told or (not outcome.findings and subtask.subtask_id not in answered):
            reason = outcome.evaluation.reasoning if outcome.evaluation and not outcome.findings else ""
            yield NotFoundEntry(what=subtask.description, subtask_id=subtask.subtask_id, reason=reason)


def _notice(research: Research, words: Phrases) -> str:
    if research.partial is None:
        return ""
    return words.partial.get(research.partial) or words.partial_other.format(reason=research.partial)


def _limitations(
    research: Research,
    written: tuple[Written, ...],
    numbering: Numbering,
    cited_sources: tuple[SourceEntry, ...],
    words: Phrases,
) -> Iterator[str]:
    """What a reader must know, most important first."""
    for name, error in research.failures.items():
        yield words.source_failed.format(name=name, error=error)
    if weak := sum(not claim.verified for claim in numbering.claims):
        yield words.weak_note.format(count=weak)
    if invented := sum(section.invented for section in _every(written)):
        yield words.invented.format(count=invented)
    if len(cited_sources) == 1 and research.coverage.total > 1:
        yield words.single_source
    yield from dict.fromkeys(caveat for synthesis in research.syntheses for caveat in synthesis.caveats)


def _every(written: Iterable[Written]) -> Iterator[Written]:
    for section in written:
        yield section
        yield from _every(section.sections)


def _suggestions(
    research: Research, not_found: tuple[NotFoundEntry, ...], run_id: str, words: Phrases
) -> Iterator[str]:
    if research.partial is not None:
        yield words.resume.format(run_id=run_id)
    for entry in not_found:
        yield words.search_again.format(what=entry.what)
    areas = (
        area
        for outcome in research.outcomes
        if outcome.evaluation and outcome.findings
        for area in outcome.evaluation.drill_down_areas
    )
    for area in list(dict.fromkeys(areas))[:3]:
        yield words.look_deeper.format(what=area)


def _footer(research: Research, counts: dict[str, int], words: Phrases) -> tuple[str, ...]:
    coverage = research.coverage
    looked_at = words.coverage.format(**coverage.model_dump())
    if not (total := sum(counts.values())):
        return (looked_at,)
    return (words.footer.format(claims=total, **counts), looked_at)
