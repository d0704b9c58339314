"""What the findings of a subtask amount to."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.asks import SynthesizeSubtask
from fathom.findings import Finding, Synthesis
from fathom.reasoners.extractive.data.kinds import is_of_data
from fathom.reasoners.extractive.data.summing import sum_up
from fathom.text.disagreement import disagreeing, said

TOLD = 5
"""Findings whose claims make the text."""
COMPARED = 40
"""Findings that are held against each other."""


def synthesize(ask: SynthesizeSubtask) -> Synthesis:
    """The best findings in their own words; those of the children follow. What data say is put question by question."""
    if any(map(is_of_data, ask.findings)):
        return sum_up(ask)
    best = sorted(ask.findings, key=lambda finding: -finding.relevance)
    texts = [finding.claim for finding in best[:TOLD]]
    ids = [finding.id for finding in best]
    for child in ask.children:
        if child.text:
            texts.append(child.text)
        ids += [id for id in child.findings if id not in ids]
    confidences = [finding.confidence for finding in best[:TOLD]] + [
        child.confidence for child in ask.children if child.text
    ]
    sources = {evidence.document for finding in best for evidence in finding.evidence}
    inherited = [pair for child in ask.children for pair in child.contradictions]
    caveats = [caveat for child in ask.children for caveat in child.caveats]
    return Synthesis(
        subtask_id=ask.subtask.subtask_id,
        text=" ".join(texts),
        findings=tuple(ids),
        confidence=round(sum(confidences) / len(confidences), 4) if confidences else 0.0,
        contradictions=tuple(dict.fromkeys([*contradictions(best[:COMPARED]), *inherited])),
        caveats=tuple(dict.fromkeys(caveats)) if sources or caveats else (),
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
