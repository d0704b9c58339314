"""What of a directed turn can be done: the rest is told to the planner, and never done twice or for nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fathom.data.profile import arguments_for
from fathom.data.tooling import Choice, at_table, counting_tools, of_table, tool_named
from fathom.data.turns import Aggregate, DatasetTurn, Scan, SubAgentCall, Synthesize
from fathom.engine.agents.scanner import meant
from fathom.engine.data.desk import Desk, Directed
from fathom.errors import ToolRefused

NOT_YET = "synthesizer: the promised scan is not complete; scan on first"


def directed(desk: Desk, turn: DatasetTurn) -> Directed:
    """The calls of a turn that make sense, and why the others do not. Takes down that they are made."""
    errors: list[str] = []
    if not (turn.sub_agent_calls or turn.tool_calls):
        errors.append("the turn directs nothing: name a sub-agent or a tool, or the synthesizer to end")
    agents: list[SubAgentCall] = []
    last: tuple[Synthesize, ...] = ()
    for given in turn.sub_agent_calls:
        call = of_table(desk.dataset, given) if isinstance(given, Aggregate) else given
        if isinstance(call, Synthesize):
            last = last or (call,)
        elif reason := _against(desk, call):
            errors.append(f"{call.agent}: {reason}")
        elif _is_new(desk, *_names(desk, call)):
            agents.append(call)
        else:
            errors.append(f"{call.agent}: the same call was made before")
        if isinstance(call, Aggregate | Scan):
            errors += _choice(desk, call).errors
    tools = []
    for each in turn.tool_calls:
        try:
            tool = tool_named(desk.dataset, each.tool)
        except ToolRefused as error:
            errors.append(str(error))
            continue
        arguments = at_table(desk.dataset, tool, each.arguments)
        if _is_new(desk, _tool_call(tool.name, arguments)):
            tools.append((tool, arguments))
        else:
            errors.append(f"{tool.name}: the same call was made before")
    if last and not agents and not tools and desk.progress.owes_a_scan:
        errors.append(NOT_YET)
        last = ()
    return Directed(tuple(agents), tuple(tools), last, tuple(dict.fromkeys(errors)))


def without_planner(desk: Desk) -> Directed:
    """What is done when the planner fails: a first page of records, unless anything is known already."""
    if desk.results or desk.met.different:
        return Directed()
    call = Scan(max_batches=1)
    return Directed() if _against(desk, call) or not _is_new(desk, *_names(desk, call)) else Directed(agents=(call,))


def _choice(desk: Desk, call: Aggregate | Scan) -> Choice:
    if isinstance(call, Aggregate):
        return counting_tools(desk.dataset, call.tool_names, call.request)
    return meant(desk, call).choice


def _against(desk: Desk, call: SubAgentCall) -> str:
    """Why a call would come to nothing; empty when it may be made."""
    if not isinstance(call, Aggregate | Scan):
        return ""
    tools = _choice(desk, call).tools
    if not tools:
        return "no tool can serve it"
    if not isinstance(call, Scan):
        return ""
    if desk.left == 0:
        return "max_records is reached"
    request, _, conditions, _ = meant(desk, call)
    if not request.is_page:
        return ""
    scans = [desk.scans.get((tool.name, conditions)) for tool in tools]
    if all(scan is not None and scan.has_ended for scan in scans):
        return next((scan.blocked for scan in scans if scan and scan.blocked), "") or "all of it was read"
    return ""


def _is_new(desk: Desk, *names: str) -> bool:
    """Whether any of the calls was not made before; they are taken down."""
    new = [name for name in names if name not in desk.made]
    desk.made.update(new)
    return bool(new)


def _names(desk: Desk, call: SubAgentCall) -> Iterator[str]:
    """What tells the call from others: for one that depends on what is known, that too."""
    if isinstance(call, Aggregate):
        for tool in _choice(desk, call).tools:
            yield _tool_call(tool.name, arguments_for(tool.profile, call.request))
        return
    known: Any = [desk.shelf.found, len(desk.results), desk.met.all_read, len(desk.perspectives)]
    if isinstance(call, Scan):
        request, _, conditions, _ = meant(desk, call)
        scans = {name: at.pages for (name, under), at in desk.scans.items() if under == conditions}
        known = [request.model_dump(mode="json"), conditions, scans]
    yield json.dumps([call.model_dump(mode="json"), known], sort_keys=True, ensure_ascii=False)


def _tool_call(tool: str, arguments: dict[str, Any]) -> str:
    return json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False, default=str)
