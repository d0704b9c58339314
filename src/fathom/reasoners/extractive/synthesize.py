"""What the findings of a subtask amount to."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.asks import SynthesizeSubtask
from fathom.findings import Finding, Statement, Synthesis
from fathom.reasoners.extractive.data.kinds import is_of_data
from fathom.reasoners.extractive.data.summing import told_of_data
from fathom.text.disagreement import disagreeing, said

TOLD = 5
"""Findings whose claims make the text."""
COMPARED = 40
"""Findings that are held against each other."""


def synthesize(ask: SynthesizeSubtask) -> Synthesis:
    """The best findings in their own words; those of the children follow. What data say is put question by question."""
    statements: tuple[Statement, ...] = ()
    if any(map(is_of_data, ask.findings)):
        best, statements = told_of_data(ask)
        texts, pairs = [each.text for each in statements], []
    else:
        best = sorted(ask.findings, key=lambda finding: -finding.relevance)
        texts, pairs = [finding.claim for finding in best[:TOLD]], contradictions(best[:COMPARED])
    texts += [child.text for child in ask.children if child.text]
    ids = [finding.id for finding in best] + [id for child in ask.children for id in child.findings]
    confidences = [finding.confidence for finding in best[:TOLD]]
    confidences += [child.confidence for child in ask.children if child.text]
    pairs += [pair for child in ask.children for pair in child.contradictions]
    return Synthesis(
        subtask_id=ask.subtask.subtask_id,
        text=" ".join(texts),
        findings=tuple(dict.fromkeys(ids)),
        confidence=round(sum(confidences) / len(confidences), 4) if confidences else 0.0,
        contradictions=tuple(dict.fromkeys(pairs)),
        caveats=tuple(dict.fromkeys(caveat for child in ask.children for caveat in child.caveats)),
        statements=statements,
    )


def contradictions(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """Pairs from different documents that cannot both be true (see `fathom.text.disagreement`)."""
    told = []
    for finding in findings:
        evidence, lead = finding.evidence[0], finding.lead_in
        heading = evidence.locator.rpartition(" › ")[2]
        under = lead.quote if lead else ""
        told.append((finding.id, evidence.document, said(finding.claim, under=under, heading=heading)))
    return [(one, other) for one, other, _ in disagreeing(told)]
