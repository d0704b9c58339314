"""How deep findings go, whether the plan should change, and which answers are still weak."""

from __future__ import annotations

from collections.abc import Container, Sequence

from fathom.asks import AssessDepth, Reflect, RevisePlan
from fathom.findings import ANSWERED, CONFIDENT, DepthEvaluation, Finding, GapAnalysis, Reflection
from fathom.plan import PlanRevision, Subtask
from fathom.reasoners.extractive.coverage import Grounds
from fathom.reasoners.extractive.data.kinds import is_of_data, is_of_records
from fathom.reasoners.extractive.facets import named_terms
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.strays import is_specific
from fathom.text.analysis import query_terms, terms

ADEQUATE_COVER = 0.5
"""Share of the subtask's terms that the findings must hold."""
DEEP_COVER = 0.75
DEEP_SOURCES = 2
DEEP_SPECIFICS = 6
ADEQUATE_FINDINGS = 2


def assess_depth(ask: AssessDepth) -> DepthEvaluation:
    """By the subtask's terms that the findings hold, their sources, and how specific they are.

    A name that the subtask asks for and no finding holds is missing. Without any finding nothing is missing: the
    sources were asked, and to ask them again in the same words would find the same.
    """
    if not ask.findings:
        return DepthEvaluation(
            is_sufficient=False, depth_quality="superficial", reasoning="Nothing was found that answers it."
        )
    if all(map(is_of_data, ask.findings)):
        return _of_data(ask.findings)
    grounds = Grounds()
    held = frozenset[str]().union(*map(grounds.held_by, ask.findings))
    wanted = query_terms(ask.subtask.description)
    cover = sum(term in held for term in wanted) / len(wanted) if wanted else 1.0
    missing = [name for name, found in named_terms(own_side(ask.subtask.description)) if not held.intersection(found)]
    sources = len({evidence.document for finding in ask.findings for evidence in finding.evidence})
    specific = sum(1 for finding in ask.findings if is_specific(finding.claim))
    told = (
        f"{len(ask.findings)} findings from {sources} sources hold {cover:.0%} of its terms; {specific} are specific."
    )
    if len(ask.findings) < ADEQUATE_FINDINGS or cover < ADEQUATE_COVER or not specific:
        areas = tuple(missing) if len(wanted) > 2 else ()
        return DepthEvaluation(
            is_sufficient=not missing,
            depth_quality="superficial",
            drill_down_needed=bool(areas),
            drill_down_areas=areas,
            missing=tuple(missing),
            reasoning=told,
        )
    deep = cover >= DEEP_COVER and sources >= DEEP_SOURCES and specific >= DEEP_SPECIFICS and not missing
    return DepthEvaluation(
        is_sufficient=not missing,
        depth_quality="deep" if deep else "adequate",
        missing=tuple(missing),
        reasoning=told,
    )


def _of_data(findings: Sequence[Finding]) -> DepthEvaluation:
    """Counts are complete, and the loop over the data has read what there is: more queries would bring no more."""
    records = {evidence.locator for each in findings if is_of_records(each) for evidence in each.evidence}
    counts = {each.evidence[0].document for each in findings if not is_of_records(each)}
    return DepthEvaluation(
        is_sufficient=True,
        depth_quality="deep" if len(counts) >= DEEP_SOURCES else "adequate",
        reasoning=f"{len(findings)} findings rest on {len(counts)} counts and {len(records)} records.",
    )


# ── The plan as a whole ────────────────────────────────────────────────────────────────────────────────────────────

RECURS = 3
"""Findings of a subtask that must lie under a heading for it to be a topic of its own."""


