"""Where a subtask goes next: pure functions on typed verdicts. No text is ever searched for a word to decide it."""

from __future__ import annotations

from typing import Literal, NamedTuple, assert_never

from fathom.findings import DepthEvaluation
from fathom.limits import Limits
from fathom.plan import Subtask

Ended = Literal["completed", "partial", "failed", "skipped"]


class AfterExtract(NamedTuple):
    """A decision and its reason."""

    step: Literal["assess", "synthesize", "end"]
    reason: str


class AfterAssess(NamedTuple):
    """A decision and its reason."""

    step: Literal["allocate", "drill_down", "synthesize"]
    reason: str


def after_extract(*, news: int, round: int, again: bool) -> AfterExtract:
    """Assess what is new. A round that brought nothing new ends the search: more of it would bring no more.

    `again` says that reflection researches the subtask a second time.
    """
    if news or (round == 0 and not again):
        return AfterExtract("assess", f"{news} new findings to assess")
    if again and round == 0:
        return AfterExtract("end", "the suggested searches brought nothing new")
    return AfterExtract("synthesize", "the refinement brought nothing new")


def after_assess(
    evaluation: DepthEvaluation | None, subtask: Subtask, limits: Limits, *, refinements: int, again: bool
) -> AfterAssess:
    """Another round, deeper, or done. A spent limit always ends in `synthesize`."""
    if evaluation is None:
        return AfterAssess("synthesize", "the depth could not be assessed")
    if evaluation.is_sufficient:
        return AfterAssess("synthesize", "the findings are sufficient")
    if again:
        return AfterAssess("synthesize", "it was researched a second time")
    refine = AfterAssess("allocate", f"refinement {refinements + 1}: something is missing")
    may_refine = bool(evaluation.missing or evaluation.openings) and refinements < limits.max_refinements
    match evaluation.depth_quality:
        case "deep":
            return AfterAssess("synthesize", "the findings are deep")
        case "adequate" if evaluation.drill_down_needed and may_drill_down(evaluation, subtask, limits):
            return AfterAssess("drill_down", "an open point deserves subtasks of its own")
        case "superficial" if evaluation.drill_down_needed and may_drill_down(evaluation, subtask, limits):
            return AfterAssess("drill_down", "the findings are superficial and the subtask is important")
        case "adequate" | "superficial":
            return refine if may_refine else AfterAssess("synthesize", _why_no_more(evaluation, limits))
        case quality:
            assert_never(quality)


def may_drill_down(evaluation: DepthEvaluation, subtask: Subtask, limits: Limits) -> bool:
    """Whether there is an area to go into, a level below, and importance enough."""
    return (
        bool(evaluation.drill_down_areas)
        and subtask.depth + 1 < limits.max_depth
        and subtask.estimated_importance >= limits.drill_down_importance
    )


def _why_no_more(evaluation: DepthEvaluation, limits: Limits) -> str:
    if not (evaluation.missing or evaluation.openings):
        return "the evaluation names nothing that is missing"
    return (
        f"all {limits.max_refinements} refinements are spent" if limits.max_refinements else "no refinement is allowed"
    )


def ending(*, findings: int, broken: str, started: bool, stopped: str) -> tuple[Ended, str]:
    """How a subtask ends and why, from what it found, what broke, and whether the run stopped before its end."""
    if stopped:
        return ("partial" if started else "skipped"), stopped
    if broken:
        return ("partial" if findings else "failed"), broken
    return "completed", ""
