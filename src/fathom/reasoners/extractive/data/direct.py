"""Turns of research over a dataset: what is counted first, what besides, when records are read, and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fathom.asks import DirectDataset
from fathom.data.fields import DatasetDescription
from fathom.data.profile import arguments_for
from fathom.data.requests import PAGE_SIZE, DataRequest, Filter
from fathom.data.titles import title_of
from fathom.data.turns import Aggregate, DatasetTurn, Decompose, Scan, SubAgentCall, Synthesize, ToolCall, Validate
from fathom.reasoners.extractive.data.lookup import caveats_of, looked_up
from fathom.reasoners.extractive.data.question import DataQuestion, read_data_question
from fathom.reasoners.extractive.data.tooling import counting_tool, reading_tool, servable
from fathom.reasoners.extractive.data.views import each_once, key_of, views_of
from fathom.text.analysis import query_terms

FEW_RECORDS = 1_000
"""Records that match up to which all of them are read, even if counts alone would answer."""
SCANS = 3
"""Times that a scan is begun or taken up again."""
SECOND = 2
"""The turn after the first."""
SEVERAL = 2
"""Sides from which a question is taken apart."""


def direct_dataset(ask: DirectDataset) -> DatasetTurn:
    """One turn, by the question, the fields, and how far the research is.

    The first turn takes a question with several sides apart and makes the most telling count beside it. The second
    makes all other counts, and reads the records where texts or a list are asked for, or few match. Then the findings
    are validated and summed up. What was counted is not counted again, and what failed is not tried again the same way.
    """
    planner = _Planner(ask)
    if ask.state.turn >= ask.state.max_turns:
        return planner.sum_up("no turn is left")
    if ask.state.turn == 1 and not ask.state.done:
        return planner.first()
    return planner.next()


class _Planner:
    """What is known when a turn is directed."""

    def __init__(self, ask: DirectDataset) -> None:
        self._ask = ask
        self._state = ask.state
        self._dataset = ask.dataset
        self._agents = {agent.name for agent in ask.agents}
        self._question = _read(ask)
        self._touches = self._question.touches or (not self._question.no_day and _is_held(self._question, ask.dataset))
        self._question = looked_up(self._question, ask.dataset)
        views = views_of(self._question, ask.dataset) if self._touches else []
        views = [view.model_copy(update={"table": ask.dataset.table}) for view in views]
        self._views = each_once([less for view in views if (less := servable(ask.dataset, view)) is not None])
        self._reader = reading_tool(ask.dataset, self._pages())

    # ── Turns ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def first(self) -> DatasetTurn:
        """The question taken apart, and the first count; where nothing can be counted, the records."""
        agents: list[SubAgentCall] = []
        if not self._touches:
            lost = f"there is no such day as {self._question.no_day}" if self._question.no_day else ""
            return self.sum_up(lost or "the data hold nothing that the question speaks of")
        if "decomposer" in self._agents and self._question.sides >= SEVERAL:
            agents.append(Decompose())
        if self._views:
            lead = self._views[0]
            calls = (self._call(lead),)
            return self._turn(agents, calls, reason=f"First is counted: {title_of(self._dataset.name, lead)}.")
        agents += self._scan()
        if agents and isinstance(agents[-1], Scan):
            return self._turn(agents, reason=f"No tool can count so: the records are read. {self._caution()}".strip())
        searches = self._search()
        return self._turn(agents, searches, reason="No tool can count so: what it returns is looked at.")

    def next(self) -> DatasetTurn:
        """What is still to be counted and read; when nothing is, the answer."""
        agents: list[SubAgentCall] = []
        done = {key_of(result.request) for result in self._ask.results}
        if self._question.no_day:
            return self.sum_up(f"there is no such day as {self._question.no_day}")
        if self._state.matched == 0 and not (self._question.compared or self._question.periods):
            return self.sum_up("no record matches")
        # the first turn has made the first count alone, the second all others: what has failed is not tried again
        further = self._views[1:] if self._state.turn == SECOND else []
        open_views = [view for view in further if key_of(view) not in done]
        if "aggregator" in self._agents:
            agents += [_aggregate(view) for view in open_views if not view.is_page]
        calls = [self._call(view) for view in open_views if view.is_page]
        read_from = len(agents)
        counted = read_from + len(calls)
        if self._wants_records():
            agents += self._scan()
        if not agents and not calls:
            return self.sum_up(self._why_done())
        reasons = [f"{counted} further counts are needed"] if counted else []
        scans = len(agents) > read_from
        if scans:
            reasons.append(self._state.warning.rstrip(".") or "the records are to be read")
        reason = f"{'; '.join(reasons)}. {self._caution() if scans else ''}".strip()
        return self._turn(agents, calls, reason=reason)

    def _call(self, view: DataRequest) -> ToolCall:
        tool = counting_tool(self._dataset, view)
        assert tool is not None  # `servable` has found one
        return ToolCall(tool=tool.name, arguments=arguments_for(tool.profile, view))

    def sum_up(self, reason: str) -> DatasetTurn:
        """The findings validated and summed up."""
        agents: list[SubAgentCall] = []
        if "validator" in self._agents and self._state.validation is None and self._ask.findings:
            agents.append(Validate())
        if "synthesizer" in self._agents:
            agents.append(Synthesize(format=self._question.format))
        return self._turn(agents, reason=f"To be summed up: {reason}.")

    # ── Records ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _pages(self) -> DataRequest:
        """The records that the question is about."""
        filters = (*self._question.filters, *self._extremes())
        return DataRequest(table=self._dataset.table, filters=filters).as_pages(PAGE_SIZE)

    def _extremes(self) -> tuple[Filter, ...]:
        """The most or the least that a number is, once that is known: the condition on the record that is asked for."""
        extreme = self._question.extreme
        if not extreme:
            return ()
        (name,) = self._question.statistics
        for result in self._ask.results:
            if result.aggregation.type == "statistics" and result.request.filters == self._question.filters:
                values = (bucket.statistics.get(name, {}).get(extreme) for bucket in result.aggregation.buckets)
                return tuple(
                    Filter(field=name, op="gte" if extreme == "max" else "lte", value=value)
                    for value in values
                    if value is not None
                )
        return ()

    def _wants_records(self) -> bool:
        """Whether records that match are still to be read."""
        state = self._state
        scans = sum("scanner" in line for line in state.done)
        if self._reader is None or scans >= SCANS or state.matched == 0:
            return False
        if state.max_records is not None and state.scanned >= state.max_records:
            return False
        if state.matched is not None and state.scanned >= state.matched:
            return False
        if self._question.extreme:
            return not scans and bool(self._reader[1].filters and self._extremes())
        if scans:
            return state.promised_scan and bool(state.warning)
        if self._question.needs_texts or state.promised_scan or not self._views:
            return True
        return state.matched is not None and state.matched <= FEW_RECORDS

    def _scan(self) -> list[SubAgentCall]:
        if self._reader is None or "scanner" not in self._agents:
            return []
        tool, request = self._reader
        focus = self._question.words or self._ask.subtask.description
        return [Scan(tool_names=(tool.name,), request=request, batch_size=PAGE_SIZE, extraction_focus=focus)]

    def _search(self) -> tuple[ToolCall, ...]:
        """Tools that are not understood are asked with what they take for words, each once."""
        words = self._question.words or self._question.text
        return tuple(
            ToolCall(tool=tool.name, arguments=arguments_for(tool.profile, DataRequest(text=words)))
            for tool in self._dataset.tools
            if tool.profile.text or not tool.input_schema.get("required")
        )

    def _caution(self) -> str:
        """Says when a tool knows no filters, so that more is read than was asked for."""
        if self._reader is None or not self._question.filters or self._reader[1].filters:
            return ""
        return f"{self._reader[0].name} takes no filters: all records are read, not only those that match."

    # ── What was done ──────────────────────────────────────────────────────────────────────────────────────────────

    def _why_done(self) -> str:
        state = self._state
        if state.matched is not None and state.scanned >= state.matched:
            return f"all {state.matched} records that match are read" if state.matched else "no record matches"
        return "what the question needs is counted" if self._ask.results else "nothing more can be asked"

    def _turn(self, agents: Sequence[SubAgentCall], calls: Sequence[ToolCall] = (), *, reason: str) -> DatasetTurn:
        return DatasetTurn(
            sub_agent_calls=tuple(agents),
            tool_calls=tuple(calls),
            promises_scan=self._question.promises_scan and self._reader is not None,
            reasoning=reason,
            caveats=caveats_of(self._question, self._ask.language),
        )


def _read(ask: DirectDataset) -> DataQuestion:
    """The subtask, under the conditions that the whole question states and it does not repeat."""
    own = read_data_question(ask.subtask.description, ask.dataset, today=ask.today)
    whole = own if ask.subtask.description == ask.query else read_data_question(ask.query, ask.dataset, today=ask.today)
    if own.filters or not whole.filters or ask.subtask.description == ask.query:
        return own
    return own if own.is_open and not own.counts else replace(own, filters=whole.filters)


def _is_held(question: DataQuestion, dataset: DatasetDescription) -> bool:
    """Whether the texts hold all that the data do not account for; a single common word says nothing."""
    wanted = {term for each in question.unknown for term in query_terms(each.text)}
    return bool(wanted) and all(dataset.terms.get(term) for term in wanted)


def _aggregate(view: DataRequest) -> Aggregate:
    return Aggregate(
        table=view.table,
        filters=view.filters,
        group_by=view.group_by,
        date_histogram=view.date_histogram,
        statistics=view.statistics,
        top_n=view.top_n,
    )
