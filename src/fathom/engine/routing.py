"""Where a subtask goes next: pure functions on typed verdicts. No text is ever searched for a word to decide it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, assert_never

from fathom.engine.branch import RECALL, Step
from fathom.findings import ANSWERED, DepthEvaluation, Finding
from fathom.limits import Limits
from fathom.plan import Subtask

HELD = 0.5
"""Share of the words of a question from which a passage of the thread is taken to hold the answer."""

Ended = Literal["completed", "partial", "failed", "skipped"]


class Route(NamedTuple):
    """A decision and its reason."""

    step: Step
    reason: str

    @property
    def told(self) -> str:
        """The step as events name it: another round begins with the allocation of its queries."""
        return "allocate" if self.step == "direct" else self.step


def without_news(news: int, *, round: int, again: bool) -> Route | None:
    """A round that brought nothing new ends the search: more of it would bring no more. `None` when it is to be judged.

    `again` says that reflection researches the subtask a second time.
    """
    if round == RECALL and not news:
        return Route("direct", "what the thread has read says nothing on it: the sources are asked")
    if news or (round == 0 and not again):
        return None
    if again and round == 0:
        return Route("end", "the suggested searches brought nothing new")
    return Route("synthesize", "the refinement brought nothing new")


def after_recall(evaluation: DepthEvaluation | None, findings: Iterable[Finding], *, elsewhere: bool) -> Route:
    """Done when what the thread has read answers; else the sources are asked what it was asked.

    `elsewhere` says that they hold a document which the thread has not read and which is more to the point.
    """
    answers = any(each.confidence >= ANSWERED or (each.is_passage and each.own >= HELD) for each in findings)
    if answers and evaluation is not None and evaluation.is_sufficient and not elsewhere:
        return Route("synthesize", "what the thread has read answers it")
    return Route("direct", "what the thread has read does not answer it: the sources are asked")


def after_assess(
    evaluation: DepthEvaluation | None,
    subtask: Subtask,
    limits: Limits,
    *,
    refinements: int,
    again: bool,
    metered: bool = False,
) -> Route:
    """Another round, deeper, or done. A spent limit always ends in `synthesize`.

    With a model (`metered`), whose areas are mostly what another search would bring, a subtask is drilled into only
    once a refinement has not been enough.
    """
    if evaluation is None:
        return Route("synthesize", "the depth could not be assessed")
    if evaluation.is_sufficient:
        return Route("synthesize", "the findings are sufficient")
    if again:
        return Route("synthesize", "it was researched a second time")
    refine = Route("direct", f"refinement {refinements + 1}: something is missing")
    lacks = evaluation.missing or evaluation.openings or (metered and evaluation.drill_down_areas)
    may_refine = bool(lacks) and refinements < limits.max_refinements
    deepens = evaluation.drill_down_needed and may_drill_down(evaluation, subtask, limits)
    deepens = deepens and not (metered and may_refine and not refinements)
    match evaluation.depth_quality:
        case "deep":
            return Route("synthesize", "the findings are deep")
        case "adequate" if deepens:
            return Route("drill_down", "an open point deserves subtasks of its own")
        case "superficial" if deepens:
            return Route("drill_down", "the findings are superficial and the subtask is important")
        case "adequate" | "superficial":
            return refine if may_refine else Route("synthesize", _why_no_more(evaluation, limits))
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
