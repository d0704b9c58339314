"""ExtractFindings: one prompt states what the passages say, answers the subtask by it, and judges how deep it goes.

The model cites sentences by number and never quotes: what it cites is mapped back to the exact span of a snapshot.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator

from fathom.asks import ExtractFindings
from fathom.browsing import PageLink
from fathom.evidence import Evidence
from fathom.findings import DepthEvaluation, Finding, Findings, Statement, Synthesis
from fathom.languages.packs import pack
from fathom.reasoners.extractive.ranking import rank
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.judged import JudgedInPlan
from fathom.reasoners.language_model.tasks.parts import FOCUS_LENGTH
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.records import record_drafts
from fathom.reasoners.language_model.tasks.sheet import SNIPPET, Reader, Sheet
from fathom.reasoners.language_model.tasks.sources import has_web
from fathom.reasoners.language_model.tasks.words import (
    Number,
    Points,
    Share,
    fitting,
    line,
    lines,
    picked,
    searches,
    shown_tokens,
)
from fathom.text.analysis import query_terms, terms
from fathom.thread import THREAD
from fathom.verification.doubts import missing

EVIDENCE_TOKENS = 3_200
"""Of the sentences that one ask is shown in a narrow window, in all of its prompts together."""
WIDE_ROOM = 2_000
"""Tokens from which one prompt is enough."""
MOST_PROMPTS = 3
MOST_FINDINGS = 14
"""That one prompt asks for."""
FINDING_TOKENS = 80
"""Of the room, for each finding that is asked for: a small window has little room for the answer, too."""
HITS, HITS_SHARE = 12, 0.1
"""Passages that found no room and are shown as hits once something is missing, at most, and most of the room that they
take."""
LINKS, LINKS_SHARE = 10, 0.12
"""The same of links to other pages."""
LINK_TOKENS = 20
"""Of the tag around one, without what it says."""
KNOWN = 20
"""Findings known before that are shown."""
KNOWN_SHARE = 0.25
"""Most of the room that they take."""
CITED = 8
"""Sentences that a finding may cite."""
CLAIM_LENGTH = 600
"""Characters of a claim; in place of a longer one its sentence is quoted."""


USUAL, ANSWERS = 5.0, 9.0
"""The relevance of a claim of which the model does not say it, and that of what its answer rests on."""


def _opposed(value: object) -> object:
    """A bare pair is taken, too."""
    return {"between": value} if isinstance(value, list) else value


class FoundClaim(Wire):
    """One claim."""

    claim: str = ""
    """In a sentence that stands alone; empty to quote the cited sentence as it is."""
    cites: list[Number]
    """Numbers of the sentences that state it, strongest first."""
    confidence: Share = 0.7
    """0 to 1, given these sentences."""
    relevance: Points = USUAL
    """10: it is the answer; 8: without it the answer misleads (few are); 5: it helps to understand; 2: a detail."""


class AnswerSentence(Wire):
    """A sentence of the answer."""

    text: str
    """Without citation marks."""
    cites: list[Number]
    """Numbers that it rests on."""


class Opposed(Wire):
    """Sentences that cannot both be true."""

    between: list[Number]
    """Numbers of two that cannot both be true."""
    settle: str = ""
    """A search that would settle it; empty if it does not matter to the part."""


class Extracted(Wire, title="ExtractFindings"):
    """What the sentences say."""

    findings: list[FoundClaim]
    """Most important first; none if nothing is relevant."""
    contradictions: list[Annotated[Opposed, BeforeValidator(_opposed)]] = []
    answer: list[AnswerSentence] = []
    """The direct answer to the part in one to three sentences; empty if nothing is relevant."""
    caveats: list[str] = []
    """What a reader must know before relying on it."""
    evaluation: JudgedInPlan


class _Citable(NamedTuple):
    """A sentence, or what was found before, with what it rests on."""

    text: str
    evidence: tuple[Evidence, ...]
    lead_in: Evidence | None
    facets: tuple[str, ...]


@dataclass(frozen=True)
class _Given:
    """What one prompt showed, for reading its answer."""

    ask: ExtractFindings
    sheet: Sheet
    known: Mapping[int, Sequence[Finding]]
    """What was found before, by number; several findings state the same."""
    is_only: bool
    """Whether no other prompt shows more."""
    unread: Sequence[str] = ()
    """Ids of the passages that found no room."""
    opens: Sequence[str] = ()
    """What may be opened, by its number from 1 on: the first of these passages, and then pages by their addresses."""

    @cached_property
    def citable(self) -> Mapping[int, _Citable]:
        """All that has a number."""
        shown = {
            number: _Citable(each.line.text, (each.evidence,), each.lead_in, each.served)
            for number, each in self.sheet.numbered.items()
        }
        for number, found in self.known.items():
            spans = tuple(span for each in found for span in each.evidence)
            shown[number] = _Citable(found[0].claim, spans, found[0].lead_in, found[0].facets)
        return shown


class ExtractFindingsTask(Task[ExtractFindings, Findings]):
    """Shows the sentences that the extractive reasoner finds likeliest, and reads which of them answer."""

    name = "extract_findings"
    answer_tokens = 2_800
    prompt_tokens = 4_250

    def rule(self, ask: ExtractFindings) -> Findings | None:
        """Without passages nothing is found."""
        return None if ask.passages else Findings()

    def drafts(self, ask: ExtractFindings, *, room: int) -> Sequence[Draft[Findings]]:
        """One prompt, or up to three where the window is small, the best sentences first; of records every one."""
        if ask.documents and all(document.kind == "dataset" for document in ask.documents):
            return record_drafts(ask, room=room)
        opened = {id: at for at, id in enumerate(ask.opened)}
        known = _known(ask, room=round(room * KNOWN_SHARE))
        stated = [finding for found in known for finding in found]
        ranking = sorted(rank(ask, stated=stated), key=lambda ranked: opened.get(ranked.passage.id, len(opened)))
        reader = Reader(ask, ranking)
        own = ask.subtask.focus_area or ask.subtask.description
        parts = fitting([line(part, FOCUS_LENGTH) for part in ask.parts if part != own], room // 10)
        missing = lines(ask.missing, most=6, length=CLAIM_LENGTH)
        framed = [ask.subtask.description, *parts, *missing, *(found[0].claim for found in known)]
        evidence = room - sum(map(shown_tokens, framed))
        count = 1 if evidence >= WIDE_ROOM else min(MOST_PROMPTS, math.ceil(EVIDENCE_TOKENS / max(evidence, 1)))
        opens_more = count == 1 and bool(missing or ask.links)
        aside = round(room * HITS_SHARE) if opens_more else 0
        links = _links(ask, room=round(room * LINKS_SHARE)) if opens_more else {}
        evidence -= aside + (round(room * LINKS_SHARE) if links else 0)
        numbered = dict(enumerate(known, start=1))
        sheets = [reader.sheet(room=evidence, first=len(known) + 1)]
        while len(sheets) < count and not reader.is_done:
            sheets.append(reader.sheet(room=evidence, first=len(known) + 1))
        most = min(ask.max_findings, MOST_FINDINGS, max(5, evidence // FINDING_TOKENS))
        unread = reader.unread
        left = tuple(ranked.passage.id for ranked in unread)
        shown = [reader.hit(ranked) for ranked in unread[:HITS]]
        shown = shown[: len(fitting([" ".join(hit.values()) for hit in shown], aside))]
        opens = (*left[: len(shown)], *links)
        drafts = [
            Draft(
                variables={
                    "subtask": ask.subtask,
                    "parts": parts,
                    "known": {number: line(found[0].claim, CLAIM_LENGTH) for number, found in numbered.items()},
                    "documents": sheet.documents,
                    "missing": missing,
                    "hits": [*shown, *links.values()],
                    "has_links": bool(links),
                    "web": has_web(ask.documents),
                    "max_findings": most,
                    "may_deepen": ask.subtask.depth + 1 < ask.max_depth,
                },
                schema=Extracted,
                read=partial(_read, _Given(ask, sheet, numbered, len(sheets) == 1, left, opens)),
            )
            for sheet in sheets
        ]
        return [*drafts[:-1], replace(drafts[-1], left_out=reader.left_out)]

    def combine(self, ask: ExtractFindings, answers: Sequence[Findings]) -> Findings:
        """The findings of all prompts, best first; none of them has seen enough to judge or to sum up."""
        if len(answers) == 1:
            return answers[0]
        found = {finding.id: finding for answer in answers for finding in answer.findings}
        best = sorted(found.values(), key=lambda finding: -finding.relevance)
        return Findings(findings=tuple(best[: ask.max_findings]), unread=answers[-1].unread)


def _links(ask: ExtractFindings, *, room: int) -> dict[str, dict[str, str]]:
    """Links as hits, by their addresses: first those that share most words with the part and with what is missing."""
    wanted = frozenset(query_terms(" ".join((ask.subtask.description, *ask.missing))))

    def shared(link: PageLink) -> int:
        own = wanted.intersection(terms(link.text))
        return len(own) + len(own.union(wanted.intersection(terms(link.beside))))

    hits: dict[str, dict[str, str]] = {}
    for link in sorted(ask.links, key=shared, reverse=True)[:LINKS]:
        place = line(link.url.partition("://")[2], 80)
        hit = {"title": line(link.text, 80), "link": place, "section": line(link.on, 80)}
        hit["snippet"] = line(link.beside, SNIPPET)
        room -= shown_tokens(" ".join(hit.values())) + LINK_TOKENS
        if room >= 0:
            hits[link.url] = hit
    return hits


def _known(ask: ExtractFindings, *, room: int) -> list[list[Finding]]:
    """What was found before, the subtask's own first, then the best of each other one in turn; findings that state the
    same together."""
    turns: Counter[str] = Counter()
    placed: list[tuple[int, Finding]] = []
    for finding in sorted(ask.known, key=lambda finding: -finding.relevance):
        turns[finding.subtask_id] += finding.subtask_id != ask.subtask.subtask_id
        placed.append((turns[finding.subtask_id], finding))
    said: dict[str, list[Finding]] = {}
    for _, finding in sorted(placed, key=itemgetter(0)):
        said.setdefault(finding.claim, []).append(finding)
    return list(said.values())[: len(fitting(list(said)[:KNOWN], room))]


# ── Reading the answer ─────────────────────────────────────────────────────────────────────────────────────────────


def _read(given: _Given, wire: Extracted) -> Read[Findings]:
    ask, citable = given.ask, given.citable
    told: dict[str, Finding] = {}
    # what another run has found is none of this one's findings: an answer that rests on it states it anew
    citing = {at: [*found] for at, found in given.known.items() if found[0].subtask_id != THREAD}
    invented = 0

    def tell(claim: str, cited: Sequence[int], confidence: float, relevance: float) -> Finding:
        made = _finding(ask, claim, [citable[at] for at in cited], confidence, relevance)
        finding = told.setdefault(made.id, made)
        for at in cited:
            if finding not in citing.setdefault(at, []):
                citing[at].append(finding)
        return finding

    def picked_of(cites: Sequence[int]) -> list[int]:
        nonlocal invented
        cited, unknown = picked(cites, {at: at for at in citable})
        invented += unknown
        return cited

    for found in wire.findings:
        cited = picked_of(found.cites)
        claim = plain(found.claim, [citable[at].text for at in cited])
        is_new = not given.known.keys() >= set(cited) or claim not in (citable[at].text for at in cited)
        if claim and cited and is_new:
            tell(claim, cited[:CITED], found.confidence, found.relevance)
        for at in () if claim else cited[:CITED]:
            if at not in given.known:
                tell("", [at], found.confidence, found.relevance)
    for sentence in wire.answer:  # what the answer rests on is a finding, even if the model has not said so
        for at in picked_of(sentence.cites):
            if at not in citing:
                tell("", [at], 0.7, ANSWERS)
    if wire.findings and invented and not told:
        shown = sorted(given.sheet.numbered)
        raise ValueError(f"`cites` must be numbers of the sentences shown: {shown[0]} to {shown[-1]}")

    def side(at: int, other: int) -> Finding:
        """What states the one of two sentences that contradict each other, and not the other one."""
        apart = (finding for finding in citing.get(at, ()) if finding not in citing.get(other, ()))
        return next(apart, None) or tell("", [at], 0.7, USUAL)

    opposed = [
        (side(one, other), side(other, one), each.settle)
        for each in wire.contradictions
        for one, other in _pairs(each.between, citable)
    ]
    best = sorted(told.values(), key=lambda finding: -finding.relevance)[: ask.max_findings]
    findings = Findings(findings=tuple(best), unread=tuple(given.unread))
    if not given.is_only:
        return Read(findings, invented)
    left = told.keys() - {finding.id for finding in best}
    citing = {at: kept for at, of in citing.items() if (kept := [each for each in of if each.id not in left])}
    opposed = [each for each in opposed if each[0].id != each[1].id and left.isdisjoint((each[0].id, each[1].id))]
    more = {
        "evaluation": _unsettled(ask, _evaluation(given, wire, something=bool(citing)), opposed),
        "synthesis": _synthesis(ask, wire, citing, best, [(one.id, other.id) for one, other, _ in opposed]),
    }
    return Read(findings.model_copy(update=more), invented)


def _pairs(between: Sequence[int], citable: Collection[int]) -> list[tuple[int, int]]:
    """Which of the numbers contradict each other: the first of several and each of the others."""
    known = [at for at in dict.fromkeys(between) if at in citable]
    return [(known[0], other) for other in known[1:]]


def _finding(
    ask: ExtractFindings, claim: str, cited: Sequence[_Citable], confidence: float, relevance: float
) -> Finding:
    """The claim on its evidence; without one that can be told, the evidence in its own words."""
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=claim if claim and len(claim) <= CLAIM_LENGTH else cited[0].text,
        evidence=tuple({span.id: span for each in cited for span in each.evidence}.values()),
        lead_in=cited[0].lead_in,
        confidence=round(confidence, 4),
        relevance=round(relevance / 10, 4),
        facets=cited[0].facets,
    )


def _evaluation(given: _Given, wire: Extracted, *, something: bool) -> DepthEvaluation:
    """The model's verdict, and what it opens; where nothing is found, nothing is sufficient."""
    evaluation = wire.evaluation.evaluation(changes_plan=wire.evaluation.changes_plan)
    opens, _ = picked(wire.evaluation.open, dict(enumerate(given.opens, start=1)))
    if not evaluation.is_sufficient:
        evaluation = evaluation.model_copy(update={"openings": tuple(opens)})
    if something:
        return evaluation
    return evaluation.model_copy(update={"is_sufficient": False, "depth_quality": "superficial"})


