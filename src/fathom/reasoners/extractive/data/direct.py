"""Turns of research over a dataset: what is counted first, what besides, when records are read, and the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fathom.asks import DirectDataset
from fathom.data.fields import DatasetDescription, DataTool
from fathom.data.profile import arguments_for, lacks
from fathom.data.requests import PAGE_SIZE, Counting, DataRequest, Filter
from fathom.data.titles import title_of
from fathom.data.turns import Aggregate, DatasetTurn, Decompose, Scan, SubAgentCall, Synthesize, ToolCall, Validate
from fathom.reasoners.extractive.data.question import DataQuestion, caveats_of, looked_up, read_data_question
from fathom.reasoners.extractive.data.views import key_of, views_of
from fathom.reasoners.extractive.question import asked_apart
from fathom.text.analysis import query_terms

FEW_RECORDS = 1_000
"""Records that match up to which all of them are read, even if counts alone would answer."""
SCANS = 3
"""Times that a scan is begun or taken up again."""
_Call = tuple[DataTool, DataRequest]
"""What is asked, and of which tool."""


def direct_dataset(ask: DirectDataset) -> DatasetTurn:
    """One turn, by the question, the fields, and how far the research is.

    The first turn takes a question with several sides apart and makes the most telling count beside it. The second
    makes all other counts, and reads the records where texts or a list are asked for, or few match. Then the findings
    are validated and summed up. What was counted is not counted again, and what failed is not tried again the same way.
    Of a question that is not surely understood nothing is counted where the records are few: they are read.
    """
    planner = _Planner(ask)
    if ask.state.turn >= ask.state.max_turns:
        return planner.sum_up("no turn is left")
    return planner.first() if ask.state.turn == 1 and not ask.state.done else planner.next()


class _Planner:
    """What is known when a turn is directed."""

    def __init__(self, ask: DirectDataset) -> None:
        self._ask, self._state, dataset = ask, ask.state, ask.dataset
        question, elsewhere = _read(ask)
        self._touches = question.touches or (not question.no_day and _is_held(question, dataset))
        question = looked_up(question, dataset)
        self._unsure = dataset.total is not None and dataset.total <= FEW_RECORDS and not question.is_sure
        self._question = replace(question, left_out=(*question.left_out, *elsewhere))
        views = views_of(question, dataset, place=self._extremes()) if self._touches and not self._unsure else []
        counted = (counted_by(dataset, view.model_copy(update={"table": dataset.table})) for view in views)
        self._views = list({key_of(each[1]): each for each in counted if each}.values())
        found = self._extremes()
        pages = DataRequest(table=dataset.table, filters=found if question.placed else (*question.filters, *found))
        self._reader = reading_tool(dataset, pages.as_pages(PAGE_SIZE))

    def first(self) -> DatasetTurn:
        """The question taken apart, and the first count; where nothing can be counted, the records."""
        if not self._touches:
            return self.sum_up("the data hold nothing that the question speaks of")
        agents: list[SubAgentCall] = [Decompose()] if self._question.sides > 1 else []
        if self._views:
            why = f"First is counted: {title_of(self._ask.dataset.name, self._views[0][1])}."
            return self._turn(agents, self._views[:1], why)
        if scan := self._scan():
            why = "What is asked is not surely understood" if self._unsure else "No tool can count so"
            return self._turn([*agents, *scan], reason=f"{why}: the records are read. {self._caution()}".strip())
        request = DataRequest(text=self._question.words or self._question.text)
        tools = [each for each in self._ask.dataset.tools if each.profile.text or not each.input_schema.get("required")]
        calls = [(tool, request) for tool in tools]
        return self._turn(agents, calls, "No tool can count so: what it returns is looked at.")

    def next(self) -> DatasetTurn:
        """What is still to be counted and read; when nothing is, the answer."""
        if self._question.no_day or (self._state.matched == 0 and not self._question.compared):
            return self.sum_up("no record matches")
        # the first turn has made the first count alone, the second all others: what has failed is not tried again
        done = {key_of(result.request) for result in self._ask.results}
        further = [each for each in self._views[1:] if self._state.turn == 2 and key_of(each[1]) not in done]
        counts = [_aggregate(view) for _, view in further if not view.is_page]
        calls = [each for each in further if each[1].is_page]
        scan = self._scan() if self._wants_records() else []
        if not (further or scan):
            return self.sum_up("what the question needs is counted and read")
        reasons = [f"{len(further)} further counts are needed"] if further else []
        reasons += [self._state.warning.rstrip(".") or "the records are to be read"] if scan else []
        reason = f"{'; '.join(reasons)}. {self._caution() if scan else ''}".strip()
        return self._turn([*counts, *scan], calls, reason)

    def sum_up(self, reason: str) -> DatasetTurn:
        """The findings validated and summed up."""
        validates = self._state.validation is None and self._ask.findings
        return self._turn([*([Validate()] if validates else []), Synthesize()], reason=f"To be summed up: {reason}.")

    def _turn(self, agents: Sequence[SubAgentCall], calls: Sequence[_Call] = (), reason: str = "") -> DatasetTurn:
        return DatasetTurn(
            sub_agent_calls=tuple(agents),
            tool_calls=tuple(ToolCall(tool=each.name, arguments=arguments_for(each.profile, to)) for each, to in calls),
            promises_scan=self._question.promises_scan and self._reader is not None,
            reasoning=reason,
            caveats=caveats_of(self._question, self._ask.language),
        )

    def _extremes(self) -> tuple[Filter, ...]:
        """The most or the least that a number is, once that is known: the condition on the record that is asked for."""
        extreme = self._question.extreme
        if self._question.placed:
            return self._question.placed.condition(
                self._question.filters, self._ask.dataset.total or 0, self._ask.results
            )
        for result in self._ask.results if extreme else ():
            if result.aggregation.type == "statistics" and result.request.filters == self._question.filters:
                (name,) = self._question.statistics
                measures = (bucket.statistics.get(name, {}) for bucket in result.aggregation.buckets)
                ends = ((each.get("max"), "gte") if extreme == "max" else (each.get("min"), "lte") for each in measures)
                return tuple(Filter(field=name, op=op, value=value) for value, op in ends if value is not None)
        return ()

    def _wants_records(self) -> bool:
        """Whether records that match are still to be read."""
        state, question = self._state, self._question
        scans = sum("scanner" in line for line in state.done)
        most = min(each for each in (state.matched, state.max_records, math.inf) if each is not None)
        if scans >= SCANS or state.scanned >= most:
            return False
        if question.extreme or question.placed:
            return not scans and bool(self._extremes())
        if scans:
            return state.promised_scan and bool(state.warning)
        few = state.matched is not None and state.matched <= FEW_RECORDS
        counted = bool(self._views and self._ask.results)  # where each count has failed, the records are left
        return question.needs_texts or state.promised_scan or not counted or few

    def _scan(self) -> list[SubAgentCall]:
        """All records that match, where a tool returns records."""
        if self._reader is None:
            return []
        tool, request = self._reader
        focus = self._question.words or self._ask.subtask.description
        return [Scan(tool_names=(tool.name,), request=request, batch_size=PAGE_SIZE, extraction_focus=focus)]

    def _caution(self) -> str:
        """Says when a tool knows no filters, so that more is read than was asked for."""
        if self._reader is None or not self._question.filters or self._reader[1].filters:
            return ""
        return f"{self._reader[0].name} takes no filters: all records are read, not only those that match."


def _read(ask: DirectDataset) -> tuple[DataQuestion, list[str]]:
    """The subtask, under the conditions that the whole question states and it does not repeat; and those of its parts
    that do not speak of the data, where others do."""
    clauses = asked_apart(ask.subtask.description, language=ask.language)
    about = [text for text in clauses if read_data_question(text, ask.dataset, today=ask.today).touches]
    elsewhere = [text for text in clauses if about and text not in about]
    text = " ".join(about) if elsewhere else ask.subtask.description
    own = read_data_question(text, ask.dataset, today=ask.today)
    if not (own.filters or ask.subtask.description == ask.query or (own.is_open and not own.counts)):
        own = replace(own, filters=read_data_question(ask.query, ask.dataset, today=ask.today).filters)
    return own, elsewhere


def _is_held(question: DataQuestion, dataset: DatasetDescription) -> bool:
    """Whether the texts hold all that the data do not account for; a single common word says nothing."""
    wanted = {term for each in question.unknown for term in query_terms(each.text)}
    return bool(wanted) and all(dataset.terms.get(term) for term in wanted)


def _aggregate(view: DataRequest) -> Aggregate:
    return Aggregate(**{name: getattr(view, name) for name in Counting.model_fields})


def counted_by(dataset: DatasetDescription, request: DataRequest) -> _Call | None:
    """The first tool that can count so, those first that were seen to answer; without sums if need be, never without
    the filters: what is counted under fewer than were asked for would be the answer to another question."""
    for part in ({}, {"statistics": ()}, {"date_histogram": None}, {"date_histogram": None, "statistics": ()}):
        less = request.model_copy(update=part)
        tools = (each for each in dataset.tools if not lacks(each.profile, less))
        able = [each for each in tools if (each.profile.page_size if less.is_page else each.profile.aggregates)]
        if able and less.is_page == request.is_page:
            return min(able, key=lambda tool: not tool.returns_records), less
    return None


def reading_tool(dataset: DatasetDescription, request: DataRequest) -> _Call | None:
    """A tool that returns records, and the request as far as it takes it: filters it does not know are left away.

    Tools that know the filters come first, then those with pages, then those that only search by words.
    """

    able: list[tuple[tuple[bool, ...], _Call]] = []
    for tool in dataset.tools:
        profile, takes_none = tool.profile, "filters" in lacks(tool.profile, request)
        knows = tool.returns_records or profile.pages or profile.page_size or profile.text or profile.filters
        if knows or not tool.input_schema.get("required"):
            taken = request.model_copy(update={"filters": ()}) if takes_none else request
            able.append(((takes_none, not profile.pages, not tool.returns_records), (tool, taken)))
    return min(able, key=lambda each: each[0])[1] if able else None
