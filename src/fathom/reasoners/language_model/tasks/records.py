"""ExtractFindings over records of a dataset: all of them are shown, and a claim rests on the fields that it tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from fathom.asks import ExtractFindings
from fathom.evidence import Evidence
from fathom.findings import Finding, Findings
from fathom.reasoners.language_model.task import Draft, Read, Wire
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.record_lines import Field, RecordLine, ShownRecord, shown_records
from fathom.reasoners.language_model.tasks.words import Number, Share, fitting, line, lines, picked, shown_tokens
from fathom.text.analysis import query_terms, terms
from fathom.verification.doubts import missing

SHEET_TOKENS = 3_200
"""Of the records that one prompt shows."""
MOST_SHEETS = 10
"""Prompts for one page of records."""
CITED = 40
"""Lines that a finding may cite: as many as say alike."""
SPANS = 6
"""Fields of one record that a finding rests on."""
USUAL = 0.5
"""Relevance of what a model finds in records: it was asked what they say to the question."""
CLAIM_LENGTH = 600
KNOWN, KNOWN_SHARE = 12, 0.15
"""Findings known before that are shown, and the most that they take of the room."""
QUESTIONS_SHARE = 0.2
"""Most of the room that the research questions take."""
FINDING_TOKENS = 80
"""Of the room, for each finding that is asked for."""
LEAST_FINDINGS = 5
FACETS = 6


class RecordClaim(Wire):
    """One claim."""

    claim: str = ""
    """The claim in a sentence that stands alone; empty to quote the cited line as it is."""
    cites: list[Number]
    """Numbers of the lines that state it, strongest first."""
    confidence: Share = 0.7
    """0 to 1: how likely it is true, given these lines."""


class RecordsRead(Wire, title="ExtractFindings"):
    """What the records say."""

    findings: list[RecordClaim]
    """Most important first; none if nothing is relevant."""


def record_drafts(ask: ExtractFindings, *, room: int) -> list[Draft[Findings]]:
    """As many prompts as the records take, in their order; those beyond `MOST_SHEETS` are counted as left out."""
    questions = fitting([line(each.question, 300) for each in ask.questions], round(room * QUESTIONS_SHARE))
    best = sorted(ask.known, key=lambda finding: -finding.relevance)
    known = fitting(lines((each.claim for each in best), most=KNOWN, length=240), round(room * KNOWN_SHARE))
    focus = line(ask.focus, 200)
    framed = sum(map(shown_tokens, (ask.subtask.description, focus, *questions, *known)))
    sheets, left_out = _sheets(list(shown_records(ask)), min(SHEET_TOKENS, room - framed))
    most = min(ask.max_findings, max(LEAST_FINDINGS, (room - framed) // FINDING_TOKENS))
    drafts = []
    for at, sheet in enumerate(sheets):
        numbered = dict(enumerate((each for record in sheet for each in record.lines), start=1))
        variables = {
            "records": _shown(sheet),
            "subtask": ask.subtask,
            "questions": questions,
            "focus": focus,
            "known": known,
            "max_findings": most,
        }
        read = partial(_read, ask, numbered)
        lost = left_out if at == len(sheets) - 1 else 0
        drafts.append(Draft(variables, RecordsRead, read, left_out=lost, prompt="extract_records"))
    return drafts


def _sheets(records: Sequence[ShownRecord], room: int) -> tuple[list[list[ShownRecord]], int]:
    """The records in their order, sheet by sheet, at least one on each, and how many found no room."""
    sheets: list[list[ShownRecord]] = []
    left = 0
    for at, record in enumerate(records):
        if not sheets or record.tokens > left:
            if len(sheets) == MOST_SHEETS:
                return sheets, len(records) - at
            sheets.append([])
            left = room
        sheets[-1].append(record)
        left -= record.tokens
    return sheets, 0


def _shown(sheet: Sequence[ShownRecord]) -> list[dict[str, Any]]:
    number = 0
    shown = []
    for record in sheet:
        numbered = []
        for each in record.lines:
            number += 1
            numbered.append((number, each.text))
        shown.append({"name": record.name, "lines": numbered})
    return shown


# ── Reading the answer ─────────────────────────────────────────────────────────────────────────────────────────────


def _read(ask: ExtractFindings, numbered: Mapping[int, RecordLine], wire: RecordsRead) -> Read[Findings]:
    wanted = query_terms(" ".join((ask.subtask.description, *(each.question for each in ask.questions))))
    told: dict[tuple[str, str], Finding] = {}
    invented = 0
    known = {finding.claim.casefold() for finding in ask.known}

    def tell(claim: str, cited: Sequence[RecordLine], confidence: float) -> None:
        claim, evidence, lead_in = _grounded(claim, cited)
        key = (claim.casefold(), lead_in.quote if lead_in else "")
        if key[0] in known or (key not in told and len(told) >= ask.max_findings):
            return
        held = set(terms(claim))
        before = told[key].evidence if key in told else ()
        told[key] = Finding(
            subtask_id=ask.subtask.subtask_id,
            claim=claim,
            evidence=tuple({each.id: each for each in (*before, *evidence)}.values()),
            lead_in=lead_in,
            confidence=round(confidence, 4),
            relevance=round(USUAL + 0.1 * min(1.0, max(each.score for each in cited)), 6),
            facets=tuple(term for term in wanted if term in held)[:FACETS],
        )

    for found in wire.findings:
        cited, strangers = picked(found.cites, numbered)
        invented += strangers
        cited = cited[:CITED]
        claim = plain(found.claim, [each.text for each in cited])
        if claim and cited:
            tell(claim, cited, found.confidence)
        for each in () if claim else cited:
            tell("", [each], found.confidence)
    if wire.findings and invented and not told:
        raise ValueError(f"`cites` must be numbers of the lines shown: 1 to {len(numbered)}")
    best = sorted(told.values(), key=lambda finding: -finding.relevance)
    return Read(Findings(findings=tuple(best)), invented)


def _grounded(claim: str, cited: Sequence[RecordLine]) -> tuple[str, tuple[Evidence, ...], Evidence | None]:
    """The claim with the fields that it tells, or with the whole lines where these lack something of it; a line without
    a field in its own words."""
    if claim and len(claim) <= CLAIM_LENGTH:
        told = [field for each in cited for field in _told(claim, each)]
        whole = [field for each in cited for field in each.fields[:SPANS]]
        fields = whole if missing(claim, [field.evidence.quote for field in told]) else told or whole
        if fields:
            return claim, tuple({field.evidence.id: field.evidence for field in fields}.values()), None
    first = cited[0]
    evidence = [field.evidence for field in first.fields]
    if not first.is_prose and first.title is not None and first.title not in first.fields:
        evidence.insert(0, first.title.evidence)
    return first.quote, tuple(evidence), first.lead_in


def _told(claim: str, cited: RecordLine) -> list[Field]:
    """The fields of a line that a claim tells, and the title of the record where it names it."""
    said, held = claim.casefold(), set(terms(claim))

    def is_told(field: Field) -> bool:
        own = set(terms(field.text))
        return field.text.casefold() in said or (bool(own) and own <= held)

    fields = list(cited.fields) if cited.is_prose else [field for field in cited.fields if is_told(field)][:SPANS]
    title = cited.title
    if title is not None and title not in fields and is_told(title):
        fields.append(title)
    return fields
