"""The graph of research on one dataset: direct → agents ∥ tools → accumulate → check → direct again, or the end."""

from __future__ import annotations

import json
from typing import Any

from fathom.asks import DirectDataset
from fathom.data.profile import besides_of
from fathom.data.snapshots import one_line
from fathom.data.turns import SubAgentCall
from fathom.engine.agents import agent_lines, agent_named
from fathom.engine.data import accumulate as accumulating
from fathom.engine.data.desk import Bench, Desk, Directed, Outcome
from fathom.engine.data.directing import directed, without_planner
from fathom.engine.data.ending import ending, may_synthesize
from fathom.engine.data.state import DataBranch, summary_of
from fathom.engine.flow import DONE, Flow, Runtime
from fathom.errors import LimitReached
from fathom.events import TurnDirected
from fathom.outcomes import together

MOST_SHOWN = 100
"""Characters of a call in the account of what was done."""


def _desk(state: DataBranch, runtime: Runtime) -> Desk:
    return runtime.context.board.desks[state["subtask"], state["dataset"]]


async def direct(state: DataBranch, runtime: Runtime) -> DataBranch:
    """Ask the planner what this turn does. Writes `agents`, `tools`."""
    desk, context = _desk(state, runtime), runtime.context
    desk.state, desk.seen = summary_of(desk), desk.shelf.findings
    desk.results_before, desk.batches_before = tuple(desk.results.values()), tuple(desk.new_findings)
    desk.of_agents, desk.of_tools, desk.directed = [], [], Directed()
    bench = desk.bench(f"t{desk.turn + 1}/direct")
    try:
        turn = await bench.ask(
            DirectDataset(
                query=context.run.query,
                language=context.run.language,
                subtask=desk.subtask,
                dataset=desk.dataset,
                agents=agent_lines(),
                state=desk.state,
                results=desk.results_before,
                findings=desk.seen,
                today=context.run.created_at[:10],
            )
        )
    except LimitReached as stop:
        desk.stopped = stop.reason
        return {"agents": (), "tools": ()}
    if turn is None:
        desk.planner_failed = True
        desk.directed = without_planner(desk)
        reason = "the planner failed: a first page is read" if desk.directed.agents else "the planner failed"
    else:
        desk.promised = desk.promised or turn.promises_scan
        desk.caveats = tuple(dict.fromkeys((*desk.caveats, *turn.caveats)))
        desk.directed = directed(desk, turn)
        reason = turn.reasoning
    agents = tuple(call.agent for call in desk.directed.agents)
    agents += ("synthesizer",) if desk.directed.synthesizer else ()
    tools = tuple(tool.name for tool, _ in desk.directed.tools)
    await context.emit(
        TurnDirected(
            subtask_id=desk.subtask.subtask_id,
            dataset=desk.dataset.name,
            turn=desk.turns + 1,
            agents=agents,
            tools=tools,
            reason=reason,
            warning=desk.state.warning,
        )
    )
    return {"agents": agents, "tools": tools}


async def agents(state: DataBranch, runtime: Runtime) -> DataBranch:
    """Run the sub-agents side by side; those that read records one after the other, so that each is read once.

    A limit is taken down and not raised: it must not cut off the tools that run beside them.
    """
    desk = _desk(state, runtime)
    placed: list[tuple[SubAgentCall, Bench]] = []
    for call in desk.directed.agents:
        number = sum(each.agent == call.agent for each, _ in placed)
        placed.append((call, desk.bench(f"t{desk.turn + 1}/{call.agent}/{number}")))
    readers = [each for each in placed if agent_named(each[0].agent).reads]
    others = [[each] for each in placed if each not in readers]

    async def in_turn(calls: list[tuple[SubAgentCall, Bench]]) -> list[Outcome]:
        return [await _run(*each) for each in calls]

    came = await together(*map(in_turn, [readers, *others]))
    by_bench = {id(outcome.bench): outcome for outcomes in came for outcome in outcomes}
    desk.of_agents = [by_bench[id(bench)] for _, bench in placed]
    return {}


async def _run(call: SubAgentCall, bench: Bench) -> Outcome:
    output = None
    if not bench.desk.stopped:
        try:
            output = await agent_named(call.agent).run(bench, call)
        except LimitReached as stop:
            bench.stopped = stop.reason
    return Outcome(_shown(call.agent, call.model_dump(exclude={"agent"}, exclude_defaults=True)), bench, "", output)


async def tools(state: DataBranch, runtime: Runtime) -> DataBranch:
    """Call the tools side by side."""
    desk = _desk(state, runtime)

    async def one(number: int) -> Outcome:
        tool, arguments = desk.directed.tools[number]
        bench = desk.bench(f"t{desk.turn + 1}/tool/{number}")
        bench.besides = besides_of(tool, arguments)
        try:
            answer = await bench.call(tool, arguments)
            if answer is not None:
                bench.answers.append(answer)
                await bench.tell(tool, answer)
        except LimitReached as stop:
            bench.stopped = stop.reason
        return Outcome(_shown(tool.name, arguments), bench, tool.name, None)

    desk.of_tools = await together(*map(one, range(len(desk.directed.tools))))
    return {}


async def accumulate(state: DataBranch, runtime: Runtime) -> DataBranch:
    """Put all that came on the desk; a synthesizer that was called beside others sums up what they have brought."""
    desk = _desk(state, runtime)
    call, turn = desk.directed.synthesizer, desk.turn + 1
    await accumulating.accumulate(desk)
    if call is not None and not desk.stopped:
        if may_synthesize(desk.progress):
            outcome = await _run(call, desk.bench(f"t{turn}/synthesizer/0"))
            await accumulating.take(desk, outcome)
            desk.errors += tuple(outcome.bench.errors)
        else:
            desk.errors += ("synthesizer: the promised scan is not complete; scan on first",)
    return {"turn": desk.turn}


async def check(state: DataBranch, runtime: Runtime) -> DataBranch:
    """Decide whether another turn follows. Writes `next`."""
    desk = _desk(state, runtime)
    desk.ended = ending(desk.progress)
    return {"next": "end" if desk.ended else "direct"}


def where_to(state: DataBranch) -> str:
    """Where `check` has decided to go."""
    return state["next"]


DATASET = Flow(
    "dataset",
    DataBranch,
    ((direct,), (agents, tools), (accumulate,), (check,)),
    {"check": (where_to, ("direct", DONE))},
)
"""Never checkpointed: the journal answers what was asked before."""


def _shown(name: str, arguments: dict[str, Any]) -> str:
    """A call in a few words."""
    text = one_line(json.dumps(arguments, ensure_ascii=False, default=str)) if arguments else ""
    return f"{name} {text[:MOST_SHOWN]}".rstrip()
