"""Findings: the sentences that answer a subtask, scored, with their evidence to the letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from fathom.asks import ExtractFindings
from fathom.findings import ANSWERED, Finding, Findings
from fathom.reasoners.extractive import holding, weights
from fathom.reasoners.extractive.facets import weight_of
from fathom.reasoners.extractive.nearness import Near
from fathom.reasoners.extractive.overlap import numbers, repeats
from fathom.reasoners.extractive.question import read_question
from fathom.reasoners.extractive.ranking import Ranked, evidence_of, rank
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.relevance import Relevant, best_stretches
from fathom.reasoners.extractive.standing import worth_of
from fathom.reasoners.extractive.strays import about_others, is_beside_the_point
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import count_cjk
from fathom.text.support import negates

SAME = 0.85
"""Overlap of words from which two claims say the same, unless their numbers differ."""
WITNESSES = 3
"""Sources that a finding names when pages say the same: who else says so is what a reader of the web must know."""
LOOKED_AT = 4
"""Candidates that are looked at for who else says so, for each finding that there may be."""


def extract_findings(ask: ExtractFindings, near: Near | None = None) -> Findings:
    """What documents say by whole passages, and where pages of the web are among them, by sentences.

    What the documents alone hold, no page beside them can take away. Records of a dataset are read by a rule of their
    own.
    """
    if ask.documents and all(document.kind == "dataset" for document in ask.documents):
        from fathom.reasoners.extractive.data.records import extract_records

        return extract_records(ask)
    pages = _pages(ask)
    if not pages:
        return Findings(findings=tuple(_passages(ask, confidence=_held(ask), near=near)))
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
        same = (group for group in kept if _repeats(ranked, group[0]))
        told = next((group for group in same if not _negates(ranked, group[0])), None)  # else the opposite
        if told is None:
            kept += [[ranked]] if len(kept) < ask.max_findings else []
        elif (is_page or told[0].place.passage.document in pages) and _is_witness(ranked, told):
            told.append(ranked)
    return Findings(findings=tuple(_finding(ask, group, confidence=confidence) for group in kept))


ALIKE = 0.7
"""Share of the words of a passage from which it is left out when another one tells them, and no number of its own."""
CLOSE, CLOSEST = 0.3, 0.1
"""Share of the words of a part, by rarity, that a passage must hold to bear on it; and the best one, to be shown."""
TOLD_TOGETHER, COVERED, COVERED_IN_PAIRS, TOUCHED = 2, 0.5, 0.25, 0.12
"""The best passages, and the share of a part's words, or pairs of characters, that they must hold to answer it, and to
be told at all."""

COVERED_AND_NEAR = 0.35
"""The share where one of them is near in meaning as well."""
UNSURE = ANSWERED / 2
"""Confidence, at most, where the words are there and no passage is near in meaning."""


def _passages(ask: ExtractFindings, *, confidence: float, near: Near | None) -> Iterator[Finding]:
    """What documents say, each passage whole, best first; near-copies once."""
    known = {(each.evidence[0].document, each.evidence[0].start) for each in ask.known}
    kept: list[Counter[str]] = []
    found = near.found if near else best_stretches(ask)
    cover = _cover(ask, found[:TOLD_TOGETHER])
    is_near = near is not None and near.answers
    enough = COVERED_IN_PAIRS if count_cjk(ask.query) else COVERED_AND_NEAR if is_near else COVERED
    confidence = min(confidence, ANSWERED * cover / enough, 1.0 if near is None or is_near else UNSURE)
    for each in found if cover >= TOUCHED or is_near else ():
        stretch = each.stretch
        if len(kept) == ask.max_findings:
            return
        if (stretch.document, stretch.start) in known or each.own < (CLOSE if kept else CLOSEST):
            continue
        if any(_is_told(stretch.terms, other) for other in kept):
            continue
        kept.append(stretch.terms)
        lead = stretch.lead_in
        yield Finding(
            subtask_id=ask.subtask.subtask_id,
            claim=stretch.text,
            evidence=(evidence_of(stretch.passage, stretch.start, stretch.end),),
            lead_in=evidence_of(stretch.passage, lead.start, lead.end) if lead else None,
            confidence=round(confidence, 4),
            relevance=round(each.score, 6),
            facets=tuple(sorted(set(each.facet.own).intersection(stretch.terms)))[:6],
            is_passage=True,
        )


def _cover(ask: ExtractFindings, found: Sequence[Relevant]) -> float:
    """Share of the weight of a part's words that passages hold together with their headings and titles."""
    question, titles = (
        read_question(ask.query, language=ask.language),
        {each.sha256: each.title for each in ask.documents},
    )
    rarity = Rarity.over(ask.sources)
    asked = {
        term: weight_of(term, question=question, rarity=rarity) for term in query_terms(holding.asked_by(ask, question))
    }
    held = {
        term
        for each in found
        for term in (*each.stretch.terms, *terms(" \n".join((*each.stretch.headings, titles[each.stretch.document]))))
    }
    return sum(weight for term, weight in asked.items() if term in held) / (sum(asked.values()) or 1.0)


def _is_told(own: Counter[str], by: Counter[str]) -> bool:
    """Whether a passage tells next to nothing that the other does not."""
    return (own & by).total() > ALIKE * own.total() and numbers(own) <= numbers(by)


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
