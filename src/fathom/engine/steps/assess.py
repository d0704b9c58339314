"""Judging how deep the findings go, and opening children for what deserves them."""

from __future__ import annotations

from fathom.asks import AssessDepth
from fathom.engine.approvals import approval
from fathom.engine.branch import Branch
from fathom.engine.context import Context
from fathom.engine.flow import Runtime
from fathom.engine.routing import Route
from fathom.events import Assessed, DrilledDown
from fathom.findings import DepthEvaluation
from fathom.plan import Subtask

MOST_TEXTS, NEAR_TEXT = 3, 1_000
"""Of the best findings what is searched for when somebody asks to go deeper, and characters of each."""
INHERITED_IMPORTANCE = 0.9
"""What a child has of its parent's importance."""


async def judge(context: Context, id: str, path: str) -> DepthEvaluation | None:
    """How deep the subtask's findings go; whoever has read the passages may have judged that already."""
    subtask = context.state.subtasks[id]
    said, subtask.reading.evaluation = subtask.reading.evaluation, None
    evaluation = said or await context.try_ask(
        f"{path}/assess",
        context.about(
            AssessDepth,
            subtask=subtask.planned,
            findings=tuple(subtask.findings.values()),
            max_depth=context.run.limits.max_depth,
        ),
    )
    if evaluation is not None:
        subtask.evaluation = evaluation
        await context.emit(Assessed(subtask_id=id, evaluation=evaluation))
    return evaluation


async def further(context: Context, id: str, path: str, route: Route) -> Route:
    """Where a subtask goes that would be summed up, when somebody wants it looked into further: into its areas, where
    the limits leave a level for them, else another round, which asks what stands near its best findings when nothing is
    known to be missing."""
    subtask, said = context.state.subtasks[id], context.journal.decision(f"deeper/{path}")
    evaluation = subtask.evaluation
    if evaluation is None or (said is None and (context.replay or id not in context.told.deepened)):
        return route
    if said is None:
        has_room = evaluation.drill_down_areas and subtask.planned.depth + 1 < context.run.limits.max_depth
        said = await context.decide(f"deeper/{path}", "drill_down" if has_room else "direct")
    context.told.deepened.discard(id)
    if said == "direct" and not (evaluation.queries or evaluation.missing or evaluation.drill_down_areas):
        best = sorted(subtask.findings.values(), key=lambda finding: -finding.relevance)[:MOST_TEXTS]
        queries = tuple(finding.claim[:NEAR_TEXT] for finding in best)
        subtask.evaluation = evaluation.model_copy(update={"queries": queries})
    return Route("drill_down" if said == "drill_down" else "direct", "it was asked to go deeper here")


async def drill_down(branch: Branch, runtime: Runtime) -> Branch:
    """Open a child for each area that the evaluation names, and wait until all of them have ended.

    Reads `subtask`; writes nothing: what the children found is in the state of the run. `max_subtasks` may allow fewer.
    """
    context, state = runtime.context, runtime.context.state
    parent, evaluation = state.subtasks[branch["subtask"]].planned, state.subtasks[branch["subtask"]].evaluation
    assert evaluation is not None, "an evaluation names the areas"
    named = (area.strip() for area in evaluation.drill_down_areas)
    areas = tuple(dict.fromkeys(filter(None, named)))[: context.run.limits.max_children]
    places = await runtime.subtasks.take_places(parent.subtask_id, len(areas))
    children = tuple(child_of(parent, area, number, evaluation) for number, area in enumerate(areas[:places], start=1))
    if not children:
        return {}
    is_wanted = context.journal.decision(f"deeper/{branch['path']}/r{branch['round']}") is not None
    answer = await approval(
        context,
        f"drilldown_{parent.subtask_id}",
        "drilldown",
        is_begun=is_wanted or any(context.journal.has_researched(f"{child.subtask_id}/") for child in children),
        subtask_id=parent.subtask_id,
        proposed=children,
        reason=evaluation.reasoning,
    )
    if answer is None or answer.decision == "reject":
        return {}
    state.add(children)
    await context.emit(DrilledDown(subtask_id=parent.subtask_id, children=children))
    await runtime.subtasks.research_all(children)
    return {}


def child_of(parent: Subtask, area: str, number: int, evaluation: DepthEvaluation) -> Subtask:
    """The subtask that looks into one area of its parent."""
    lack = "lacks it" if area in evaluation.missing else "does not go into it"
    why = ": ".join(filter(None, (lack, evaluation.reasoning)))
    return Subtask(
        subtask_id=f"{parent.subtask_id}.{number}",
        parent_id=parent.subtask_id,
        depth=parent.depth + 1,
        description=f"{parent.focus_area or parent.description}: {area}",
        focus_area=area,
        priority=number,
        estimated_importance=round(parent.estimated_importance * INHERITED_IMPORTANCE, 4),
        reason=f"{parent.subtask_id} {why}",
    )
