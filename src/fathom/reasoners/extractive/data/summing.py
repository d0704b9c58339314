"""What the findings of data amount to: the questions in turn, each with the figures that answer it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fathom.asks import SynthesizeSubtask
from fathom.data.turns import SynthesisFormat
from fathom.findings import Finding, Statement, Synthesis
from fathom.reasoners.extractive.data.kinds import is_of_records, is_scope
from fathom.text.analysis import query_terms, terms
from fathom.text.display import display
from fathom.text.phrases import phrases

MOST: dict[SynthesisFormat, int] = {"executive_summary": 4, "bullet_points": 10, "comprehensive_report": 14}
"""Findings that an answer tells."""
EACH = 2
"""Findings that answer one question."""
TOLD = 5
"""Findings whose confidence is that of the answer."""


def sum_up(ask: SynthesizeSubtask) -> Synthesis:
    """Each question with the findings that name most of it, then what is left, counts before records."""
    best = sorted(ask.findings, key=lambda each: (is_of_records(each), -each.relevance))
    told = _by_question(ask, best)
    told += [finding for finding in best if finding not in told and not is_scope(finding)]
    told += [finding for finding in best if finding not in told]
    colon = phrases(ask.language).colon
    form: Literal["item", "paragraph"] = "item" if ask.format == "bullet_points" else "paragraph"
    statements = tuple(
        Statement(text=_text(finding, colon), findings=(finding.id,), form=form) for finding in told[: MOST[ask.format]]
    )
    confidences = [finding.confidence for finding in told[:TOLD]]
    confidences += [child.confidence for child in ask.children if child.text]
    ids = [finding.id for finding in told]
    ids += [id for child in ask.children for id in child.findings if id not in ids]
    return Synthesis(
        subtask_id=ask.subtask.subtask_id,
        text=" ".join([*(each.text for each in statements), *(child.text for child in ask.children if child.text)]),
        findings=tuple(dict.fromkeys(ids)),
        confidence=round(sum(confidences) / len(confidences), 4) if confidences else 0.0,
        contradictions=tuple(dict.fromkeys(pair for child in ask.children for pair in child.contradictions)),
        caveats=tuple(dict.fromkeys(caveat for child in ask.children for caveat in child.caveats)),
        statements=statements,
    )


def _by_question(ask: SynthesizeSubtask, best: Sequence[Finding]) -> list[Finding]:
    """For each question the findings, told for none before, that hold most of its terms."""
    held = {finding.id: _held(finding) for finding in best}
    told: list[Finding] = []
    for question in sorted(ask.questions, key=lambda each: each.priority):
        wanted = set(query_terms(question.question))
        fits = [(len(wanted & held[finding.id]), finding) for finding in best if finding not in told]
        most = max((fit for fit, _ in fits), default=0)
        told += [finding for fit, finding in fits if most and fit == most][:EACH]
    return told


def _held(finding: Finding) -> set[str]:
    spans = " ".join(f"{evidence.locator} {evidence.quote}" for evidence in finding.evidence)
    return set(terms(f"{finding.claim} {spans} {' '.join(finding.facets)}"))


def _text(finding: Finding, colon: str) -> str:
    """The claim, what a record is called before what it says."""
    if finding.lead_in is None:
        return finding.claim
    return f"{display(finding.lead_in.quote, 'plain')}{colon}{finding.claim}"
