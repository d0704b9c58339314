"""What a model directs, made into a turn: with nothing in it that there is not, nothing twice and nothing senseless."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from fathom.asks import DirectDataset
from fathom.data.fields import DataTool
from fathom.data.profile import request_of
from fathom.data.requests import PAGE_SIZE, TOP_N, DataRequest, DateHistogram, Filter, Interval
from fathom.data.turns import (
    Aggregate,
    AnalyzeGap,
    DatasetTurn,
    Decompose,
    Extract,
    Scan,
    SubAgentCall,
    SynthesisFormat,
    Synthesize,
    TakePerspectives,
    ToolCall,
    Validate,
)
from fathom.reasoners.language_model.json_text import json_object
from fathom.reasoners.language_model.task import Read
from fathom.reasoners.language_model.tasks.conditions import Condition, Names, filters_of
from fathom.reasoners.language_model.tasks.directed import Directed, DirectedAgent, DirectedTool
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.words import line, picked

MOST_AGENTS = 8
"""Sub-agents that one turn runs."""
MOST_TOOLS = 4
"""Tools that one turn calls itself."""
MOST_FILTERS = 10
MOST_GROUPS = 4
"""Fields of one count."""
MOST_SUMMED = 6
FOCUS_LENGTH = 200
ARGUMENTS_LENGTH = 4_000
"""Characters of the arguments of a tool."""


def read_turn(ask: DirectDataset, tools: Mapping[int, DataTool], wire: Directed) -> Read[DatasetTurn]:
    """The turn that is meant. The synthesizer stands alone: it must see what the others bring.

    Raises:
        ValueError: nothing of it can be run. The message says why not, and repeats no word of the dataset: it does not
            stand in the material.
    """
    turn = _Turn(ask, tools)
    for directed in wire.agents:
        turn.add_agent(directed)
    for called in wire.tool_calls:
        turn.add_tool(called)
    agents, calls = turn.agents[:MOST_AGENTS], turn.calls[:MOST_TOOLS]
    if not calls and turn.is_judged(agents):
        agents = turn.ending(promised=wire.promises_scan) or agents
    if not agents and not calls:
        raise ValueError("; ".join(dict.fromkeys(turn.problems)) or "the turn runs nothing: call a sub-agent or a tool")
    return Read(
        DatasetTurn(
            sub_agent_calls=tuple(agents),
            tool_calls=tuple(calls),
            promises_scan=wire.promises_scan,
            reasoning=line(plain(wire.reasoning), 300),
        ),
        turn.invented,
    )


@dataclass
class _Turn:
    """A turn that is put together."""

    ask: DirectDataset
    tools: Mapping[int, DataTool]
    agents: list[SubAgentCall] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    synthesizer: Synthesize | None = None
    invented: int = 0
    """Names and numbers that the model was not given."""
    problems: list[str] = field(default_factory=list)
    """Why something was left away, for the model."""

    def add_agent(self, directed: DirectedAgent) -> None:
        """Add a sub-agent, if it makes sense."""
        state = self.ask.state
        focus = line(plain(directed.focus), FOCUS_LENGTH)
        match directed.agent.strip().lower():
            case "decomposer":
                self._add(Decompose(), unless=state.sub_questions, why="the research questions are there already")
            case "perspective":
                self._add(TakePerspectives(domain=focus), unless=state.perspectives, why="the perspectives are there")
            case "aggregator":
                self._add_count(directed)
            case "scanner":
                self._add_scan(directed, focus)
            case "extractor":
                self._add(
                    Extract(extraction_focus=focus), unless=not state.fetched, why="nothing was fetched to extract"
                )
            case "validator":
                self._add(Validate(), unless=self._knows_nothing, why="there is nothing to validate")
            case "gap_analyzer":
                self._add(AnalyzeGap(), unless=self._knows_nothing, why="there is nothing to look for gaps in")
            case "synthesizer":
                named = directed.format if directed.format in get_args(SynthesisFormat) else "comprehensive_report"
                self.synthesizer = Synthesize(format=named)
            case _:
                self.invented += 1
                self.problems.append("`agent` names a sub-agent that there is not")

    def add_tool(self, called: DirectedTool) -> None:
        """Add a call of a tool, with the arguments that it has."""
        tool = self.tools.get(called.tool)
        if tool is None:
            self.invented += 1
            self.problems.append("`tool` must be the number of a tool")
            return
        try:
            given = json_object(called.arguments[:ARGUMENTS_LENGTH] if called.arguments.strip() else "{}")
        except ValueError:
            self.problems.append("`arguments` must be the text of a JSON object")
            return
        known, required = tool.input_schema.get("properties"), tool.input_schema.get("required")
        arguments = {name: value for name, value in given.items() if not isinstance(known, dict) or name in known}
        self.invented += len(given) - len(arguments)
        if isinstance(required, list) and any(name not in arguments for name in required):
            self.problems.append("`arguments` lack some that the tool must be given")
            return
        request = request_of(tool.profile, arguments)
        call = ToolCall(tool=tool.name, arguments=arguments)
        if not request.is_page and self._was_counted(request, (tool.name,)):
            self.problems.append("that was counted already")
        elif call not in self.calls:
            self.calls.append(call)

    def ending(self, *, promised: bool) -> list[SubAgentCall]:
        """The synthesizer, if it was called and the research may end; else nothing."""
        state = self.ask.state
        if self.synthesizer is None:
            return []
        if self._knows_nothing and not state.errors and state.turn == 1:
            self.problems.append("nothing was counted or read yet: begin with a count")
            return []
        if (promised or state.promised_scan) and state.warning and not state.errors:
            self.problems.append("a scan was promised, and records are left: run the scanner")
            return []
        return [self.synthesizer]

    def is_judged(self, agents: Sequence[SubAgentCall]) -> bool:
        """Whether nothing is called besides the synthesizer that was not called before."""
        state = self.ask.state
        return all(
            (isinstance(agent, Validate) and state.validation is not None)
            or (isinstance(agent, AnalyzeGap) and state.gaps is not None)
            for agent in agents
        )

    @property
    def _knows_nothing(self) -> bool:
        state = self.ask.state
        return not (self.ask.results or self.ask.findings or state.findings or state.aggregations)

    def _add(self, call: SubAgentCall, *, unless: object = False, why: str = "") -> None:
        if unless:
            self.problems.append(why)
        elif call not in self.agents:
            self.agents.append(call)

    def _add_count(self, directed: DirectedAgent) -> None:
        asked = self._asked(directed)
        if asked is None:
            return
        groups = asked.group_by
        if asked.is_page and asked.filters:
            groups = (asked.filters[0].field,)  # how many match is a count by what they match
        call = Aggregate(
            tool_names=self._tool_names(directed, counting=True),
            table=asked.table,
            filters=asked.filters,
            group_by=groups,
            date_histogram=asked.date_histogram,
            statistics=asked.statistics,
            top_n=min(1_000, max(1, directed.top_n or TOP_N)),
            samples_per_bucket=min(100, max(0, directed.samples_per_bucket)),
        )
        if call.request.is_page:
            self.problems.append("an aggregator needs `group_by`, `histogram_field` or `statistics`")
            return
        self._add(call, unless=self._was_counted(call.request, call.tool_names), why="that was counted already")

    def _add_scan(self, directed: DirectedAgent, focus: str) -> None:
        asked = self._asked(directed)
        if asked is None:
            return
        by_samples = bool(asked.group_by) and directed.samples_per_bucket > 0
        batch = min(PAGE_SIZE, directed.batch_size) if directed.batch_size > 0 else Scan().batch_size
        request = DataRequest(
            table=asked.table,
            text=asked.text,
            filters=asked.filters,
            group_by=asked.group_by if by_samples else (),
            samples_per_bucket=min(100, directed.samples_per_bucket) if by_samples else 0,
        )
        self._add(
            Scan(
                tool_names=self._tool_names(directed),
                request=request,
                by_samples=by_samples,
                batch_size=batch,
                extraction_focus=focus,
            )
        )

    def _asked(self, directed: DirectedAgent) -> DataRequest | None:
        """What a sub-agent asks for; `None` when a part of it that narrows it down is not understood."""
        dataset = self.ask.dataset
        table = self._table(directed.table)
        if table is None:
            return None
        names = Names(dataset.fields if table in ("", *dataset.tables[:1]) else ())
        filters = self._filters(directed.filters, names)
        if filters is None:
            return None
        dates = self._fields([directed.histogram_field], names) if directed.histogram_field.strip() else ()
        interval = directed.histogram_interval if directed.histogram_interval in get_args(Interval) else "month"
        return DataRequest(
            table=table,
            text=line(directed.text, FOCUS_LENGTH),
            filters=filters,
            group_by=self._fields(directed.group_by, names)[:MOST_GROUPS],
            date_histogram=DateHistogram(field=dates[0], interval=interval) if dates else None,
            statistics=self._fields(directed.statistics, names)[:MOST_SUMMED],
        )

    def _table(self, written: str) -> str | None:
        """The name of the table that is meant, empty for the described one; `None` for one that there is not."""
        tables = self.ask.dataset.tables
        if not written.strip() or not tables:
            return ""
        meant = [name for name in tables if name == written or name.casefold() == written.strip().casefold()]
        if not meant:
            self.invented += 1
            self.problems.append("`table` names one that there is not")
            return None
        return meant[0]

    def _filters(self, conditions: Sequence[Condition], names: Names) -> tuple[Filter, ...] | None:
        found: list[Filter] = []
        for condition in conditions[:MOST_FILTERS]:
            name = names.find(condition.field)
            if name is None:
                self.invented += 1
                self.problems.append("`filters` name a field that is not shown")
                return None
            try:
                found += filters_of(condition, name, names.fields.get(name))
            except ValueError as error:
                self.problems.append(str(error))
                return None
        return tuple(dict.fromkeys(found))

    def _fields(self, written: Sequence[str], names: Names) -> tuple[str, ...]:
        found = [names.find(each) for each in written if each.strip()]
        if strangers := found.count(None):
            self.invented += strangers
            self.problems.append("a field is named that is not shown")
        return tuple(dict.fromkeys(name for name in found if name is not None))

    def _tool_names(self, directed: DirectedAgent, *, counting: bool = False) -> tuple[str, ...]:
        """The tools that are named; those that do not count are not asked for counts."""
        found, strangers = picked(directed.tools, self.tools)
        self.invented += strangers
        return tuple(tool.name for tool in found if tool.profile.aggregates or not counting)

    def _was_counted(self, request: DataRequest, tools: Sequence[str]) -> bool:
        """Whether the same was counted before, with no fewer groups and samples."""
        return any(
            self._key(before.request) == self._key(request)
            and before.request.top_n >= request.top_n
            and before.request.samples_per_bucket >= request.samples_per_bucket
            and (not tools or before.tool in tools)
            for before in self.ask.results
        )

    def _key(self, request: DataRequest) -> tuple[Any, ...]:
        table = request.table or self.ask.dataset.table
        filters = frozenset(each.model_dump_json() for each in request.filters)
        return table, request.text, filters, request.group_by, request.date_histogram, frozenset(request.statistics)
