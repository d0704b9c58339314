"""A turn of research on one dataset: what its planner directs, what is done, and what is taken down of it."""

from __future__ import annotations

import json
from typing import Any, cast

from fathom.asks import DirectDataset
from fathom.data.fields import DataTool
from fathom.data.profile import besides_of
from fathom.data.snapshots import one_line
from fathom.data.sources import as_source
from fathom.data.turns import SubAgentCall
from fathom.engine.agents import agent_lines, agent_named
from fathom.engine.context import Context
from fathom.engine.data.accumulate import take, told
from fathom.engine.data.agent import AgentContext
from fathom.engine.data.directing import NOT_YET, directed, without_planner
from fathom.engine.data.ending import ending
from fathom.engine.data.findings import DatasetFindings
from fathom.engine.data.state import CallOutcome, DatasetRound, DatasetState, Records
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


def begin(context: Context, id: str, asked: Allocation, path: str) -> DatasetState:
    """What is known of a dataset in the subtask, as the last round has left it, ready for another one."""
    subtask, name = context.state.subtasks[id], asked.source
    if name not in subtask.datasets:
        description, limits = context.state.material.datasets[name], context.run.limits
        records = Records(most=limits.max_records, total=description.total)
        subtask.datasets[name] = DatasetState(
            subtask.planned,
            data=cast(CountingSource, context.sources[name]),
            description=description,
            source=as_source(description, context.run.query),
            language=context.run.language,
            limits=limits,
            records=records,
            findings=DatasetFindings(records.met, most=limits.max_findings),
        )
    dataset = subtask.datasets[name]
    dataset.subtask = subtask.planned.model_copy(update={"queries": tuple(asked.queries)})
    dataset.round = DatasetRound(f"{path}/data/{name}")
    return dataset


def _agent(context: Context, dataset: DatasetState, place: str) -> AgentContext:
    """For one call at a place of the round, as `t1/tool/0`."""
    return AgentContext(context, dataset, f"{dataset.round.path}/{place}")


async def direct(context: Context, dataset: DatasetState) -> None:
    """Ask the planner what this turn does; a limit of the run is taken down, so that what is known is handed on."""
    dataset.begin_turn()
    try:
        turn = await _agent(context, dataset, f"t{dataset.round.turns + 1}/direct").ask(
            context.about(
                DirectDataset,
                subtask=dataset.subtask,
                dataset=dataset.description,
                agents=agent_lines(),
                state=dataset.turn.state,
                results=tuple(dataset.results.values()),
                findings=dataset.turn.findings,
                today=context.run.created_at[:10],
            )
        )
    except LimitReached as stop:
        dataset.round.stopped = stop.reason
        return
    if turn is None:
        dataset.round.planner_failed = True
        dataset.turn.directed = without_planner(dataset)
        reason = "the planner failed: a first page is read" if dataset.turn.directed.agents else "the planner failed"
    else:
        dataset.notes.promised = dataset.notes.promised or turn.promises_scan
        dataset.notes.caveats = tuple(dict.fromkeys((*dataset.notes.caveats, *turn.caveats)))
        dataset.turn.directed = directed(dataset, turn)
        reason = turn.reasoning
    await context.emit(
        TurnDirected(
            subtask_id=dataset.subtask.subtask_id,
            dataset=dataset.description.name,
            turn=dataset.notes.turns + 1,
            agents=tuple(call.agent for call in (*dataset.turn.directed.agents, *dataset.turn.directed.last)),
            tools=tuple(tool.name for tool, _ in dataset.turn.directed.tools),
            reason=reason,
            warning=dataset.turn.state.warning,
        )
    )


