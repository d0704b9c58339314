"""What of a directed turn can be done: the rest is told to the planner, and never done twice or for nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fathom.data.profile import arguments_for
from fathom.data.tooling import at_table, counting_tools, of_table, tool_named
from fathom.data.turns import Aggregate, DatasetTurn, Scan, SubAgentCall, Synthesize
from fathom.engine.agents.asking import NOTHING
from fathom.engine.agents.scanner import meant
from fathom.engine.data.state import DatasetState, DirectedCalls
from fathom.errors import ToolRefused

NO_TOOL = "no tool can serve it"
NOT_YET = "synthesizer: the promised scan is not complete; scan on first"


def directed(dataset: DatasetState, turn: DatasetTurn) -> DirectedCalls:
    """The calls of a turn that make sense, and why the others do not. Takes down that they are made."""
    errors: list[str] = []
    if not (turn.sub_agent_calls or turn.tool_calls):
        errors.append("the turn directs nothing: name a sub-agent or a tool, or the synthesizer to end")
    agents: list[SubAgentCall] = []
    last: tuple[Synthesize, ...] = ()
    for given in turn.sub_agent_calls:
        call = of_table(dataset.description, given) if isinstance(given, Aggregate) else given
        if isinstance(call, Synthesize):
            last = last or (call,)
            continue
        against, names, refused = _looked_at(dataset, call)
        if against:
            errors.append(f"{call.agent}: {against}")
        elif _is_new(dataset, *names):
            agents.append(call)
        else:
            errors.append(f"{call.agent}: the same call was made before")
        errors += refused
    tools = []
    for each in turn.tool_calls:
        try:
            tool = tool_named(dataset.description, each.tool)
        except ToolRefused as error:
            errors.append(str(error))
            continue
        arguments = at_table(dataset.description, tool, each.arguments)
        if _is_new(dataset, _tool_call(tool.name, arguments)):
            tools.append((tool, arguments))
        else:
            errors.append(f"{tool.name}: the same call was made before")
    if last and not agents and not tools and dataset.progress.owes_a_scan:
        errors.append(NOT_YET)
        last = ()
    elif last and not (agents or tools or dataset.findings.kept):
        errors.append(NOTHING)
        last = ()
    return DirectedCalls(tuple(agents), tuple(tools), last, tuple(dict.fromkeys(errors)))


def without_planner(dataset: DatasetState) -> DirectedCalls:
    """What is done when the planner fails: a first page of records, unless anything is known already."""
    if dataset.results or dataset.records.met.different:
        return DirectedCalls()
    call = Scan(max_batches=1)
    against, names, _ = _looked_at(dataset, call)
    return DirectedCalls() if against or not _is_new(dataset, *names) else DirectedCalls(agents=(call,))


def _looked_at(dataset: DatasetState, call: SubAgentCall) -> tuple[str, Sequence[str], Sequence[str]]:
    """Why a call would come to nothing, empty when it may be made; what tells it from others, for one that depends on
    what is known, that too; and why tools cannot serve it."""
    if isinstance(call, Aggregate):
        tools, refused = counting_tools(dataset.description, call.tool_names, call.request)
        names = [_tool_call(tool.name, arguments_for(tool.profile, call.request)) for tool in tools]
        return "" if tools else NO_TOOL, names, refused
    against, refused = "", ()
    notes, records = dataset.notes, dataset.records
    known: Any = [dataset.findings.found, len(dataset.results), records.met.all_read, len(notes.perspectives)]
    if isinstance(call, Scan):
        request, _, conditions, (tools, refused) = meant(dataset, call)
        begun = {name: at for (name, under), at in records.scans.items() if under == conditions}
        known = [request.model_dump(mode="json"), conditions, {name: at.pages for name, at in begun.items()}]
        scans = [begun[tool.name] for tool in tools if tool.name in begun]
        if not tools:
            against = NO_TOOL
        elif records.left == 0:
            against = "max_records is reached"
        elif request.is_page and len(scans) == len(tools) and all(scan.has_ended for scan in scans):
            against = next((scan.blocked for scan in scans if scan.blocked), "all of it was read")
    name = json.dumps([call.model_dump(mode="json"), known], sort_keys=True, ensure_ascii=False)
    return against, [name], refused


def _is_new(dataset: DatasetState, *names: str) -> bool:
    """Whether any of the calls was not made before; they are taken down."""
    new = [name for name in names if name not in dataset.notes.made]
    dataset.notes.made.update(new)
    return bool(new)


def _tool_call(tool: str, arguments: dict[str, Any]) -> str:
    return json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False, default=str)
