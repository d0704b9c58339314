"""ExtractFindings: one prompt states what the passages say, answers the subtask by it, and judges how deep it goes.

The model cites sentences by number and never quotes: what it cites is mapped back to the exact span of a snapshot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fathom.asks import ExtractFindings
from fathom.browsing import PageLink
from fathom.findings import DepthEvaluation, Finding, Findings, Statement, Synthesis
from fathom.reasoners.extractive.ranking import Ranked, rank
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.judged import JudgedInPlan
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
    shown_tokens,
)
from fathom.text.analysis import query_terms, terms
from fathom.verification.doubts import missing

EVIDENCE_TOKENS = 3_200
"""Of the sentences that one ask is shown in a narrow window, in all of its prompts together."""
WIDE_ROOM = 2_000
"""Tokens from which one prompt is enough."""
MOST_PROMPTS = 3
MOST_FINDINGS = 40
"""That one prompt asks for."""
FINDING_TOKENS = 80
"""Of the room, for each finding that is asked for: a small window has little room for the answer, too."""
HITS, HITS_SHARE = 12, 0.08
"""Passages that found no room and are shown as hits, at most, and most of the room that they take."""
LINKS, LINKS_SHARE = 10, 0.12
"""The same of links to other pages."""
LINK_TOKENS = 20
"""Of the tag around one, without what it says."""
KNOWN = 20
"""Findings known before that are shown."""
KNOWN_SHARE = 0.25
"""Most of the room that they take."""
CITED = 4
"""Sentences that a finding may cite."""
CLAIM_LENGTH = 600
"""Characters of a claim; in place of a longer one its sentence is quoted."""


USUAL, ANSWERS = 5.0, 9.0
"""The relevance of a claim of which the model does not say it, and that of what its answer rests on."""


class FoundClaim(Wire):
    """One claim."""

    claim: str = ""
    """The claim in a sentence that stands alone; empty to quote the cited sentence as it is."""
    cites: list[Number]
    """Numbers of the sentences that state it, strongest first."""
    confidence: Share = 0.7
    """0 to 1: how likely it is true, given these sentences."""
    relevance: Points = USUAL
    """0 to 10: how directly it answers the part."""


class AnswerSentence(Wire):
    """A sentence of the answer."""

    text: str
    """The sentence, without citation marks."""
    cites: list[Number]
    """Numbers of the sentences that it rests on."""


class Extracted(Wire, title="ExtractFindings"):
    """What the sentences say."""

    findings: list[FoundClaim]
    """Most important first; none if nothing is relevant."""
    contradictions: list[list[Number]] = []
    """Pairs of numbers of sentences that cannot both be true."""
    answer: list[AnswerSentence] = []
    """The direct answer to the part in one to three sentences; empty if nothing is relevant."""
    caveats: list[str] = []
    """What a reader must know before relying on it."""
    evaluation: JudgedInPlan


@dataclass(frozen=True)
class _Given:
    """What one prompt showed, for reading its answer."""

    ask: ExtractFindings
    sheet: Sheet
    known: Mapping[int, Finding]
    is_only: bool
    """Whether no other prompt shows more."""
    unread: Sequence[str] = ()
    """Ids of the passages that found no room."""
    opens: Sequence[str] = ()
    """What may be opened, by its number from 1 on: the first of these passages, and then pages by their addresses."""


class ExtractFindingsTask(Task[ExtractFindings, Findings]):
    """Shows the sentences that the extractive reasoner finds likeliest, and reads which of them answer."""

    name = "extract_findings"
    answer_tokens = 2_800
    prompt_tokens = 4_600

    def rule(self, ask: ExtractFindings) -> Findings | None:
        """Without passages nothing is found."""
        return None if ask.passages else Findings()

    def drafts(self, ask: ExtractFindings, *, room: int) -> Sequence[Draft[Findings]]:
        """One prompt, or up to three where the window is small, the best sentences first; of records every one."""
        if ask.documents and all(document.kind == "dataset" for document in ask.documents):
            return record_drafts(ask, room=room)
        opened = {id: at for at, id in enumerate(ask.opened)}
        ranking = sorted(rank(ask), key=lambda ranked: opened.get(ranked.passage.id, len(opened)))
        reader = Reader(ask, ranking)
        known = _known(ask, room=round(room * KNOWN_SHARE))
        parts = fitting([line(part, 120) for part in ask.parts if part != ask.subtask.description], room // 10)
        missing = lines(ask.missing, most=6)
        framed = [ask.subtask.description, *parts, *missing, *(finding.claim for finding in known)]
        evidence = room - sum(map(shown_tokens, framed))
        count = 1 if evidence >= WIDE_ROOM else min(MOST_PROMPTS, math.ceil(EVIDENCE_TOKENS / max(evidence, 1)))
        aside = round(room * HITS_SHARE) if count == 1 else 0
        links = _links(ask, room=round(room * LINKS_SHARE)) if count == 1 else {}
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
                    "known": {number: line(finding.claim, CLAIM_LENGTH) for number, finding in numbered.items()},
                    "excerpts": sheet.excerpts,
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
        hit = {"title": line(link.text, 80), "section": line(link.on, 80), "date": "", "link": place}
        hit["snippet"] = line(link.beside, SNIPPET)
        room -= shown_tokens(" ".join(hit.values())) + LINK_TOKENS
        if room >= 0:
            hits[link.url] = hit
    return hits


def _known(ask: ExtractFindings, *, room: int) -> list[Finding]:
    """The subtask's own findings first, then by relevance; none that says what another one says."""
    own = ask.subtask.subtask_id
    best = sorted(ask.known, key=lambda finding: (finding.subtask_id != own, -finding.relevance))
    said: dict[str, Finding] = {}
    for finding in best:
        said.setdefault(finding.claim, finding)
    best = list(said.values())[:KNOWN]
    return best[: len(fitting([finding.claim for finding in best], room))]