async def act(context: Context, dataset: DatasetState) -> None:
    """Run sub-agents and tools side by side; those that read records one after the other, so that each is read once.

    Writes the outcomes of the turn, in its order. A limit is taken down and not raised: it must not cut off what
    runs beside it.
    """
    turn, agents = dataset.round.turns + 1, dataset.turn.directed.agents
    outcomes: dict[str, CallOutcome] = {}

    async def run_all(placed: list[tuple[str, SubAgentCall]]) -> None:
        for place, call in placed:
            outcomes[place] = await _run(call, _agent(context, dataset, place))

    async def use(place: str, tool: DataTool, arguments: dict[str, Any]) -> None:
        outcomes[place] = await _use(tool, arguments, _agent(context, dataset, place))

    numbers = [sum(each.agent == call.agent for each in agents[:at]) for at, call in enumerate(agents)]
    placed = [(f"t{turn}/{call.agent}/{number}", call) for call, number in zip(agents, numbers, strict=True)]
    tools = {f"t{turn}/tool/{number}": given for number, given in enumerate(dataset.turn.directed.tools)}
    readers = [each for each in placed if agent_named(each[1].agent).reads]
    others = [[each] for each in placed if each not in readers]
    await together(*map(run_all, [readers, *others]), *(use(place, *given) for place, given in tools.items()))
    dataset.turn.outcomes = [outcomes[place] for place in (*(place for place, _ in placed), *tools)]


async def accumulate(context: Context, dataset: DatasetState) -> None:
    """Take down all that came and decide whether another turn follows (`DatasetRound.ended`).

    A synthesizer that was called beside others sums up what they have brought.
    """
    round, notes, directed, outcomes = dataset.round, dataset.notes, dataset.turn.directed, dataset.turn.outcomes
    turn = round.turns + 1
    for outcome in outcomes:
        await take(context, dataset, outcome)
    errors = [*directed.errors, *(error for outcome in outcomes for error in outcome.errors)]
    notes.errors = tuple(dict.fromkeys(errors))[:MOST_ERRORS]
    round.empty = round.empty + 1 if directed.is_empty and not round.planner_failed else 0
    if not round.stopped or outcomes:
        round.turns += 1
        notes.turns += 1
    notes.done.append(f"turn {round.turns}: {'; '.join(map(told, outcomes)) or 'nothing that could be done'}")
    for call in directed.last:
        if round.stopped:
            break
        if dataset.progress.owes_a_scan:
            notes.errors += (NOT_YET,)
            continue
        if _is_to_be_revised(context, dataset):
            notes.revised, notes.errors = True, (*notes.errors, REVISE)
            continue
        outcome = await _run(call, _agent(context, dataset, f"t{turn}/{call.agent}/0"))
        await take(context, dataset, outcome)
        notes.errors += tuple(outcome.errors)
    round.ended = ending(dataset.progress)
    if round.ended:
        reason = round.ended.reason
        if dataset.findings.left_over:
            reason += f"; {dataset.findings.left_over} less relevant findings are not kept"
        await context.emit(
            DatasetEnded(
                subtask_id=dataset.subtask.subtask_id,
                dataset=dataset.description.name,
                turns=round.turns,
                reason=reason,
                findings=dataset.findings.found,
            )
        )


def _is_to_be_revised(context: Context, dataset: DatasetState) -> bool:
    """Whether a validator of this turn asks for more, and a model has another turn to see what; once for a dataset."""
    outputs = [each.output for each in dataset.turn.outcomes]
    wanted = any(isinstance(each, Validation) and each.status == "NEEDS_REVISION" for each in outputs)
    may_go_on = not dataset.notes.revised and dataset.round.turns < dataset.limits.max_turns
    return wanted and context.reasoner.metered and may_go_on


async def _run(call: SubAgentCall, agent: AgentContext) -> CallOutcome:
    outcome = agent.outcome
    outcome.what = _shown(call.agent, call.model_dump(exclude={"agent"}, exclude_defaults=True))
    if not agent.dataset.round.stopped:
        try:
            outcome.output = await agent_named(call.agent).run(agent, call)
        except LimitReached as stop:
            outcome.stopped = stop.reason
    return outcome


async def _use(tool: DataTool, arguments: dict[str, Any], agent: AgentContext) -> CallOutcome:
    outcome = agent.outcome
    outcome.what, outcome.tool, outcome.besides = _shown(tool.name, arguments), tool.name, besides_of(tool, arguments)
    try:
        answer = await agent.call(tool, arguments)
        if answer is not None:
            outcome.answers.append(answer)
            await agent.tell(tool, answer)
    except LimitReached as stop:
        outcome.stopped = stop.reason
    return outcome


def _shown(name: str, arguments: dict[str, Any]) -> str:
    """A call in a few words."""
    text = one_line(json.dumps(arguments, ensure_ascii=False, default=str)) if arguments else ""
    return f"{name} {text[:MOST_SHOWN]}".rstrip()
