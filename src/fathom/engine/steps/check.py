"""Judges each sentence of the written sections by what it cites, and numbers them in the order of the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from fathom.data.snapshots import cells_of
from fathom.data.turns import AggregationResult
from fathom.engine.markdown import Part, Sentence
from fathom.engine.steps.write import Written
from fathom.evidence import Document, Evidence
from fathom.findings import Finding, Statement, StatementForm
from fathom.report import VERIFIED, Claim, EvidenceEntry, SectionRole, SourceEntry, SupportStatus
from fathom.text.display import display
from fathom.text.sentences import sentences
from fathom.verification.quality import Quality
from fathom.verification.verdicts import Verdict, check, check_counts

WEIGHT: dict[SupportStatus, float] = {
    "quoted": 1.0,
    "supported": 1.0,
    "unjudged": 0.7,
    "partial": 0.6,
    "unsupported": 0.2,
    "contradicted": 0.1,
}
"""What a verdict leaves of the confidence of the findings that a sentence cites."""

NEAR = 2_000
"""Characters between two quotations that may still share a paragraph."""


@dataclass(frozen=True)
class Judged:
    """A sentence of the report, and how it stands to what it cites."""

    text: str
    form: StatementForm
    cited: tuple[Finding, ...]
    spans: tuple[str, ...]
    """The readable text of all that it cites, but for counts."""
    verdict: Verdict
    repaired: bool = False
    """Whether it was written anew from its evidence."""
    facts: tuple[str, ...] = ()
    """What was worked out from the counts that it cites."""
    cells: tuple[str, ...] = ()
    """These counts, row by row; empty when it cites none."""
    is_assessment: bool = False
    """Whether it draws a conclusion from what it cites."""

    def compared(self, text: str) -> Verdict:
        """How another sentence in its place would stand to what it cites; of a conclusion words cannot tell it."""
        verdict = _compared(text, self.spans, self.facts, self.cells)
        is_open = self.is_assessment and self.cited and not verdict.is_proved
        return replace(verdict, status="unjudged") if is_open else verdict

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every span that it cites, each once."""
        spans = {span.id: span for finding in self.cited for span in _evidence(finding)}
        return tuple(spans.values())


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
            judged += _judged(statement, [findings[id] for id in statement.findings], documents, results or {})
        below = tuple(map(section, each.sections))
        return JudgedSection(each.role, each.heading, each.subtask_id, tuple(judged), below)

    return tuple(map(section, written))


def _folded(statement: Statement) -> str:
    return " ".join(statement.text.casefold().split())


def _judged(
    statement: Statement,
    cited: Sequence[Finding],
    documents: dict[str, Document],
    results: Mapping[str, AggregationResult],
) -> Iterator[Judged]:
    """The statement's sentences, each with its verdict; a quotation, an item and a lead-in are judged as a whole."""
    evidence = [each for finding in cited for each in _evidence(finding)]
    is_code = statement.form == "code"  # which has no marks of a markup
    read = [each for each in evidence if each.document not in results]
    spans = tuple(display(each.quote, "plain" if is_code else documents[each.document].markup) for each in read)
    facts = tuple(each.claim for each in cited if each.fact)
    counted = dict.fromkeys(each.document for each in evidence if each.document in results)
    cells = tuple(line for sha256 in counted for line in _cells(results[sha256]))
    verdict = _compared(statement.text, spans, facts, cells)
    draws, form = statement.is_assessment, statement.form
    whole = Judged(statement.text, form, tuple(cited), spans, verdict, facts=facts, cells=cells, is_assessment=draws)
    whole = replace(whole, verdict=whole.compared(statement.text)) if draws else whole
    is_one = verdict.score == 1.0  # a finding's own words are one sentence, whatever stands in a key
    if statement.form != "paragraph" or is_one:
        yield whole
        return
    # a quotation is whole though it has no full stop: what somebody writes behind it is judged by itself
    quoted = max((len(each.claim) for each in cited if statement.text.startswith(f"{each.claim} ")), default=0)
    pieces = [(0, quoted)] if quoted else []
    pieces += [(quoted + start, quoted + end) for start, end in sentences(statement.text[quoted:])]
    for start, end in pieces:
        text = statement.text[start:end].strip()
        yield replace(whole, text=text, verdict=whole.compared(text))


def _compared(text: str, spans: Sequence[str], facts: Sequence[str], cells: Sequence[str]) -> Verdict:
    return check_counts(text, facts, cells, spans) if cells else check(text, spans)


def _cells(result: AggregationResult) -> Iterator[str]:
    """All that counts hold, line by line: a figure may also follow from rows that are not cited."""
    counts = result.aggregation
    for what, number in (("records match", result.matched), ("records in all", result.total)):
        if number is not None:
            yield f"{number:,} {what}"
    for bucket in counts.buckets:
        yield " | ".join(cells_of(counts, bucket))


