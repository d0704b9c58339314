"""Findings: the sentences that answer a subtask, scored, with their evidence to the letter."""

from __future__ import annotations

from fathom.asks import ExtractFindings
from fathom.findings import Finding, Findings
from fathom.reasoners.extractive import holding, weights
from fathom.reasoners.extractive.overlap import repeats
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.ranking import Ranked, rank
from fathom.reasoners.extractive.rarity import Rarity

SAME = 0.85
"""Overlap of words from which two claims say the same, unless their numbers differ."""


def extract_findings(ask: ExtractFindings) -> Findings:
    """The best candidates, unless the sources do not hold what is asked."""
    question = read_question(ask.query, language=ask.language)
    confidence = holding.probability(holding.signs(ask, question, rarity=Rarity.over(ask.sources)), table=weights.HELD)
    if not ask.passages or confidence < weights.HELD_FROM:
        return Findings()
    kept: list[Ranked] = []
    for ranked in rank(ask):
        terms = ranked.place.candidate.terms
        if not any(repeats(terms, other.place.candidate.terms, above=SAME) for other in kept):
            kept.append(ranked)
        if len(kept) == ask.max_findings:
            break
    return Findings(findings=tuple(_finding(ask, ranked, confidence=confidence) for ranked in kept))


def _finding(ask: ExtractFindings, ranked: Ranked, *, confidence: float) -> Finding:
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=ranked.place.candidate.claim,
        evidence=(ranked.evidence,),
        lead_in=ranked.lead_in,
        confidence=round(confidence, 4),
        relevance=round(ranked.score, 6),
        facets=ranked.served,
    )
