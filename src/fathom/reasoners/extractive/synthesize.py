"""What the findings of a subtask amount to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from fathom.asks import SynthesizeSubtask
from fathom.findings import Finding, Synthesis
from fathom.text.analysis import terms

TOLD = 5
"""Findings whose claims make the text."""
_COMPARED = 12
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ALIKE = 0.9
_LONG_ENOUGH = 6


def synthesize(ask: SynthesizeSubtask) -> Synthesis:
    """The best findings in their own words; those of the children follow."""
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
        contradictions=tuple(dict.fromkeys([*contradictions(best[:_COMPARED]), *inherited])),
        caveats=tuple(dict.fromkeys(caveats)) if sources or caveats else (),
    )


def contradictions(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """Pairs from different documents that say the same words with another number.

    Conservative: apart from the numbers nearly every term must agree, in sentences of six terms and more.
    """
    found = []
    for one, other in combinations(findings, 2):
        if one.evidence[0].document == other.evidence[0].document:
            continue
        numbers, others = set(_NUMBER.findall(one.claim)), set(_NUMBER.findall(other.claim))
        if not numbers or not others or numbers & others or len(numbers) != len(others):
            continue
        words, theirs = (set(terms(_NUMBER.sub(" ", finding.claim))) for finding in (one, other))
        longer = max(len(words), len(theirs))
        if min(len(words), len(theirs)) >= _LONG_ENOUGH and len(words & theirs) >= _ALIKE * longer:
            found.append((one.id, other.id))
    return found
