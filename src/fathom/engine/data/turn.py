"""A turn of research on one dataset: what its planner directs, what is done, and what is taken down of it."""

from __future__ import annotations

import json
import math
from typing import Any, cast

from fathom.asks import DirectDataset
from fathom.data.fields import DataTool
from fathom.data.profile import besides_of
from fathom.data.snapshots import one_line
from fathom.data.turns import SubAgentCall
from fathom.engine.agents import agent_lines, agent_named
from fathom.engine.context import Context
from fathom.engine.data.accumulate import take, told
from fathom.engine.data.desk import Bench, Desk, TurnOutcome
from fathom.engine.data.directing import NOT_YET, directed, without_planner
from fathom.engine.data.ending import ending
from fathom.errors import LimitReached
from fathom.events import DatasetEnded, TurnDirected
from fathom.findings import Validation
from fathom.outcomes import together
from fathom.plan import Allocation
from fathom.ports.source import CountingSource

MOST_SHOWN = 100
"""Characters of a call in the account of what was done."""
REVISE = "synthesizer: the validation asks for more first; see its issues"
MOST_ERRORS = 10
"""Errors that the planner is told of a turn."""


def begin(context: Context, id: str, asked: Allocation, path: str) -> Desk:
    """The desk of the subtask for a dataset, as the last round has left it, ready for another one."""
    board, name = context.board, asked.source
    if (id, name) not in board.desks:
        data = cast(CountingSource, context.sources[name])
        board.desks[id, name] = Desk(context, subtask=board.subtasks[id], data=data, dataset=board.datasets[name])
    desk = board.desks[id, name]
    desk.begin(board.subtasks[id].model_copy(update={"queries": tuple(asked.queries)}), f"{path}/data/{name}")
    return desk


async def direct(desk: Desk) -> None:
    """Ask the planner what this turn does; a limit of the run is taken down, so that what is known is handed on."""
    context = desk.context
    desk.stand_still()
    try:
        turn = await desk.bench(f"t{desk.turn + 1}/direct").ask(
            context.about(
                DirectDataset,
                subtask=desk.subtask,
                dataset=desk.dataset,
                agents=agent_lines(),
                state=desk.state,
                results=tuple(desk.results.values()),
                findings=desk.seen,
                today=context.run.created_at[:10],
            )
        )
    except LimitReached as stop:
        desk.stopped = stop.reason
        return
    if turn is None:
        desk.planner_failed = True
        desk.directed = without_planner(desk)
        reason = "the planner failed: a first page is read" if desk.directed.agents else "the planner failed"
    else:
        desk.promised = desk.promised or turn.promises_scan
        desk.caveats = tuple(dict.fromkeys((*desk.caveats, *turn.caveats)))
        desk.directed = directed(desk, turn)
        reason = turn.reasoning
    await context.emit(
        TurnDirected(
            subtask_id=desk.subtask.subtask_id,
            dataset=desk.dataset.name,
            turn=desk.turns + 1,
            agents=tuple(call.agent for call in (*desk.directed.agents, *desk.directed.last)),
            tools=tuple(tool.name for tool, _ in desk.directed.tools),
            reason=reason,
            warning=desk.state.warning,
        )
    )


async def act(desk: Desk) -> None:
    """Run sub-agents and tools side by side; those that read records one after the other, so that each is read once.

    Writes `Desk.outcomes`, in the order of the turn. A limit is taken down and not raised: it must not cut off what
    runs beside it.
    """
    turn, agents = desk.turn + 1, desk.directed.agents
    outcomes: dict[str, TurnOutcome] = {}

    async def run_all(placed: list[tuple[str, SubAgentCall]]) -> None:
        for place, call in placed:
            outcomes[place] = await _run(call, desk.bench(place))

    async def use(place: str, tool: DataTool, arguments: dict[str, Any]) -> None:
        outcomes[place] = await _use(tool, arguments, desk.bench(place))

    numbers = [sum(each.agent == call.agent for each in agents[:at]) for at, call in enumerate(agents)]
    placed = [(f"t{turn}/{call.agent}/{number}", call) for call, number in zip(agents, numbers, strict=True)]
    tools = {f"t{turn}/tool/{number}": given for number, given in enumerate(desk.directed.tools)}
    readers = [each for each in placed if agent_named(each[1].agent).reads]
    others = [[each] for each in placed if each not in readers]
    await together(*map(run_all, [readers, *others]), *(use(place, *given) for place, given in tools.items()))
    desk.outcomes = [outcomes[place] for place in (*(place for place, _ in placed), *tools)]


