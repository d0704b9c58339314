"""Findings: the sentences that answer a subtask, scored, with their evidence to the letter."""

from __future__ import annotations

from collections.abc import Sequence, Set

from fathom.asks import ExtractFindings
from fathom.findings import Finding, Findings
from fathom.reasoners.extractive import holding, weights
from fathom.reasoners.extractive.overlap import repeats
from fathom.reasoners.extractive.question import Question, read_question
from fathom.reasoners.extractive.ranking import Ranked, rank
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.standing import worth_of
from fathom.reasoners.extractive.strays import about_others, is_beside_the_point
from fathom.text.analysis import query_terms
from fathom.text.support import negates

SAME = 0.85
"""Overlap of words from which two claims say the same, unless their numbers differ."""
WITNESSES = 3
"""Sources that a finding names when pages say the same: who else says so is what a reader of the web must know."""
LOOKED_AT = 4
"""Candidates that are looked at for who else says so, for each finding that there may be."""


def extract_findings(ask: ExtractFindings) -> Findings:
    """The best candidates, unless the sources do not hold what is asked.

    What the documents alone hold, no page beside them can take away. Records of a dataset are read by a rule of their
    own.
    """
    if ask.documents and all(document.kind == "dataset" for document in ask.documents):
        from fathom.reasoners.extractive.data.records import extract_records

        return extract_records(ask)
    question = read_question(ask.query, language=ask.language)
    pages = {document.sha256 for document in ask.documents if document.kind == "web"}
    strange = about_others(ask, pages)
    confidence = _held(ask, question)
    if pages:
        alone = _of_documents(ask, pages)
        of_documents = _held(alone, question)
        if confidence < weights.HELD_FROM <= of_documents:
            ask, pages = alone, set()
        confidence = max(confidence, of_documents)
    if confidence < weights.HELD_FROM:
        return Findings()
    titles = {document.sha256: document.title for document in ask.documents}
    wanted = frozenset(query_terms(" ".join((ask.query, ask.subtask.description, *_texts(ask)))))
    kept: list[list[Ranked]] = []
    for at, ranked in enumerate(rank(ask)):
        if len(kept) == ask.max_findings and (not pages or at >= LOOKED_AT * ask.max_findings):
            break
        is_page = ranked.place.passage.document in pages
        if is_page and (ranked.place.passage.document in strange or is_beside_the_point(ranked, wanted, titles)):
            continue
        told = next((group for group in kept if _repeats(ranked, group[0])), None)
        if told is not None and is_page and _negates(ranked, told[0]):
            told = None  # the same words, and the opposite
        if told is None:
            kept += [[ranked]] if len(kept) < ask.max_findings else []
        elif is_page and _is_witness(ranked, told):
            told.append(ranked)
    return Findings(findings=tuple(_finding(ask, group, confidence=confidence) for group in kept))


def _texts(ask: ExtractFindings) -> list[str]:
    return [query.text for query in ask.subtask.queries]


def _of_documents(ask: ExtractFindings, pages: Set[str]) -> ExtractFindings:
    """The ask without the web."""
    return ask.model_copy(
        update={
            "documents": tuple(document for document in ask.documents if document.sha256 not in pages),
            "passages": tuple(passage for passage in ask.passages if passage.document not in pages),
            "sources": tuple(source for source in ask.sources if source.kind != "web"),
        }
    )


def _held(ask: ExtractFindings, question: Question) -> float:
    """Probability that the sources hold what is asked."""
    if not ask.passages:
        return 0.0
    return holding.probability(holding.signs(ask, question, rarity=Rarity.over(ask.sources)), table=weights.HELD)


def _repeats(one: Ranked, other: Ranked) -> bool:
    return repeats(one.place.candidate.terms, other.place.candidate.terms, above=SAME)


def _is_witness(ranked: Ranked, told: Sequence[Ranked]) -> bool:
    """Whether another source says the same, and neither says more than the other."""
    mine, theirs = set(ranked.place.candidate.terms), set(told[0].place.candidate.terms)
    if len(told) == WITNESSES or any(other.place.passage.document == ranked.place.passage.document for other in told):
        return False
    return len(mine & theirs) >= SAME * max(len(mine), len(theirs))


def _negates(one: Ranked, other: Ranked) -> bool:
    """Whether only one of them holds a negation."""
    return negates(one.place.candidate.claim.casefold()) != negates(other.place.candidate.claim.casefold())


def _finding(ask: ExtractFindings, group: Sequence[Ranked], *, confidence: float) -> Finding:
    """In the words of the source with the best standing, with those of the others as further evidence.

    A forum that quotes two values would else be the first source of both, and hide that the others disagree.
    """
    documents = {document.sha256: document for document in ask.documents}
    standing = sorted(group, key=lambda each: -worth_of(documents[each.place.passage.document]))
    ranked = standing[0]
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=ranked.place.candidate.claim,
        evidence=tuple(each.evidence for each in standing),
        lead_in=ranked.lead_in,
        confidence=round(confidence, 4),
        relevance=round(group[0].score, 6),
        facets=ranked.served,
    )
