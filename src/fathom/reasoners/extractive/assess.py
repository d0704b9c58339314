"""How deep findings go, whether the plan should change, and which answers are still weak."""

from __future__ import annotations

import re

from fathom.asks import AssessDepth, Reflect, RevisePlan
from fathom.findings import DepthEvaluation, Finding, Reflection
from fathom.plan import PlanRevision, Subtask
from fathom.reasoners.extractive import weights
from fathom.reasoners.extractive.cues import CUES
from fathom.reasoners.extractive.facets import named_terms
from fathom.reasoners.extractive.parts import own_side
from fathom.text.analysis import query_terms, terms

ADEQUATE_COVER = 0.5
"""Share of the subtask's terms that the findings must hold."""
DEEP_COVER = 0.75
DEEP_SOURCES = 2
DEEP_SPECIFICS = 6
ADEQUATE_FINDINGS = 2
_SPECIFIC = ("number", "identifier", "condition", "consequence")


def assess_depth(ask: AssessDepth) -> DepthEvaluation:
    """By the subtask's terms that the findings hold, their sources, and how specific they are.

    A name that the subtask asks for and no finding holds is missing. Without any finding nothing is missing: the
    sources were asked, and to ask them again in the same words would find the same.
    """
    if not ask.findings:
        return DepthEvaluation(
            is_sufficient=False, depth_quality="superficial", reasoning="Nothing was found that answers it."
        )
    held = _held(ask.findings)
    wanted = query_terms(ask.subtask.description)
    cover = sum(term in held for term in wanted) / len(wanted) if wanted else 1.0
    missing = [name for name, found in named_terms(own_side(ask.subtask.description)) if not held.intersection(found)]
    sources = len({evidence.document for finding in ask.findings for evidence in finding.evidence})
    specific = sum(1 for finding in ask.findings if _is_specific(finding.claim))
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


def _held(findings: tuple[Finding, ...]) -> set[str]:
    """Every term that a reader meets: in the claims, their lead-ins, and the headings above them."""
    held: set[str] = set()
    for finding in findings:
        held.update(terms(finding.claim))
        for evidence in (*finding.evidence, *((finding.lead_in,) if finding.lead_in else ())):
            held.update(terms(f"{evidence.locator} {evidence.quote}"))
    return held


def _is_specific(claim: str) -> bool:
    return sum(1 for name in _SPECIFIC if CUES[name].search(claim)) >= 2


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


def reflect(ask: Reflect) -> Reflection:
    """Subtasks without findings are asked once more in fewer words; after that they count as not found."""
    answers = {synthesis.subtask_id: synthesis.confidence for synthesis in ask.syntheses if synthesis.findings}
    weak = [subtask for subtask in ask.subtasks if subtask.subtask_id not in answers]
    if max(answers.values(), default=0.0) < weights.TOLD_FROM:
        return Reflection(
            needs_improvement=False,
            not_found=tuple(subtask.subtask_id for subtask in ask.subtasks),
            reasoning="The sources do not hold it.",
        )
    searches = {subtask.subtask_id: tuple(_relaxed(subtask)) for subtask in weak}
    again = [subtask.subtask_id for subtask in weak if searches[subtask.subtask_id]]
    if not weak:
        return Reflection(needs_improvement=False, reasoning="Every subtask has findings.")
    if ask.round > 1 or not again:
        return Reflection(
            needs_improvement=False,
            not_found=tuple(subtask.subtask_id for subtask in weak),
            reasoning="Asking again found nothing.",
        )
    return Reflection(
        needs_improvement=True,
        weak=tuple(again),
        suggested_searches={id: searches[id] for id in again},
        not_found=tuple(subtask.subtask_id for subtask in weak),
        reasoning=f"{len(again)} subtasks have no findings.",
    )


def _relaxed(subtask: Subtask) -> list[str]:
    """The names alone, then the words without those that every question has."""
    names = " ".join(name for name, _ in named_terms(own_side(subtask.description)))
    words = re.sub(r"\s+", " ", " ".join(word for word in subtask.focus_area.split() if query_terms(word)))
    known = {query.text.casefold() for query in subtask.queries}
    return [text for text in dict.fromkeys((names, words)) if text and text.casefold() not in known]
