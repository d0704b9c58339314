"""What the findings of data amount to: the questions in turn, each with the figures that answer it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Literal

from fathom.asks import SynthesizeSubtask
from fathom.data.turns import SynthesisFormat
from fathom.findings import Finding, Statement
from fathom.reasoners.extractive.data.kinds import is_of_records, is_scope
from fathom.text.analysis import query_terms, terms
from fathom.text.display import display
from fathom.text.phrases import phrases

MOST: dict[SynthesisFormat, int] = {"executive_summary": 4, "bullet_points": 10, "comprehensive_report": 14}
"""Findings that an answer tells."""
EACH = 2
"""Findings that answer one question."""


def told_of_data(ask: SynthesizeSubtask) -> tuple[list[Finding], tuple[Statement, ...]]:
    """All findings, first each question's with those that name most of it, then what is left, counts before records;
    and those of them that are told."""
    best = sorted(ask.findings, key=lambda each: (is_of_records(each), -each.relevance))
    told = _by_question(ask, best)
    told += [finding for finding in best if finding not in told and not is_scope(finding)]
    told += [finding for finding in best if finding not in told]
    colon = phrases(ask.language).colon
    form: Literal["item", "paragraph"] = "item" if ask.format == "bullet_points" else "paragraph"
    statements = (Statement(text=_text(each, colon), findings=(each.id,), form=form) for each in told)
    return told, tuple(islice(statements, MOST[ask.format]))


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