def revise_plan(ask: RevisePlan) -> PlanRevision:
    """Add a subtask only for what the question names, the findings hold again and again, and no subtask covers."""
    covered = {term for subtask in ask.plan.subtasks for term in query_terms(subtask.description)}
    for name, found in named_terms(ask.query):
        if covered.issuperset(found):
            continue
        times = sum(1 for finding in ask.findings if set(found) <= set(terms(finding.claim)))
        if times >= RECURS:
            subtask = Subtask(
                subtask_id=f"task_{len(ask.plan.subtasks) + 1}",
                description=name,
                focus_area=name,
                priority=len(ask.plan.subtasks) + 1,
                estimated_importance=0.8,
            )
            return PlanRevision(
                should_revise=True,
                revision_reasoning=f"'{name}' is in the question, in {times} findings, and in no subtask.",
                trigger_type="new_topic",
                new_subtasks=(subtask,),
                estimated_impact=0.8,
            )
    return PlanRevision(should_revise=False, revision_reasoning="The plan covers all that the question names.")


MATTERS = 0.7
"""Importance from which a subtask that is answered too little is researched again."""


def reflect(ask: Reflect) -> Reflection:
    """Subtasks without findings are asked once more in fewer words; after that they count as not found.

    Where gaps were looked for, what matters and is covered too little is asked for in the words that are missing, until
    the last rounds have found next to nothing.
    """
    answers = {synthesis.subtask_id: synthesis.confidence for synthesis in ask.syntheses if synthesis.findings}
    empty = [subtask for subtask in ask.subtasks if subtask.subtask_id not in answers]
    if max(answers.values(), default=0.0) < ANSWERED:
        return Reflection(
            needs_improvement=False,
            not_found=tuple(subtask.subtask_id for subtask in ask.subtasks),
            reasoning="The sources do not hold it.",
        )
    searches = {subtask.subtask_id: tuple(_relaxed(subtask)) for subtask in empty} if ask.round == 1 else {}
    searches |= {subtask.subtask_id: tuple(_missing(subtask, ask.gaps)) for subtask in _thin(ask, answers)}
    again = {id: texts for id, texts in searches.items() if texts}
    not_found = tuple(subtask.subtask_id for subtask in empty)
    if not again:
        reason = "Asking again found nothing." if empty else "Every subtask has findings."
        return Reflection(needs_improvement=False, not_found=not_found, reasoning=reason)
    thin = sum(id in answers for id in again)
    told = [f"{len(again) - thin} subtasks have no findings."] if len(again) > thin else []
    told += [f"{thin} subtasks are answered too little."] if thin else []
    return Reflection(
        needs_improvement=True,
        weak=tuple(again),
        suggested_searches=again,
        not_found=not_found,
        reasoning=" ".join(told),
    )


def _thin(ask: Reflect, answered: Container[str]) -> list[Subtask]:
    """The subtasks that matter, have findings and are covered too little, worst first; none when looking is in vain."""
    if ask.gaps is None or ask.gaps.recommendation != "CONTINUE_RESEARCH":
        return []
    cover = ask.gaps.coverage_by_question
    thin = [
        subtask
        for subtask in ask.subtasks
        if cover.get(subtask.subtask_id, 1.0) < CONFIDENT
        and subtask.estimated_importance >= MATTERS
        and subtask.subtask_id in answered
    ]
    return sorted(thin, key=lambda subtask: cover[subtask.subtask_id])


def _missing(subtask: Subtask, gaps: GapAnalysis | None) -> list[str]:
    """What the gaps of a subtask suggest to search for, and the plan has not."""
    known = {query.text.casefold() for query in subtask.queries}
    own = [gap for gap in (gaps.gaps if gaps else ()) if gap.question == subtask.subtask_id]
    texts = dict.fromkeys(gap.suggested_params.get("query", "").strip() for gap in own)
    return [text for text in texts if text and text.casefold() not in known]


def _relaxed(subtask: Subtask) -> list[str]:
    """The names alone, then the words without those that every question has."""
    names = " ".join(name for name, _ in named_terms(own_side(subtask.description)))
    words = " ".join(word for word in subtask.focus_area.split() if query_terms(word))
    known = {query.text.casefold() for query in subtask.queries}
    return [text for text in dict.fromkeys((names, words)) if text and text.casefold() not in known]
