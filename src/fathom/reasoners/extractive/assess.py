"""How deep findings go, whether the plan should change, and which answers are still weak: without a model no rule can
tell, so that what was found first is all that is looked for."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.asks import AnalyzeGaps, AssessDepth, Reflect, RevisePlan, ValidateFindings
from fathom.findings import DepthEvaluation, Finding, Reflection
from fathom.plan import PlanRevision
from fathom.reasoners.extractive.data.kinds import is_of_data, is_of_records
from fathom.reasoners.extractive.gaps import analyze_gaps
from fathom.reasoners.extractive.validate import validate_findings

DEEP_SOURCES = 2
"""Counts that make an answer of data deep."""


def assess_depth(ask: AssessDepth) -> DepthEvaluation:
    """Nothing is asked again: in other words of the question the same comes."""
    if ask.findings and all(map(is_of_data, ask.findings)):
        return _of_data(ask.findings)
    if ask.findings or len(ask.subtask.dependencies) > 1:  # whose sides are looked for by the parts that it builds on
        return DepthEvaluation(
            is_sufficient=True, depth_quality="adequate", reasoning="What is nearest was found.", changes_plan=False
        )
    reason = "Nothing was found that is near."
    return DepthEvaluation(is_sufficient=False, depth_quality="superficial", reasoning=reason, changes_plan=False)


def _of_data(findings: Sequence[Finding]) -> DepthEvaluation:
    """Counts are complete, and the loop over the data has read what there is: more queries would bring no more."""
    records = {evidence.locator for each in findings if is_of_records(each) for evidence in each.evidence}
    counts = {each.evidence[0].document for each in findings if not is_of_records(each)}
    return DepthEvaluation(
        is_sufficient=True,
        depth_quality="deep" if len(counts) >= DEEP_SOURCES else "adequate",
        reasoning=f"{len(findings)} findings rest on {len(counts)} counts and {len(records)} records.",
    )


def revise_plan(_: RevisePlan) -> PlanRevision:
    """Every clause of the question is in the plan from the beginning."""
    return PlanRevision(should_revise=False, revision_reasoning="The plan holds all that the question asks.")


def reflect(ask: Reflect) -> Reflection:
    """Subtasks without findings are not in the sources; nothing is asked again."""
    found = {synthesis.subtask_id for synthesis in ask.syntheses if synthesis.findings}
    empty = tuple(each.subtask_id for each in ask.subtasks if each.subtask_id not in found)
    told = f"Not in the sources: {len(empty)} of {len(ask.subtasks)} subtasks." if empty else ""
    return Reflection(
        needs_improvement=False,
        not_found=empty,
        reasoning=told or "Every subtask has findings.",
        validation=validate_findings(ValidateFindings.like(ask)) if ask.validates else None,
        gaps=analyze_gaps(AnalyzeGaps.like(ask)) if ask.validates else None,
    )
