"""Findings: the passages that answer a subtask, scored, with their evidence to the letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain

from fathom.asks import ExtractFindings
from fathom.evidence import Document
from fathom.findings import ANSWERED, DepthEvaluation, Finding, Findings
from fathom.languages.wanted import Wanted, holds, wanted_of
from fathom.reasoners.extractive.facets import apart, is_lead, weight_of
from fathom.reasoners.extractive.leads import LeadTrail
from fathom.reasoners.extractive.names import Name, compounds_of, kanji_names, missing, names_of
from fathom.reasoners.extractive.nearness import Near
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.question import own_words, read_question
from fathom.reasoners.extractive.ranking import evidence_of
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.relevance import Relevant, best_stretches
from fathom.reasoners.extractive.stretches import Stretch, narrowed, singled_out, tightened
from fathom.text.analysis import query_terms, terms
from fathom.text.characters import count_cjk
from fathom.text.compounding import parts_in, with_parts
from fathom.text.overlap import numbers
from fathom.verification.doubts import negates
from fathom.verification.standing import worth_of

SAME = 0.85
"""Share of the words of both from which two passages say the same."""
WITNESSES = 3
"""Sources that a finding names when pages say the same: who else says so is what a reader of the web must know."""

ALIKE = 0.7
"""Share of the words of a passage from which it is left out when another one tells them, and no number of its own."""
IN_A_ROW = 0.4
"""Share of the words of a part that a row of a table must hold, with its head and headings, to be told by itself."""
CLOSE = 0.1
"""Share of the words of a part, by rarity, that a passage must hold to bear on it."""
PAGE = 300
"""Words of the longest document of which everything bears on a part that one of its passages answers best, as the
section of that passage does."""
MANY, SHORT = 300, 8
"""Passages above which names lead to further searches, and passages of a document, at most, on average."""
LONG, MOST, TELLS = 25, 0.6, 0.3
"""Words of the shortest passage of which a sentence is set in bold, its share of these at most, and how much it must
hold of what the words of the part say."""
COVERED, COVERED_IN_PAIRS, TOUCHED = 0.5, 0.25, 0.06
"""The share of a part's words, or pairs of characters, that the best passage must hold to answer it, and that one must
hold to be told. Two hold as much by chance: of the unanswerable ones that were called answered half were so."""
ALONG = 0.8
"""What the words count there, at most, that a part only carries along, as a share of what its own do: what another part
is about does not answer this one."""
COVERED_AND_NEAR = 0.45
"""The share where one is near in meaning as well."""
UNSURE = ANSWERED / 2
"""Confidence, at most, where the words are there and no passage is near in meaning, or what is named is nowhere."""


def extract_findings(ask: ExtractFindings, near: Near | None = None) -> Findings:
    """What documents and pages say, each passage whole, best first; near-copies once, with the sites that say so too.

    Records of a dataset are read by a rule of their own.
    """
    if ask.documents and all(document.kind == "dataset" for document in ask.documents):
        from fathom.reasoners.extractive.data.records import extract_records

        return extract_records(ask)
    pages = {document.sha256 for document in ask.documents if document.kind == "web"}
    strange = _about_others(ask, pages)
    found = [each for each in (near.found if near else best_stretches(ask)) if each.stretch.document not in strange]
    rarity = Rarity.over(ask.sources)
    cover = _cover(ask, found[:1], rarity)
    is_near = near is not None and near.answers
    if cover < TOUCHED and not is_near and not ask.missing and _cover(ask, found, rarity) < TOUCHED:
        return Findings()
    enough = COVERED_IN_PAIRS if count_cjk(ask.query) else COVERED_AND_NEAR if is_near else COVERED
    is_sure = (near is None or is_near) and not _lacks_names(ask, rarity)
    confidence = min(ANSWERED * cover / enough, 1.0 if is_sure else UNSURE)
    first, section = (found[0].stretch.document, found[0].stretch.headings) if found else ("", ())
    page = sum(each.stretch.words for each in found if each.stretch.document == first)
    known = {(each.evidence[0].document, each.evidence[0].start) for each in ask.known}
    if is_lead(ask.subtask, ask.query):  # which tells in its own place what another part may have found
        known = set()
    documents = {each.sha256: each for each in ask.documents}
    kept: list[list[Relevant]] = []
    for each in found:
        each = _cut_to(each, documents[each.stretch.document])
        stretch = each.stretch
        if stretch.document == first and (page <= PAGE or (section and stretch.headings == section)):
            each = replace(each, own=1.0)
        if (stretch.document, stretch.start) in known or each.own < CLOSE:
            continue
        told = next((group for group in kept if _is_told(stretch, group[0].stretch)), None)
        if told is None:
            kept += [[each]] if len(kept) < ask.max_findings else []
        elif pages.intersection((stretch.document, told[0].stretch.document)) and _is_witness(stretch, told):
            told.append(each)
    findings = tuple(_finding(ask, group, confidence=round(confidence, 4)) for group in kept)
    return Findings(findings=findings, evaluation=_leads_on(ask, findings))


def _leads_on(ask: ExtractFindings, findings: Sequence[Finding]) -> DepthEvaluation | None:
    """That the names in what was found are worth a search, with the words of the part that nothing holds: in many short
    documents. In a few, all that is near is looked at (see `pointers`); in long ones every second word leads on."""
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
    told = "A name in what was found may lead to what it lacks."
    return DepthEvaluation(
        is_sufficient=False, depth_quality="adequate", reasoning=told, missing=searches, queries=searches
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


def _cut_to(relevant: Relevant, document: Document) -> Relevant:
    """The one row of a long table that alone holds what it is told for, the one item of a list of many matters, and of
    a long paragraph what tells most."""
    asked = {term: relevant.facet.weights[term] for term in relevant.facet.own}
    row = narrowed(relevant.stretch, asked, markup=document.markup)
    held = {*row.terms, *terms(" ".join(row.headings))}
    told = sum(weight for term, weight in asked.items() if term in held)
    stretch = row if told >= IN_A_ROW * sum(asked.values()) else relevant.stretch
    return replace(relevant, stretch=tightened(singled_out(stretch, asked, title=document.title), asked))


def _finding(ask: ExtractFindings, group: Sequence[Relevant], *, confidence: float) -> Finding:
    """In the words of the source with the best standing, with those of the others as further evidence.

    A forum that quotes two values would else be the first source of both, and hide that the others disagree.
    """
    documents = {document.sha256: document for document in ask.documents}
    standing = sorted(group, key=lambda each: -worth_of(documents[each.stretch.document]))
    best, stretch = standing[0], standing[0].stretch
    lead = stretch.lead_in
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=stretch.text,
        evidence=tuple(evidence_of(each.stretch.passage, each.stretch.start, each.stretch.end) for each in standing),
        lead_in=evidence_of(stretch.passage, lead.start, lead.end) if lead else None,
        confidence=confidence,
        relevance=round(group[0].score, 6),
        facets=() if best.facet.is_carried else tuple(sorted(set(best.facet.own).intersection(stretch.terms)))[:6],
        telling=_telling(best, wanted_of(ask.subtask.description)) if confidence >= ANSWERED else "",
        is_passage=True,
        own=round(group[0].own, 6),
    )


def _telling(relevant: Relevant, wanted: Collection[Wanted]) -> str:
    """The sentence or item of a passage that tells most of what is asked, where it stands out of a longer one: one with
    an hour, an amount or an address, where that is what is wanted."""
    lines = [line for line in relevant.stretch.lines if line.form in ("paragraph", "item")]
    if relevant.stretch.words < LONG or len(lines) < 2 or relevant.facet.is_carried:
        return ""
    asked = {term: relevant.facet.weights[term] for term in relevant.facet.own}
    found = [frozenset(terms(line.text)) for line in lines]
    fits = [not wanted or any(holds(kind, line.text) for kind in wanted) for line in lines]
    held = [sum(asked[term] for term in asked if term in own) * fit for own, fit in zip(found, fits, strict=True)]
    best = max(range(len(lines)), key=lambda at: (held[at], -lines[at].words))
    stands_out = lines[best].words <= MOST * relevant.stretch.words and held[best] >= TELLS * sum(asked.values())
    return lines[best].text if stands_out and held[best] else ""


def _words_of(ask: ExtractFindings) -> str:
    question = read_question(ask.query, language=ask.language)
    return " ".join(own_words(query.text, question) for query in ask.subtask.queries) or ask.subtask.description


def _cover(ask: ExtractFindings, found: Sequence[Relevant], rarity: Rarity) -> float:
    """Share of the weight of a part's words that passages hold together with their headings and titles."""
    question = read_question(ask.query, language=ask.language)
    titles = {each.sha256: each.title for each in ask.documents}
    asked = {term: weight_of(term, question=question, rarity=rarity) for term in query_terms(_words_of(ask))}
    others = {text for clause in question.clauses for text in (clause.text, clause.respect)}
    searches = [apart(each.text, question) for each in ask.subtask.queries]
    along = set(query_terms(" ".join(topic for _, topic in searches if topic in others))) & asked.keys()
    along -= set(query_terms(" ".join(own for own, topic in searches if topic in others)))
    share = ALONG * sum(asked[term] for term in asked.keys() - along) / (sum(asked[term] for term in along) or 1.0)
    asked |= {term: min(share or 1.0, 1.0) * asked[term] for term in along}
    texts = [each.stretch.terms for each in found]
    texts += [Counter(terms(" \n".join((*each.stretch.headings, titles[each.stretch.document])))) for each in found]
    held = with_parts(Counter(chain.from_iterable(texts)), parts_in(asked, language=ask.language))
    return sum(weight for term, weight in asked.items() if term in held) / (sum(asked.values()) or 1.0)


