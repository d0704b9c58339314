"""The report: what was checked, in the order of its telling, with what a reader must know of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fathom.composing.figures import with_figures
from fathom.composing.limitations import limitations, suggestions
from fathom.composing.numbering import Numbering, Telling, Text
from fathom.composing.research import Outcome, ReportMaterial
from fathom.evidence import Document
from fathom.findings import ANSWERED, Finding, root_of
from fathom.ports import RunRecord
from fathom.render import markdown
from fathom.render.markdown import LookedAt
from fathom.report import (
    AnswerState,
    Claim,
    Doubt,
    FindingEntry,
    FindingFate,
    NotFoundEntry,
    Report,
    SectionRole,
    SubtaskEntry,
    Usage,
)
from fathom.text import typeset
from fathom.text.analysis import identifiers, query_terms
from fathom.text.common import unsaid
from fathom.text.phrases import phrases
from fathom.text.versions import replaced_documents
from fathom.verification.contradictions import outdated
from fathom.verification.disagreement import Pair
from fathom.verification.quality import Quality


def numbered(
    run: RunRecord,
    research: ReportMaterial,
    text: Text,
    pairs: Sequence[Pair],
    quality: Quality,
    *,
    is_written: bool,
) -> Telling:
    """Number the sentences, and what they cite, in the order of the report; `is_written`: by a model."""
    words = phrases(run.language)
    findings = {finding.id: finding for finding in research.findings}
    ids = dict.fromkeys(id for sentence in text.sentences() for id in sentence.findings)
    told = [findings[id] for id in ids if id in findings]
    told_from = {each.document for finding in told for each in finding.evidence}
    older = replaced_documents(research.documents).keys() & told_from
    numbering = Numbering(
        replace(quality, outdated=outdated(pairs, quality)),
        research.results,
        marks=dict.fromkeys(sorted(older), words.older),
    )
    outcome, outcomes = _outcomes(told, research)
    doubts = _doubts(told, pairs, numbering.quality, research)
    subtasks = tuple(_subtask(each, outcomes, doubts, told, research, run.language) for each in research.outcomes)
    body = text.set(numbering, words)
    sections, figures = with_figures(body.sections, numbering, words, language=run.language, beside_tables=is_written)
    limits = body.limits if is_written else None
    return Telling(research, told, numbering, sections, figures, body.contradictions, subtasks, outcome, limits)


def composed(
    run: RunRecord,
    title: str,
    checked: Telling,
    *,
    notes: Iterable[str],
    created_at: str,
    usage: Usage,
) -> Report:
    """The report as it is stored, with `notes` before all that a reader must know of it."""
    research, numbering = checked.research, checked.numbering
    words = phrases(run.language)
    entries = tuple(finding_entries(checked))
    not_found = tuple(_not_found(research, numbering.claims))
    told = {finding.id: finding for finding in checked.told}
    of_data = any(research.documents[each.document].kind == "dataset" for one in told.values() for each in one.evidence)
    by_rule = research.by_models in ("", "nothing") and not of_data
    quoted = len(told) if by_rule and all(claim.verified for claim in numbering.claims) else 0
    report = Report.like(
        research,
        run_id=run.run_id,
        query=run.query,
        language=run.language,
        mode=research.plan.execution_mode,
        created_at=created_at,
        title=title,
        markdown="",
        key_findings=_told_in(checked, "summary"),
        conclusions=_told_in(checked, "conclusion"),
        limitations=(*notes, *limitations(checked, words, is_quoted=bool(quoted))),
        suggestions=tuple(suggestions(research, not_found, run.run_id, words)),
        sections=checked.sections,
        claims=tuple(numbering.claims),
        evidence=tuple(numbering.evidence.values()),
        findings=entries,
        sources=tuple(numbering.sources.values()),  # those of findings that it does not tell, too
        subtasks=checked.subtasks,
        not_found=not_found,
        contradictions=checked.contradictions,
        usage=usage,
        limits=run.limits,
        outcome=checked.outcome,
        quoted=quoted,
        reasoner=run.reasoner,
        figures=checked.figures,
    )
    return report.model_copy(update={"markdown": markdown.write(report, looked_at=_looked_at(research))})


def _outcomes(told: Iterable[Finding], research: ReportMaterial) -> tuple[AnswerState, dict[str, AnswerState]]:
    """What came of the question, and of each of its parts: by the best of what the report tells.

    A part that builds on others stands in what they tell.
    """
    best: dict[str, float] = {}
    for finding in told:
        best[finding.root] = max(best.get(finding.root, 0.0), finding.confidence)
    for outcome in research.outcomes:
        subtask = outcome.subtask
        if subtask.dependencies and best.keys() >= {*subtask.dependencies}:
            best.setdefault(subtask.subtask_id, min(best[id] for id in subtask.dependencies))
    return _state(max(best.values(), default=None)), {root: _state(confidence) for root, confidence in best.items()}


def _state(confidence: float | None) -> AnswerState:
    return "nothing" if confidence is None else "answered" if confidence >= ANSWERED else "closest"


def _doubts(
    told: Sequence[Finding], pairs: Iterable[Pair], quality: Quality, research: ReportMaterial
) -> dict[str, tuple[Doubt, ...]]:
    """Why what is told of each part may not hold.

    Of the parts that tell a side of a disagreement, it is about those whose words it shares most of.
    """
    asked = {each.subtask.subtask_id: query_terms(each.subtask.asked) for each in research.outcomes}
    found: dict[str, tuple[Doubt, ...]] = {}
    for pair in pairs:
        said = {term for side in pair for term in query_terms(side.text)}
        tellers = {each.root for each in told if each.id in {side.finding.id for side in pair}}
        shares = {root: len(said.intersection(asked[root])) for root in tellers}
        found |= {root: ("contradicted",) for root, share in shares.items() if share == max(shares.values())}
    for root in dict.fromkeys(each.root for each in told):
        own = [each for each in told if each.root == root]
        texts = frozenset(evidence.document for each in own for evidence in each.evidence)
        if quality.is_weak(texts):
            texts = texts.union(*(quality.behind(each.claim, texts) for each in own))
            if quality.is_weak(texts):  # nobody else states it either
                found[root] = (*found.get(root, ()), "one_weak_source")
    return found


WHY: dict[FindingFate, str] = {
    "cited": "",
    "merged": "the report says the same from other sentences",
    "left_out": "no sentence of the report cites it",
}
"""What is said of where a finding went."""


def finding_entries(checked: Telling) -> Iterator[FindingEntry]:
    """Every finding of the run, and where it went."""
    numbering = checked.numbering
    claims: dict[str, list[str]] = {}
    for finding in checked.research.findings:
        if finding.id in numbering.citing:
            claims.setdefault(_folded(finding.claim), numbering.citing[finding.id])
    for finding in checked.research.findings:
        cited = numbering.citing.get(finding.id)
        same = numbering.saying.get(finding.id) or claims.get(_folded(finding.claim))
        fate: FindingFate = "cited" if cited else "merged" if same else "left_out"
        yield FindingEntry(
            id=finding.id,
            claim=finding.claim,
            evidence=tuple(numbering.quote(evidence, finding.subtask_id).id for evidence in finding.evidence),
            confidence=finding.confidence,
            subtask_id=finding.subtask_id,
            relevance=round(finding.relevance, 4),
            fate=fate,
            claims=tuple(dict.fromkeys(cited or same or ())),
            why=WHY[fate],
        )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _subtask(
    outcome: Outcome,
    outcomes: Mapping[str, AnswerState],
    doubts: Mapping[str, tuple[Doubt, ...]],
    told: Iterable[Finding],
    research: ReportMaterial,
    language: str,
) -> SubtaskEntry:
    """A subtask, with the names in it that no passage says where passages only come close: what else is not there in
    the same words may be there in others."""
    root = root_of(outcome.subtask.subtask_id)
    state, lost = outcomes.get(root, "nothing"), tuple[str, ...]()
    own = [finding for finding in told if finding.root == root]
    if state == "closest" and outcome.subtask.parent_id is None and all(finding.is_passage for finding in own):
        texts = (_read_with(each, research.documents) for each in own)
        asked = outcome.subtask.asked
        names = {word for name in identifiers(asked) for word in name.split()}
        lost = tuple(word for word in unsaid(asked, texts, language=language) if word in names)
    how = {"status": outcome.status, "evaluation": outcome.evaluation, "outcome": state, "unsaid": lost}
    held_against = doubts.get(outcome.subtask.subtask_id, ())
    return SubtaskEntry.like(outcome.subtask, reason=outcome.why, doubts=held_against, **how)


def _read_with(finding: Finding, documents: Mapping[str, Document]) -> str:
    """What a finding says, with the headings and titles that stand above it."""
    above = (f"{each.locator} {documents[each.document].title} {each.quote}" for each in finding.spans)
    return " \n".join((finding.claim, *above))


def _told_in(checked: Telling, role: SectionRole) -> tuple[str, ...]:
    """The sentences of the section with that role, with their citation marks."""
    ids = {id for section in checked.sections if section.role == role for id in section.told}
    claims = (claim for claim in checked.numbering.claims if claim.id in ids)
    return tuple(" ".join((claim.text, typeset.marks(claim.citations))).rstrip() for claim in claims)


def _not_found(research: ReportMaterial, claims: Iterable[Claim]) -> Iterator[NotFoundEntry]:
    """Root subtasks that were researched to their end without an answer; all of them when the report tells nothing."""
    told = any(True for _ in claims)
    answered = {synthesis.subtask_id for synthesis in research.syntheses if synthesis.findings}
    waiting = {each.subtask.subtask_id: set(each.subtask.dependencies) for each in research.outcomes}
    while stands := {id for id, needed in waiting.items() if needed and needed <= answered} - answered:
        answered |= stands  # all that it builds on is answered: a comparison whose sides are told is not missing
    for outcome in research.outcomes:
        subtask = outcome.subtask
        if outcome.status != "completed" or subtask.parent_id is not None:
            continue
        if not told or (not outcome.findings and subtask.subtask_id not in answered):
            reason = outcome.evaluation.reasoning if outcome.evaluation and not outcome.findings else ""
            yield NotFoundEntry(what=subtask.description, subtask_id=subtask.subtask_id, reason=reason)


def _looked_at(research: ReportMaterial) -> LookedAt:
    """What the sources of texts hold, those that have answered."""
    kinds = {source.kind == "web" for source in research.sources if source.kind != "dataset"}
    if not kinds and research.coverage.datasets:
        return None
    return "both" if len(kinds) > 1 else "web" if True in kinds else "documents"
