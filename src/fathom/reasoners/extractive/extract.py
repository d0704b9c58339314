"""Findings: the passages that come nearest to a subtask, best first, with their evidence to the letter."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fathom.asks import ExtractFindings
from fathom.evidence import Document
from fathom.findings import DepthEvaluation, Finding, Findings
from fathom.reasoners.extractive.leads import LeadTrail
from fathom.reasoners.extractive.names import Name, kanji_names, missing, names_of
from fathom.reasoners.extractive.order import Near, by_words
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.ranking import evidence_of
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.stretches import Stretch
from fathom.text.analysis import query_terms
from fathom.text.overlap import numbers
from fathom.verification.doubts import negates
from fathom.verification.standing import worth_of

SAME = 0.85
"""Share of the words of both from which two passages say the same."""
WITNESSES = 3
"""Sources that a finding names when pages say the same: who else says so is what a reader of the web must know."""
ALIKE = 0.7
"""Share of the words of a passage from which it is left out when another one has them, and no number of its own."""
MANY, SHORT = 300, 8
"""Passages above which names lead to further searches, and passages of a document, at most, on average."""
NEAREST = 0.3
"""Confidence of a finding that no model has judged: it comes near, and nobody has said that it answers."""
NOTHING = 0.1
"""Likeness below which nothing is near, if no word is shared either."""


def extract_findings(ask: ExtractFindings, near: Sequence[Near] | None = None) -> Findings:
    """What documents and pages say, best first; near-copies once, with the sites that say so too.

    Records of a dataset are read by a rule of their own. `near` is what the passages say in its order, which without a
    model of meaning is that of the words.
    """
    if ask.documents and all(document.kind == "dataset" for document in ask.documents):
        from fathom.reasoners.extractive.data.records import extract_records

        return extract_records(ask)
    pages = {document.sha256 for document in ask.documents if document.kind == "web"}
    strange = _about_others(ask, pages)
    found = [each for each in near or by_words(ask) if each.stretch.document not in strange]
    if not found or (near and found[0].likeness < NOTHING and not any(each.words for each in found)):
        return Findings()
    known = {(each.evidence[0].document, each.evidence[0].start) for each in ask.known}
    documents = {each.sha256: each for each in ask.documents}
    kept: list[list[Near]] = []
    for each in found:
        stretch = each.stretch
        if (stretch.document, stretch.start) in known:
            continue
        told = next((group for group in kept if _is_told(stretch, group[0].stretch)), None)
        if told is None:
            kept += [[each]] if len(kept) < ask.max_findings else []
        elif pages.intersection((stretch.document, told[0].stretch.document)) and _is_witness(stretch, told):
            told.append(each)
    findings = tuple(_finding(ask, group, documents) for group in kept)
    return Findings(findings=findings, evaluation=_leads_on(ask, findings))


def _leads_on(ask: ExtractFindings, findings: Sequence[Finding]) -> DepthEvaluation | None:
    """That the names in what was found are worth a search, with the words of the part that nothing holds: in many short
    documents. In a few, all is compared anyhow; in long ones every second word leads on."""
    at_hand = [source for source in ask.sources if source.kind == "file"]
    passages, documents = sum(each.passages for each in at_hand), sum(each.documents for each in at_hand)
    known = (each for each in ask.known if each.subtask_id == ask.subtask.subtask_id)
    found = sorted((*known, *findings), key=lambda each: -each.relevance)
    if not (MANY < passages <= SHORT * documents) or not found or ask.subtask.depth:
        return None
    titles = {each.sha256: each.title for each in ask.documents}
    searches = tuple(LeadTrail(ask.subtask.description, found, titles=titles, language=ask.language).searches())
    if not searches:
        return None
    reason = "A name in what was found may lead to what it lacks."
    return DepthEvaluation(
        is_sufficient=False, depth_quality="adequate", reasoning=reason, missing=searches, queries=searches
    )


def _about_others(ask: ExtractFindings, pages: Collection[str]) -> set[str]:
    """The pages that hold none of the names that the subtask asks for, those that it is set against not counted: a
    search of the web finds what shares words, not what is meant."""
    text = own_side(ask.subtask.description)
    names = names_of(text)
    names += [name for name in names_of(ask.query) if name.text in text]  # at its beginning any word is capitalised
    names += [Name(name, tuple(query_terms(name))) for name in kanji_names(text)]
    if not names:
        return set()
    shown: dict[str, list[str]] = {each.sha256: [each.title] for each in ask.documents if each.sha256 in pages}
    for passage in ask.passages:
        if passage.document in shown:
            shown[passage.document] += (" ".join(passage.text.split()), *passage.headings)
    return {
        id
        for id, texts in shown.items()
        if len(missing(names, texts=texts, rarity=Rarity({}, passages=0))) == len(names)
    }


def _finding(ask: ExtractFindings, group: Sequence[Near], documents: dict[str, Document]) -> Finding:
    """In the words of the source with the best standing, with those of the others as further evidence.

    A forum that quotes two values would else be the first source of both, and hide that the others disagree.
    """
    standing = sorted(group, key=lambda each: -worth_of(documents[each.stretch.document]))
    stretch = standing[0].stretch
    lead = stretch.lead_in
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=stretch.text,
        evidence=tuple(evidence_of(each.stretch.passage, each.stretch.start, each.stretch.end) for each in standing),
        lead_in=evidence_of(stretch.passage, lead.start, lead.end) if lead else None,
        confidence=NEAREST,
        relevance=round(group[0].score, 6),
        own=round(group[0].words, 6),
        is_passage=True,
    )


def _is_told(one: Stretch, other: Stretch) -> bool:
    """Whether a passage says next to nothing that the other does not, and not its opposite."""
    shared = (one.terms & other.terms).total() > ALIKE * one.terms.total()
    return shared and numbers(one.terms) <= numbers(other.terms) and _negates(one) == _negates(other)


def _negates(stretch: Stretch) -> bool:
    return negates(stretch.text.casefold())


def _is_witness(stretch: Stretch, told: Sequence[Near]) -> bool:
    """Whether another source says the same, and neither says more than the other."""
    mine, theirs = set(stretch.terms), set(told[0].stretch.terms)
    if len(told) == WITNESSES or any(other.stretch.document == stretch.document for other in told):
        return False
    return len(mine & theirs) >= SAME * max(len(mine), len(theirs))