def _lacks_names(ask: ExtractFindings, rarity: Rarity) -> bool:
    """Whether nothing holds what is named: one thing that can only be a name, or all that a part names or writes as one
    compound, or the question where the part does neither. What another part alone names is its own matter."""
    question = read_question(ask.query, language=ask.language)
    own = _words_of(ask)
    asked = " ".join(query.text for query in ask.subtask.queries) or own
    others = " ".join(clause.text for clause in question.clauses if clause.text not in asked)
    everywhere = [name for name in names_of(question.text) if name.text in own or name.text not in others]
    near = names_of(own) or compounds_of(own) or everywhere
    shown = [" ".join((*each.headings, " ".join(each.text.split()))) for each in ask.passages]
    shown += [document.title for document in ask.documents]
    lost = missing([*everywhere, *near], texts=shown, rarity=rarity)
    return any(name.is_sure for name in lost) or (bool(near) and all(name in lost for name in near))


def _is_told(one: Stretch, other: Stretch) -> bool:
    """Whether a passage tells next to nothing that the other does not, and not its opposite."""
    shared = (one.terms & other.terms).total() > ALIKE * one.terms.total()
    return shared and numbers(one.terms) <= numbers(other.terms) and _negates(one) == _negates(other)


def _negates(stretch: Stretch) -> bool:
    return negates(stretch.text.casefold())


def _is_witness(stretch: Stretch, told: Sequence[Relevant]) -> bool:
    """Whether another source says the same, and neither says more than the other."""
    mine, theirs = set(stretch.terms), set(told[0].stretch.terms)
    if len(told) == WITNESSES or any(other.stretch.document == stretch.document for other in told):
        return False
    return len(mine & theirs) >= SAME * max(len(mine), len(theirs))
