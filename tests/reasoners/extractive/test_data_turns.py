"""How research over a dataset is directed turn by turn, planned and allocated, and what records are quoted for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.asks import AllocateQueries, DirectDataset, ExtractFindings, PlanResearch
from fathom.data.fields import DatasetDescription, DataTool, ToolProfile
from fathom.data.results import Record
from fathom.data.snapshots import SnapshotHead, page_snapshot, records_in
from fathom.data.sources import as_source
from fathom.data.turns import AgentLine, DatasetTurn, ResearchState, Scan
from fathom.evidence import Document, Passage, Query, SourceDescription, text_digest
from fathom.plan import Mode, Subtask
from fathom.reasoners.extractive.allocate import allocate_queries
from fathom.reasoners.extractive.data.direct import direct_dataset
from fathom.reasoners.extractive.extract import extract_findings
from fathom.reasoners.extractive.plan import plan_research
from tests.reasoners.extractive.schemas import EVENTS, asked, イベント

AGENTS = tuple(
    AgentLine(name=name, fetches=False, line=name)
    for name in ("decomposer", "aggregator", "scanner", "validator", "synthesizer")
)
SEED = "India events by theme"
QUESTIONS = (SEED, "List all AI events", "Compare India and Japan by theme", "Why is attendance low?", "overview", "?")


def subtask(query: str) -> Subtask:
    return Subtask(subtask_id="task_1", description=query, queries=(Query(text=query),))


def turn(query: str, state: ResearchState, dataset: DatasetDescription = EVENTS) -> DatasetTurn:
    return direct_dataset(
        DirectDataset(
            query=query,
            language="en",
            subtask=subtask(query),
            dataset=asked(dataset, query),
            agents=AGENTS,
            state=state,
            today="2026-11-22",
        )
    )


def agents_of(turn: DatasetTurn) -> list[str]:
    return [call.agent for call in turn.sub_agent_calls]


def test_the_first_turn_takes_the_question_apart_and_counts_beside_it() -> None:
    first = turn(SEED, ResearchState(turn=1))

    assert agents_of(first) == ["decomposer"]
    (call,) = first.tool_calls
    assert call.tool == "analyze"
    assert call.arguments["filters"] == [{"field": "country", "op": "eq", "value": "India"}]
    assert call.arguments["group_by"] == ["event_theme"]


def test_a_simple_question_is_not_taken_apart() -> None:
    assert agents_of(turn("How many events are in India?", ResearchState(turn=1))) == []


def test_few_records_that_match_are_read_in_the_second_turn() -> None:
    second = turn(SEED, ResearchState(turn=2, matched=165, needs_full_scan=True, done=("turn 1: analyze",)))

    scan = next(call for call in second.sub_agent_calls if isinstance(call, Scan))
    assert scan.batch_size == 100
    assert [each.value for each in scan.request.filters] == ["India"]


def account(number: int, directed: DatasetTurn) -> str:
    """What a turn has done, as the planner is told of it."""
    agents = (
        (each.agent, each.model_dump(exclude={"agent"}, exclude_defaults=True)) for each in directed.sub_agent_calls
    )
    calls = [*agents, *((each.tool, each.arguments) for each in directed.tool_calls)]
    told = "; ".join(f"{name} {json.dumps(given, ensure_ascii=False, default=str)[:100]}" for name, given in calls)
    return f"turn {number}: {told}"


def test_when_all_is_counted_and_read_it_is_summed_up() -> None:
    first = turn(SEED, ResearchState(turn=1))
    second = turn(SEED, ResearchState(turn=2, matched=165, needs_full_scan=True, done=(account(1, first),)))
    done = (account(1, first), account(2, second))
    third = turn(SEED, ResearchState(turn=3, matched=165, fetched=165, scanned=165, done=done))

    assert "scanner" in agents_of(second)
    assert agents_of(third) == ["synthesizer"]


def test_a_tool_without_filters_is_read_from_end_to_end_and_that_is_said() -> None:
    plain = DataTool(name="rows", profile=ToolProfile(page_size="limit", cursor="offset"), returns_records=True)
    first = turn(SEED, ResearchState(turn=1), EVENTS.model_copy(update={"tools": (plain,)}))

    scan = first.sub_agent_calls[-1]
    assert isinstance(scan, Scan)
    assert scan.request.filters == ()
    assert "takes no filters" in first.reasoning


TOOLS = st.lists(
    st.builds(
        DataTool,
        name=st.sampled_from(["a", "b", "c"]),
        profile=st.builds(
            ToolProfile,
            filters=st.sampled_from(["", "filters"]),
            group_by=st.sampled_from(["", "by"]),
            date_histogram=st.sampled_from(["", "over"]),
            statistics=st.sampled_from(["", "sum"]),
            text=st.sampled_from(["", "q"]),
            cursor=st.sampled_from(["", "after"]),
        ),
        returns_records=st.booleans(),
    ),
    max_size=3,
).map(tuple)


@given(st.sampled_from(QUESTIONS), TOOLS, st.one_of(st.none(), st.integers(0, 5_000)), st.booleans())
@settings(deadline=None, max_examples=max(20, settings().max_examples // 5))
def test_research_always_ends_and_only_asks_tools_that_there_are(
    query: str, tools: tuple[DataTool, ...], matched: int | None, promised: bool
) -> None:
    dataset = EVENTS.model_copy(update={"tools": tools})
    names = {tool.name for tool in tools}
    done: tuple[str, ...] = ()
    made: list[str] = []
    for number in range(1, 11):
        state = ResearchState(
            turn=number,
            matched=matched,
            needs_full_scan=bool(matched),
            promised_scan=promised,
            done=done,
            errors=("it failed",) if done else (),
        )
        directed = turn(query, state, dataset)
        calls = [call.model_dump_json() for call in directed.tool_calls]
        counts = [call.model_dump_json() for call in directed.sub_agent_calls if call.agent == "aggregator"]
        assert not set(made) & {*calls, *counts}, "what failed is not tried again"
        assert {call.tool for call in directed.tool_calls} <= names
        assert {
            name for call in directed.sub_agent_calls if isinstance(call, Scan) for name in call.tool_names
        } <= names
        made += [*calls, *counts]
        if "synthesizer" in agents_of(directed):
            return
        done = (*done, account(number, directed))
    pytest.fail("it never ends")


# ── Plans and sources ──────────────────────────────────────────────────────────────────────────────────────────────


def plan(query: str, mode: Mode, dataset: DatasetDescription = EVENTS, language: str = "en") -> list[str]:
    source = as_source(asked(dataset, query), query)
    ask = PlanResearch(query=query, language=language, mode=mode, sources=(source,), max_questions=7)
    return [each.description for each in plan_research(ask).subtasks]


def test_a_question_on_data_alone_is_one_subtask() -> None:
    assert plan(SEED, "auto") == [SEED]


def test_values_that_are_set_against_each_other_are_no_questions_of_their_own() -> None:
    assert plan("of india and japan, which country has the largest attendance?", "auto") == [
        "of india and japan, which country has the largest attendance?"
    ]


def test_a_question_is_taken_apart_by_its_fields() -> None:
    assert plan(SEED, "hierarchical") == [
        "How are the records with country = India distributed over event_theme?",
        "How does the number of records with country = India develop over start_date?",
        "How are the records with country = India distributed over city?",
    ]
    assert plan("インドのイベントをテーマ別に", "hierarchical", イベント, "ja")[0] == (
        "記録（国 = インド）はテーマ別にどのように分布していますか"
    )


@pytest.mark.parametrize("query", ["Compare India and Japan by theme", "overview of the events", "trend of AI events"])
def test_a_broad_question_has_three_to_seven_sides(query: str) -> None:
    assert 3 <= len(plan(query, "hierarchical")) <= 7


def allocated(query: str, *, cover: float) -> list[str]:
    documents = SourceDescription(name="knowledge", kind="file", documents=9, passages=90, cover=cover)
    ask = AllocateQueries(
        query=query,
        language="en",
        subtask=subtask(query),
        sources=(documents, as_source(asked(EVENTS, query), query)),
        max_queries=3,
    )
    return [each.source for each in allocate_queries(ask).allocations]


def test_a_dataset_is_asked_for_its_fields_and_documents_for_what_they_hold() -> None:
    assert allocated(SEED, cover=0.1) == ["events"]
    assert allocated(SEED, cover=0.9) == ["knowledge", "events"]
    assert allocated("How does a lighthouse work?", cover=0.1) == ["knowledge"]


# ── Records ────────────────────────────────────────────────────────────────────────────────────────────────────────

RECORDS = tuple(
    Record(id=id, fields={"event_title": title, "event_description": text, "country": country})
    for id, title, text, country in (
        ("E1", "Robots", "Robots welded. It rained.", "India"),
        ("E2", "Qubits", "Quantum computing won.", "India"),
        ("E3", "Bread", "Dough rose.", "Japan"),
    )
)


def extract(query: str) -> tuple[str, list[tuple[str, tuple[str, ...]]]]:
    """The page, and each claim with the quotes that it rests on; every quote stands where it says."""
    text = page_snapshot(SnapshotHead("events", "analyze", {}, 3, 3), RECORDS)
    sha = text_digest(text)
    document = Document(
        sha256=sha, uri="file:///e", title="events", kind="dataset", language="en", retrieved_at="2026-01-01T00:00:00Z"
    )
    passages = (
        Passage(document=sha, start=each.start, end=each.end, text=text[each.start : each.end])
        for each in records_in(text)
    )
    found = extract_findings(
        ExtractFindings(
            query=query,
            language="en",
            subtask=subtask(query),
            documents=(document,),
            passages=tuple(passages),
            sources=(as_source(asked(EVENTS, query), query),),
            max_findings=10,
            mapping=EVENTS.mapping,
        )
    )
    for finding in found.findings:
        for quote in finding.evidence:
            assert text[quote.start : quote.end] == quote.quote
            assert quote.locator.startswith("record E")
    return text, [(each.claim, tuple(quote.quote for quote in each.evidence)) for each in found.findings]


def test_a_list_names_every_record_that_matches_and_no_other() -> None:
    assert [claim for claim, _ in extract("List all events in India")[1]] == ["Robots", "Qubits"]


def test_the_sentence_that_answers_is_quoted() -> None:
    assert extract("Why did quantum computing win?")[1] == [("Quantum computing won.", ("Quantum computing won.",))]


def test_nothing_is_quoted_for_words_that_no_record_holds() -> None:
    assert extract("Why do zebras gallop?")[1] == []
