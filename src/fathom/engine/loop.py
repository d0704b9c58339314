"""The loop that every subtask walks: direct → act → accumulate → assess → direct again, drill down, or synthesize.

A round asks all sources at once. What can be searched has answered after one turn; a dataset is asked turn by turn, for
what to ask next depends on what came: as long as a planner has more to do, `assess` goes back to `direct` for it alone.
How deep the findings go is judged when all of them have ended, and may open another round.
"""

from __future__ import annotations

from fathom.engine.branch import RECALL, Branch, Step
from fathom.engine.data import turn
from fathom.engine.data.outcome import hand_on
from fathom.engine.flow import DONE, Flow, Runtime
from fathom.engine.routing import Route, after_assess, after_recall, may_drill_down, without_news
from fathom.engine.state import Round
from fathom.engine.steps.assess import drill_down, further, judge
from fathom.engine.steps.extract import read
from fathom.engine.steps.gather import allocate, lay_out, lies_elsewhere, recall, recalled, search
from fathom.engine.steps.synthesize import synthesize_subtask
from fathom.events import Routed
from fathom.outcomes import together


async def direct(branch: Branch, runtime: Runtime) -> Branch:
    """What does this turn do? A new round divides its queries among the sources; each planner then directs a turn.

    Reads `subtask`, `path`, `round`, `searches`; writes nothing: the round is in the state of the run.
    """
    context, id = runtime.context, branch["subtask"]
    subtask = context.state.subtasks[id]
    now = subtask.round
    if now is None or not now.open:
        allocations = await (recalled if branch["round"] == RECALL else allocate)(context, branch)
        can = {source.name: source.can for source in context.state.material.described("")}
        of_data = [each for each in allocations if "scan" in can[each.source]]
        searched = [each for each in allocations if each not in of_data]
        datasets = [turn.begin(context, id, each, place_of(branch)) for each in of_data]
        now = subtask.round = Round(allocations, searched, datasets)
        subtask.reading.refined |= branch["round"] > 0
    await together(*(turn.direct(context, dataset) for dataset in now.open))
    return {}


async def act(branch: Branch, runtime: Runtime) -> Branch:
    """Do all of it side by side: searches and what they open, sub-agents, tools. Reads `subtask`, `path`, `round`."""
    context, now = runtime.context, _round(branch, runtime)
    ask = recall if branch["round"] == RECALL else search
    searches = [ask(context, branch["subtask"], now, place_of(branch))] if now.at_hand is None else []
    await together(*searches, *(turn.act(context, dataset) for dataset in now.open))
    return {}


async def accumulate(branch: Branch, runtime: Runtime) -> Branch:
    """Take down what came, in the order in which it was directed, whoever was first.

    Passages are read when the last planner has ended, with all that is known by then. Reads `subtask`, `look`, `path`,
    `round`.
    """
    context, id, now = runtime.context, branch["subtask"], _round(branch, runtime)
    await together(*(turn.accumulate(context, dataset) for dataset in now.open))
    if not now.open:
        of_datasets = await hand_on(context, now.datasets)
        passages = await lay_out(context, id, now)
        stage = (branch["look"], context.state.subtasks[id].planned.depth + branch["round"])
        now.news = await read(context, id, place_of(branch), passages, stage=stage, of_datasets=of_datasets)
    return {}


async def assess(branch: Branch, runtime: Runtime) -> Branch:
    """Where to? Back for the planners that have more to do; else as routing has it (see `fathom.engine.routing`).

    Reads `subtask`, `path`, `round`, `searches`; writes `round`, `next`.
    """
    context, id, round = runtime.context, branch["subtask"], branch["round"]
    now, again = _round(branch, runtime), branch["searches"] is not None
    if now.open:
        return {"next": "direct"}
    route = without_news(now.news, round=round, again=again)
    if route and route.step == "synthesize" and context.reasoner.metered:
        subtask, verdict = context.state.subtasks[id].planned, context.state.verdict(id)
        if verdict and verdict.drill_down_needed and may_drill_down(verdict, subtask, context.run.limits):
            route = Route("drill_down", "the refinement brought nothing new, and the subtask is important")
    if round == RECALL:
        context.state.subtasks[id].broken = ""  # the sources may make up for it
    if round == RECALL and route is None:
        evaluation = await judge(context, id, place_of(branch))
        elsewhere = not context.reasoner.metered and await lies_elsewhere(context, id, place_of(branch))
        findings = context.state.subtasks[id].findings.values()
        route = after_recall(evaluation, findings, elsewhere=elsewhere)
    elif route is None:
        evaluation = await judge(context, id, place_of(branch))
        subtask, limits = context.state.subtasks[id].planned, context.run.limits
        metered = context.reasoner.metered
        route = after_assess(evaluation, subtask, limits, refinements=round, again=again, metered=metered)
    if route.step == "synthesize" and not again:
        route = await further(context, id, place_of(branch), route)
    await context.emit(Routed(subtask_id=id, decision=route.told, reason=route.reason))
    return {"round": round + (route.step == "direct"), "next": route.step}


async def synthesize(branch: Branch, runtime: Runtime) -> Branch:
    """Answer the subtask. Reads `subtask`, `path`; writes nothing: the synthesis goes into the state of the run."""
    await synthesize_subtask(runtime.context, branch["subtask"], branch["path"])
    return {}


def place_of(branch: Branch) -> str:
    """Where in the run a round is: `task_1/r0`."""
    return f"{branch['path']}/{'recall' if branch['round'] == RECALL else 'r' + str(branch['round'])}"


def _round(branch: Branch, runtime: Runtime) -> Round:
    now = runtime.context.state.subtasks[branch["subtask"]].round
    assert now is not None, "a round is directed first"
    return now


def where_to(branch: Branch) -> Step:
    """Where `assess` has decided to go."""
    return branch["next"]


LOOP = Flow(
    "subtask",
    Branch,
    (direct, act, accumulate, assess, drill_down, synthesize),
    {"assess": (where_to, ("direct", "drill_down", "synthesize", DONE))},
)
"""Never checkpointed: the journal answers what was asked before."""
