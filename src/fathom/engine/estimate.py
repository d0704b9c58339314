"""What a run is expected to take, made from its plan."""

from __future__ import annotations

from fathom.limits import Limits
from fathom.plan import MasterPlan
from fathom.report import Estimate


def estimate(plan: MasterPlan, limits: Limits, *, sources: int) -> Estimate:
    """Calls of a run: at best, and when every limit is used up.

    A subtask takes an allocation, the searches, an extraction and an assessment per round, and one synthesis; the run
    takes a description and a preview per source, the plan, reviews of it, reflections, the outline and the sections.
    """
    planned = plan.subtasks[: limits.max_subtasks]
    start = 2 * sources + 1
    report = 3 + len(planned)  # outline, summary, conclusion, and a section per subtask

    low = start + report
    for subtask in planned:
        searches = min(len(subtask.queries), limits.max_queries) if subtask.queries else 1
        low += (not subtask.queries) + searches * min(sources, 1) + 3

    per_round = 3 + sources * limits.max_queries
    grows = limits.max_depth > 1 or (plan.execution_mode == "hierarchical" and limits.max_revisions > 0)
    subtasks = limits.max_subtasks if grows else len(planned)
    rounds = limits.max_refinements + 1 + limits.max_reflections
    reviews = 0 if plan.execution_mode == "simple" or not limits.max_revisions else subtasks
    # a drilled-down subtask may fill a section with several sub-sections
    high = start + subtasks * (rounds * per_round + 1 + limits.max_reflections) + reviews
    high += limits.max_reflections + 3 + 2 * subtasks
    if limits.max_calls is not None:
        high = min(high, limits.max_calls + 3 + 3 * subtasks)
    return Estimate(calls_low=min(low, high), calls_high=high)
