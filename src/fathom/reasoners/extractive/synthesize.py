"""What the findings of a subtask amount to."""

from __future__ import annotations

from fathom.asks import SynthesizeSubtask
from fathom.findings import Statement, Synthesis
from fathom.reasoners.extractive.data.kinds import is_of_data, is_of_records

TOLD = 5
"""Findings whose claims make the text."""


def synthesize(ask: SynthesizeSubtask) -> Synthesis:
    """The best findings in their own words; those of the children follow. Of data each is a statement, counts first.

    What cannot both be true is found among all findings of the run, not here.
    """
    of_data = any(map(is_of_data, ask.findings))
    best = sorted(ask.findings, key=lambda finding: (of_data and is_of_records(finding), -finding.relevance))
    told = best[:TOLD]
    texts = [finding.claim for finding in told]
    texts += [child.text for child in ask.children if child.text]
    ids = [finding.id for finding in best] + [id for child in ask.children for id in child.findings]
    confidences = [finding.confidence for finding in told]
    confidences += [child.confidence for child in ask.children if child.text]
    return Synthesis(
        subtask_id=ask.subtask.subtask_id,
        text=" ".join(texts),
        findings=tuple(dict.fromkeys(ids)),
        confidence=round(sum(confidences) / len(confidences), 4) if confidences else 0.0,
        contradictions=tuple(dict.fromkeys(pair for child in ask.children for pair in child.contradictions)),
        caveats=tuple(dict.fromkeys(caveat for child in ask.children for caveat in child.caveats)),
        statements=tuple(Statement(text=each.claim, findings=(each.id,)) for each in told if of_data),
    )