async def accumulate(desk: Desk) -> None:
    """Put all that came on the desk and decide whether another turn follows (`Desk.ended`).

    A synthesizer that was called beside others sums up what they have brought.
    """
    turn = desk.turn + 1
    for outcome in desk.outcomes:
        await take(desk, outcome)
    errors = [*desk.directed.errors, *(error for outcome in desk.outcomes for error in outcome.bench.errors)]
    desk.errors = tuple(dict.fromkeys(errors))[:MOST_ERRORS]
    desk.empty = desk.empty + 1 if desk.directed.is_empty and not desk.planner_failed else 0
    if not desk.stopped or desk.outcomes:
        desk.turn += 1
        desk.turns += 1
    desk.done.append(f"turn {desk.turn}: {'; '.join(map(told, desk.outcomes)) or 'nothing that could be done'}")
    for call in desk.directed.last:
        if desk.stopped:
            break
        if desk.progress.owes_a_scan:
            desk.errors += (NOT_YET,)
            continue
        if await _is_to_be_revised(desk, f"{desk.path}/t{turn}"):
            desk.revised, desk.errors = True, (*desk.errors, REVISE)
            continue
        outcome = await _run(call, desk.bench(f"t{turn}/{call.agent}/0"))
        await take(desk, outcome)
        desk.errors += tuple(outcome.bench.errors)
    desk.ended = ending(desk.progress)
    if desk.ended:
        reason = desk.ended.reason
        if desk.shelf.left_over:
            reason += f"; {desk.shelf.left_over} less relevant findings are not kept"
        await desk.context.emit(
            DatasetEnded(
                subtask_id=desk.subtask.subtask_id,
                dataset=desk.dataset.name,
                turns=desk.turn,
                reason=reason,
                findings=desk.shelf.found,
            )
        )


async def _is_to_be_revised(desk: Desk, path: str) -> bool:
    """Whether a validator of this turn asks for more, and a model has another turn to see what; once for a dataset."""
    context, outputs = desk.context, [each.output for each in desk.outcomes]
    wanted = any(isinstance(each, Validation) and each.status == "NEEDS_REVISION" for each in outputs)
    if not (wanted and context.reasoner.metered) or desk.revised or desk.turn >= context.run.limits.max_turns:
        return False
    is_begun = context.journal.last_of(f"{path}/synthesizer/") < math.inf
    return await context.does(f"{path}/revise", is_begun=is_begun)


async def _run(call: SubAgentCall, bench: Bench) -> TurnOutcome:
    output = None
    if not bench.desk.stopped:
        try:
            output = await agent_named(call.agent).run(bench, call)
        except LimitReached as stop:
            bench.stopped = stop.reason
    return TurnOutcome(_shown(call.agent, call.model_dump(exclude={"agent"}, exclude_defaults=True)), bench, "", output)


async def _use(tool: DataTool, arguments: dict[str, Any], bench: Bench) -> TurnOutcome:
    bench.besides = besides_of(tool, arguments)
    try:
        answer = await bench.call(tool, arguments)
        if answer is not None:
            bench.answers.append(answer)
            await bench.tell(tool, answer)
    except LimitReached as stop:
        bench.stopped = stop.reason
    return TurnOutcome(_shown(tool.name, arguments), bench, tool.name, None)


def _shown(name: str, arguments: dict[str, Any]) -> str:
    """A call in a few words."""
    text = one_line(json.dumps(arguments, ensure_ascii=False, default=str)) if arguments else ""
    return f"{name} {text[:MOST_SHOWN]}".rstrip()
