"""Findings: the sentences that answer a subtask, scored, with their evidence to the letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from fathom.asks import ExtractFindings
from fathom.findings import Finding, Findings
from fathom.reasoners.extractive import holding, weights
from fathom.reasoners.extractive.overlap import repeats
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.ranking import Ranked, evidence_of, rank
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.relevance import Relevant, best_stretches
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
    """What documents say by whole passages, and where pages of the web are among them, by sentences.

    What the documents alone hold, no page beside them can take away. Records of a dataset are read by a rule of their
    own.
    """
    if ask.documents and all(document.kind == "dataset" for document in ask.documents):
        from fathom.reasoners.extractive.data.records import extract_records

        return extract_records(ask)
    pages = _pages(ask)
    if not pages:
        return Findings(findings=tuple(_passages(ask, confidence=_held(ask))))
    alone = _of_documents(ask, pages)
    if _held(ask) < weights.HELD_FROM <= _held(alone):
        return extract_findings(alone)
    return extract_sentences(ask)


def extract_sentences(ask: ExtractFindings) -> Findings:
    """The best sentences, unless the sources do not hold what is asked: of pages of the web each that says the same."""
    pages = _pages(ask)
    confidence = max(_held(ask), _held(_of_documents(ask, pages)) if pages else 0.0)
    if confidence < weights.HELD_FROM:
        return Findings()
    strange = about_others(ask, pages)
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


ALIKE = 0.7
"""Share of the terms of the shorter of two passages from which one is left out."""
CLOSE, CLOSEST = 0.3, 0.1
"""Share of the words of a part, by rarity, that a passage must hold to bear on it; and the best one, to be shown."""
BEST_SENTENCE = 0.25
"""What the best sentence of a passage adds, as a share of what the best passage is worth."""


def _passages(ask: ExtractFindings, *, confidence: float) -> Iterator[Finding]:
    """What documents say, each passage whole, best first; near-copies once."""
    known = {(each.evidence[0].document, each.evidence[0].start) for each in ask.known}
    kept: list[Counter[str]] = []
    for each, score in _by_worth(ask):
        stretch = each.stretch
        if len(kept) == ask.max_findings:
            return
        if (stretch.document, stretch.start) in known or each.own < (CLOSE if kept else CLOSEST):
            continue
        if any(repeats(stretch.terms, other, above=ALIKE) for other in kept):
            continue
        kept.append(stretch.terms)
        lead = stretch.lead_in
        yield Finding(
            subtask_id=ask.subtask.subtask_id,
            claim=stretch.text,
            evidence=(evidence_of(stretch.passage, stretch.start, stretch.end),),
            lead_in=evidence_of(stretch.passage, lead.start, lead.end) if lead else None,
            confidence=round(confidence, 4),
            relevance=round(score, 6),
            facets=tuple(sorted(each.facet.own.intersection(stretch.terms)))[:6],
            is_passage=True,
        )


def _by_worth(ask: ExtractFindings) -> list[tuple[Relevant, float]]:
    """The passages by how well they match and how telling their best sentence is, best first."""
    found = best_stretches(ask)
    most = max((each.score for each in found), default=0.0)
    said: dict[str, list[tuple[int, float]]] = {}
    for ranked in rank(ask):
        said.setdefault(ranked.place.passage.document, []).append((ranked.place.candidate.start, ranked.score))
    best = max((score for scores in said.values() for _, score in scores), default=0.0) or 1.0

    def worth(each: Relevant) -> float:
        own = (score for start, score in said.get(each.stretch.document, ()) if each.stretch.holds(start))
        return each.score + BEST_SENTENCE * most * max(own, default=0.0) / best

    return sorted(((each, worth(each)) for each in found), key=lambda pair: -pair[1])


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


def _pages(ask: ExtractFindings) -> set[str]:
    return {document.sha256 for document in ask.documents if document.kind == "web"}


def _held(ask: ExtractFindings) -> float:
    """Probability that the sources hold what is asked."""
    if not ask.passages:
        return 0.0
    question = read_question(ask.query, language=ask.language)
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