def _evidence(finding: Finding) -> tuple[Evidence, ...]:
    """The spans of a finding in the order of reading: its lead-in first."""
    return (*((finding.lead_in,) if finding.lead_in else ()), *finding.evidence)


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

    def source(self, sha256: str) -> SourceEntry:
        """The numbered entry of a document."""
        if sha256 not in self.sources:
            document = self.quality.documents[sha256]
            id, copied = f"S{len(self.sources) + 1}", self.quality.copy_of(sha256)
            same = (entry.origin for known, entry in self.sources.items() if self.quality.copy_of(known) == copied)
            self.sources[sha256] = SourceEntry(
                id=id,
                uri=document.uri,
                title=document.title,
                sha256=sha256,
                retrieved_at=document.retrieved_at,
                kind=document.kind,
                published=document.published,
                nature=document.nature,
                site=document.site,
                origin=next(same, id),
                query=document.query,
                records=self.results[sha256].aggregation.total_docs if sha256 in self.results else None,
            )
        return self.sources[sha256]

    def place(self, evidence: Evidence, *, behind: Evidence | None) -> str:
        """Where a span stands: its document, the heading above it, and the document's date; behind another one of the
        same document the heading alone, if there is any."""
        entry = self.source(evidence.document)
        heading = evidence.locator.removeprefix(entry.title).rpartition(" › ")[2].strip(" ›")
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
                quote=evidence.quote,
                start=evidence.start,
                end=evidence.end,
                locator=evidence.locator,
                subtask_id=subtask_id,
            )
        return self.evidence[evidence.id]

    def claim(self, sentence: Judged, subtask_id: str | None, *, lead_in: str | None, telling: str = "") -> Claim:
        """Number a sentence, of which a part may be `telling`, and what it cites."""
        cited, status = sentence.cited, sentence.verdict.status
        quotes = [
            self.quote(evidence, finding.subtask_id)
            for finding in cited
            for evidence in (
                (finding.lead_in,) if sentence.form == "lead_in" and finding.lead_in else _evidence(finding)
            )
        ]
        behind = self.quality.behind(sentence.text, (evidence.document for evidence in sentence.evidence))
        least = min((finding.confidence for finding in cited), default=0.0)
        confidence = self.quality.confidence(least, behind) * WEIGHT[status]
        claim = Claim(
            id=f"C{len(self.claims) + 1}",
            text=sentence.text,
            telling=telling,
            lead_in=lead_in,
            citations=tuple(dict.fromkeys(quote.source_id for quote in quotes)),
            evidence=tuple(dict.fromkeys(quote.id for quote in quotes)),
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
        if self.quality.rests_on_stale(behind):
            self.stale.append(claim)
        if self.quality.rests_on_one_page(behind):
            self.alone.append(claim)
        return claim


def part_of(section: JudgedSection, numbering: Numbering) -> Part:
    """A judged section with every sentence numbered."""
    numbered: list[Sentence] = []
    lead_in: str | None = None
    last: Evidence | None = None
    passage = where = ""
    for sentence in section.sentences:
        listed = sentence.form in ("item", "row")
        under = lead_in if listed else None
        best = sentence.cited[0].telling if section.role == "summary" and sentence.cited else ""
        telling = best if best in sentence.text else ""
        claim = numbering.claim(sentence, section.subtask_id, lead_in=under, telling=telling)
        place = sentence.cited[0].evidence[0] if sentence.cited else None
        same_item = under is not None and bool(numbered) and numbered[-1].form == "item" and _same_block(last, place)
        whole = sentence.cited[0] if sentence.cited and sentence.cited[0].is_passage else None
        opens = not _near(last, place)
        if whole and place:
            is_new, passage = whole.id != passage, whole.id
            opens = not listed or (is_new and not (last and last.leads_to(place)))
            where = numbering.place(place, behind=last) if is_new else where
        told_at = where if whole else ""
        numbered.append(Sentence(claim, sentence.form, opens=opens, goes_on=same_item, place=told_at))
        last = place
        lead_in = sentence.text if sentence.form == "lead_in" else lead_in if listed else None
    parts = tuple(part_of(below, numbering) for below in section.sections)
    return Part(section.heading, tuple(numbered), parts, section.subtask_id, role=section.role)


def _near(last: Evidence | None, place: Evidence | None) -> bool:
    """Whether two quotations stand close enough to each other to be read as one paragraph."""
    if last is None or place is None:
        return last is place
    return last.document == place.document and abs(place.start - last.start) <= NEAR


def _same_block(last: Evidence | None, place: Evidence | None) -> bool:
    if last is None or place is None or place.block is None:
        return False
    return (last.document, last.block) == (place.document, place.block)