# ── Reading the answer ─────────────────────────────────────────────────────────────────────────────────────────────


def _read(given: _Given, wire: Extracted) -> Read[Findings]:
    ask = given.ask
    told: dict[str, Finding] = {}
    citing: dict[int, list[Finding]] = {number: [finding] for number, finding in given.known.items()}
    invented = 0

    def tell(claim: str, cited: Sequence[int], confidence: float, relevance: float) -> None:
        finding = _finding(ask, claim, [given.sheet.numbered[at] for at in cited], confidence, relevance)
        if len(told) < ask.max_findings or finding.id in told:
            told[finding.id] = finding
            for at in cited:
                citing.setdefault(at, []).append(finding)

    for found in wire.findings:
        cited, unknown = _numbers(given, found.cites)
        invented += unknown
        claim = plain(found.claim, [given.sheet.numbered[at].line.text for at in cited])
        if claim and cited:
            tell(claim, cited[:CITED], found.confidence, found.relevance)
        for at in () if claim else cited[:CITED]:
            tell("", [at], found.confidence, found.relevance)
    for sentence in wire.answer:  # what the answer rests on is a finding, even if the model has not said so
        cited, unknown = _numbers(given, sentence.cites)
        invented += unknown
        for at in cited:
            if at not in citing:
                tell("", [at], 0.7, ANSWERS)
    if wire.findings and invented and not told:
        shown = sorted(given.sheet.numbered)
        raise ValueError(f"`cites` must be numbers of the sentences shown: {shown[0]} to {shown[-1]}")
    best = sorted(told.values(), key=lambda finding: -finding.relevance)
    if not given.is_only:
        return Read(Findings(findings=tuple(best), unread=tuple(given.unread)), invented)
    return Read(
        Findings(
            findings=tuple(best),
            unread=tuple(given.unread),
            evaluation=_evaluation(given, wire, something=bool(citing)),
            synthesis=_synthesis(ask, wire, citing, best),
        ),
        invented,
    )


def _numbers(given: _Given, cites: Sequence[int]) -> tuple[list[int], int]:
    """The sentences that are cited, and how many numbers were never given; a known finding is no sentence."""
    return picked((at for at in cites if at not in given.known), {at: at for at in given.sheet.numbered})


def _finding(ask: ExtractFindings, claim: str, cited: Sequence[Ranked], confidence: float, relevance: float) -> Finding:
    """The claim on its evidence; without one that can be told, the evidence in its own words."""
    best = max(cited, key=lambda ranked: ranked.score)
    lead_in = cited[0].lead_in
    quotes = [ranked.line.text for ranked in cited]
    return Finding(
        subtask_id=ask.subtask.subtask_id,
        claim=claim if claim and len(claim) <= CLAIM_LENGTH else quotes[0],
        evidence=tuple(ranked.evidence for ranked in cited),
        lead_in=lead_in,
        confidence=round(confidence, 4),
        relevance=round(relevance / 10, 4),
        facets=best.served,
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


def _synthesis(
    ask: ExtractFindings, wire: Extracted, citing: Mapping[int, Sequence[Finding]], best: Sequence[Finding]
) -> Synthesis | None:
    """The answer, each sentence on the findings that state it; `None` when no sentence rests on any."""
    statements = []
    for sentence in wire.answer:
        held = [finding.claim for at in sentence.cites for finding in citing.get(at, ())]
        findings = dict.fromkeys(citing[at][0].id for at in sentence.cites if citing.get(at))
        if (text := plain(sentence.text, held)) and findings:
            statements.append(Statement(text=text, findings=tuple(findings)))
    if not statements:
        return None
    known = {finding.id: finding for found in citing.values() for finding in found}
    rests_on = list(dict.fromkeys(id for statement in statements for id in statement.findings))
    others = [finding.id for finding in best if finding.id not in rests_on]
    pairs = [tuple(citing[at][0].id for at in pair) for pair in wire.contradictions if all(map(citing.get, pair))]
    claims = [text for finding in known.values() for text in finding.held]
    caveats = lines((plain(caveat, claims) for caveat in wire.caveats), most=3, length=300)
    return Synthesis(
        subtask_id=ask.subtask.subtask_id,
        text=" ".join(statement.text for statement in statements),
        findings=(*rests_on, *others),
        confidence=round(sum(known[id].confidence for id in rests_on) / len(rests_on), 4),
        contradictions=tuple((pair[0], pair[1]) for pair in pairs if len(pair) == 2 and pair[0] != pair[1]),
        caveats=tuple(caveat for caveat in caveats if not missing(caveat, claims)),  # they stand without a citation
        statements=tuple(statements),
    )
