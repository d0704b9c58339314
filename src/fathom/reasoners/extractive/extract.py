"""Findings: the sentences that answer a subtask, scored, with their evidence to the letter."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from fathom.asks import ExtractFindings
from fathom.evidence import Evidence, Passage, Span
from fathom.findings import Finding, Findings
from fathom.reasoners.extractive import holding, weights
from fathom.reasoners.extractive.facets import facets_of, scene_of
from fathom.reasoners.extractive.features import NAMES, Array, Facet, Place, Scene, measure, places
from fathom.reasoners.extractive.overlap import overlap
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.rarity import Rarity

SAME = 0.85
"""Overlap of words from which two claims say the same."""
CHANGES = 0.25
"""What a page that lists the changes of a release counts for, unless changes are asked for: it tells of everything."""
_LISTS_CHANGES = re.compile(
    r"\b(?:release \d|release notes?|change ?log|changes in|what.s new|release history)"
    r"|リリースノート|変更履歴|更新履歴",
    re.IGNORECASE,
)
_ASKS_OF_CHANGES = re.compile(
    r"\b(?:versions?|releases?|changed?|changes|new|since|upgrad\w+|histor\w+|deprecat\w+|removed)\b"
    r"|\d\.\d|版|リリース|変更|新しい|更新|履歴|廃止",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[¶#§\u200b\uf0c1]+")


def extract_findings(ask: ExtractFindings) -> Findings:
    """The best candidates, unless the sources do not hold what is asked."""
    found = places(ask.passages, ask.documents)
    if not found:
        return Findings()
    question = read_question(ask.query, language=ask.language)
    rarity = Rarity.over(ask.sources)
    facets = facets_of(ask.subtask, question, rarity=rarity)
    scene = scene_of(ask, found, question, rarity=rarity)
    confidence = holding.probability(holding.signs(ask, question, rarity=rarity), table=weights.HELD)
    if confidence < weights.HELD_FROM:
        return Findings()
    scores, best = score(scene, facets)
    if not _ASKS_OF_CHANGES.search(ask.query):
        titles = {document.sha256: document.title for document in ask.documents}
        lists = [bool(_LISTS_CHANGES.search(titles[place.passage.document])) for place in found]
        scores = np.where(lists, scores * CHANGES, scores)
    order = sorted(range(len(found)), key=lambda at: (-scores[at], found[at].rank, found[at].candidate.start))
    told = {(finding.evidence[0].document, finding.evidence[0].start, finding.evidence[0].end) for finding in ask.known}
    chosen: list[Finding] = []
    kept: list[Place] = []
    for at in order:
        place = found[at]
        key = (place.passage.document, place.candidate.start, place.candidate.end)
        if key in told or any(overlap(place.candidate.terms, other.candidate.terms) > SAME for other in kept):
            continue
        kept.append(place)
        chosen.append(_finding(ask, place, facets[best[at]], relevance=float(scores[at]), confidence=confidence))
        if len(chosen) == ask.max_findings:
            break
    return Findings(findings=tuple(chosen))


def score(scene: Scene, facets: Sequence[Facet]) -> tuple[Array, list[int]]:
    """How much each place answers, and which facet it answers best."""
    columns = [weighed(standardised(measure(scene, facet)), table=weights.SENTENCE) for facet in facets]
    table = np.stack(columns)
    return table.max(axis=0), [int(at) for at in table.argmax(axis=0)]


def standardised(rows: Array) -> Array:
    """Every column with mean 0 and deviation 1 within this question; a column that is the same everywhere is 0."""
    deviation = rows.std(axis=0)
    return np.where(deviation > 1e-9, (rows - rows.mean(axis=0)) / np.where(deviation > 1e-9, deviation, 1.0), 0.0)


def weighed(rows: Array, *, table: dict[str, float]) -> Array:
    """The exponential of the weighted columns: how many times as likely as the average place it holds an answer."""
    result: Array = np.exp(np.clip(rows @ np.array([table[name] for name in NAMES]), -20, 20))
    return result


def _finding(ask: ExtractFindings, place: Place, facet: Facet, *, relevance: float, confidence: float) -> Finding:
    candidate, passage = place.candidate, place.passage
    locator = locator_of(passage)
    lead = candidate.lead_in
    block = passage.blocks[candidate.block]
    said = _evidence(passage, candidate.start, candidate.end, locator)
    served = sorted(facet.own.intersection(candidate.terms), key=lambda term: (-facet.weights.get(term, 0), term))
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=candidate.claim,
        evidence=(said.model_copy(update={"block": Span(start=block.start, end=block.end)}),),
        lead_in=_evidence(passage, lead.start, lead.end, locator) if lead else None,
        confidence=round(confidence, 4),
        relevance=round(relevance, 6),
        facets=tuple(served[:6]),
    )


def _evidence(passage: Passage, start: int, end: int, locator: str) -> Evidence:
    return Evidence(document=passage.document, start=start, end=end, quote=passage.quote(start, end), locator=locator)


def locator_of(passage: Passage) -> str:
    """The heading path of a passage, as one line."""
    return " › ".join(filter(None, (" ".join(_MARKS.sub(" ", heading).split()) for heading in passage.headings)))