def _unsettled(
    ask: ExtractFindings, evaluation: DepthEvaluation, opposed: Sequence[tuple[Finding, Finding, str]]
) -> DepthEvaluation:
    """The verdict where findings contradict each other on what the part asks: it is not sufficient before somebody has
    looked for what settles it, once."""
    told = pack(ask.language).says("judgement")["contradiction"]
    texts = {
        line(told.format(one=one.claim, other=other.claim), CLAIM_LENGTH): wanted[0]
        for one, other, settle in opposed
        if (wanted := searches([settle], most=1))
    }
    texts = {text: query for text, query in texts.items() if text not in ask.missing}
    if not texts:
        return evaluation
    return evaluation.model_copy(
        update={
            "is_sufficient": False,
            "depth_quality": "adequate" if evaluation.depth_quality == "deep" else evaluation.depth_quality,
            "missing": (*texts, *evaluation.missing),
            "queries": tuple(searches([*texts.values(), *evaluation.queries], most=4)),
        }
    )


def _synthesis(
    ask: ExtractFindings,
    wire: Extracted,
    citing: Mapping[int, Sequence[Finding]],
    best: Sequence[Finding],
    pairs: Sequence[tuple[str, str]],
) -> Synthesis | None:
    """The answer, each sentence on all that states it; `None` when no sentence rests on anything."""
    statements = []
    for sentence in wire.answer:
        found = {finding.id: finding for at in sentence.cites for finding in citing.get(at, ())}
        if (text := plain(sentence.text, [finding.claim for finding in found.values()])) and found:
            statements.append(Statement(text=text, findings=tuple(found)))
    if not statements:
        return None
    known = {finding.id: finding for found in citing.values() for finding in found}
    rests_on = list(dict.fromkeys(id for statement in statements for id in statement.findings))
    others = [finding.id for finding in best if finding.id not in rests_on]
    claims = [text for finding in known.values() for text in finding.held]
    caveats = lines((plain(caveat, claims) for caveat in wire.caveats), most=3, length=300)
    return Synthesis(
        subtask_id=ask.subtask.subtask_id,
        text=" ".join(statement.text for statement in statements),
        findings=(*rests_on, *others),
        confidence=round(sum(known[id].confidence for id in rests_on) / len(rests_on), 4),
        contradictions=tuple(dict.fromkeys(pairs)),
        caveats=tuple(caveat for caveat in caveats if not missing(caveat, claims)),  # they stand without a citation
        statements=tuple(statements),
    )
