"""The eight sub-agents: a table of them, a line for each, and what each makes of its call."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from fathom.asks import PlanResearch
from fathom.data.fields import DatasetDescription, DataTool, ToolProfile
from fathom.data.requests import DataRequest, DateHistogram, Filter
from fathom.data.titles import title_of
from fathom.data.tooling import counting_tools, reading_tools
from fathom.data.turns import AgentName, Aggregate, Decompose, Scan, TakePerspectives
from fathom.engine.agents import agent_lines, agent_named, sub_agents
from fathom.engine.agents.asking import _questions
from fathom.engine.data.reading import FEWEST_FINDINGS, most_of_a_batch
from fathom.errors import ConfigurationError
from fathom.plan import MasterPlan, Subtask
from fathom.sources.data import SMALLEST_PAGE, reduced
from tests.support.data_lab import asked, lab, run, script, turn
from tests.support.doubles.dataset import SimulatedDataset
from tests.support.doubles.reasoner import Shape
from tests.support.doubles.retriever import SimulatedRetriever
from tests.support.lab import Lab

FETCHING = {"aggregator", "scanner"}


def test_there_are_eight_and_each_has_a_line_that_the_planner_reads() -> None:
    lines = agent_lines()
    assert [line.name for line in lines] == list(get_args(AgentName)) and len(lines) == 8
    assert {line.name for line in lines if line.fetches} == FETCHING
    assert all(line.line.endswith(".") for line in lines)
    assert sorted(get_args(AgentName)) == sub_agents.names()


def test_a_sub_agent_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigurationError, match="Did you mean 'scanner'"):
        sub_agents.get("scaner")


def test_those_that_read_records_say_so() -> None:
    assert {name for name in get_args(AgentName) if agent_named(name).reads} == {"scanner", "extractor"}


def test_subtasks_become_numbered_questions_and_what_is_left_out_is_not_waited_for() -> None:
    subtasks = [
        Subtask(subtask_id=f"task_{n}", description=f"Part {n}?", priority=10 - n, dependencies=on)
        for n, on in ((1, ("task_3",)), (2, ()), (3, ("task_2",)))
    ]
    plan = MasterPlan(is_complex=True, execution_mode="hierarchical", subtasks=tuple(subtasks))
    questions = _questions(plan, 2)
    assert [(each.id, each.question, each.priority, each.depends_on) for each in questions] == [
        ("sq_1", "Part 3?", 1, ("sq_2",)),
        ("sq_2", "Part 2?", 2, ()),
    ]


async def test_the_decomposer_sees_the_dataset_and_the_perspectives_before_it(tmp_path: Path) -> None:
    turns = [turn(TakePerspectives(num_perspectives=2)), turn(Decompose(query="Which themes?", max_questions=5))]
    async with Lab(
        tmp_path, Shape(subtasks=4, turns=script(*turns)), sources=[], datasets=[SimulatedDataset()]
    ) as place:
        await run(place, max_questions=1)
        asks = [ask for ask in asked(place, PlanResearch) if ask.query == "Which themes?"]
    (ask,) = asks
    assert [source.kind for source in ask.sources] == ["dataset"] and ask.max_questions == 5
    assert [perspective.name for perspective in ask.perspectives] == ["Reader 1", "Reader 2"]


async def test_an_aggregator_asks_several_tools_and_one_that_fails_does_not_hold_the_others(tmp_path: Path) -> None:
    place = lab(tmp_path, turn(Aggregate(tool_names=("analyze", "lost"), group_by=("event_theme",))))
    async with place:
        report = await run(place)
    assert report.coverage.datasets[0].counted == 1 and report.claims


# ── Tools ──────────────────────────────────────────────────────────────────────────────────────────────────────────

COUNTS = DataTool(name="count", profile=ToolProfile(filters="where", group_by="by"))
PAGES = DataTool(name="list", profile=ToolProfile(page_size="limit", cursor="offset", cursor_as="offset"))
SEARCH = DataTool(name="search", profile=ToolProfile(text="q", page_size="n"), returns_records=True)
DATASET = DatasetDescription(name="d", address="mcp:d", tools=(COUNTS, PAGES, SEARCH), refused={"wipe": "it destroys"})
INDIA = (Filter(field="country", value="India"),)


def names(choice: object) -> list[str]:
    return [tool.name for tool in choice.tools]  # type: ignore[attr-defined]


def test_a_request_goes_to_a_tool_that_can_serve_it() -> None:
    assert names(counting_tools(DATASET, (), DataRequest(group_by=("theme",)))) == ["count"]
    assert names(reading_tools(DATASET, (), DataRequest())) == ["search"], "what was seen to work comes first"
    assert names(reading_tools(DATASET, ("list", "search"), DataRequest())) == ["list", "search"]


def test_a_tool_that_cannot_serve_a_request_is_not_asked_half_of_it() -> None:
    choice = reading_tools(DATASET, ("list",), DataRequest(filters=INDIA))
    assert names(choice) == [] and choice.errors == ("list takes no filters",)
    assert reading_tools(DATASET, (), DataRequest(filters=INDIA)).errors == ("no tool can return such records",)
    assert counting_tools(DATASET, (), DataRequest()).tools == ()
    choice = counting_tools(DATASET, ("wipe", "count"), DataRequest(group_by=("theme",)))
    assert names(choice) == ["count"] and choice.errors == ("wipe may not be called: it destroys",)


def test_half_is_asked_for_down_to_a_smallest_size() -> None:
    tool = DataTool(name="t", profile=ToolProfile(page_size="n", cursor="c", top_n="top", group_by="by"))
    request, sizes = DataRequest(page_size=100, search_after=("x",)), []
    while request := reduced(tool, request):  # type: ignore[assignment]
        assert request.search_after == ("x",)
        sizes.append(request.page_size)
    assert sizes == [50, 25, 12, SMALLEST_PAGE]
    assert reduced(tool, DataRequest(group_by=("a",), top_n=20)) == DataRequest(group_by=("a",), top_n=10)
    numbered = DataTool(name="t", profile=ToolProfile(page_size="n", cursor="page", cursor_as="page"))
    assert reduced(numbered, DataRequest(search_after=(3,))) is None, "half a page would begin elsewhere"


def test_a_batch_of_a_long_scan_yields_few_findings() -> None:
    assert most_of_a_batch(40, 2) == 40 and most_of_a_batch(40, 10) == 16
    assert most_of_a_batch(40, 1_000) == FEWEST_FINDINGS and most_of_a_batch(3, 1_000) == 3


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        (DataRequest(), "events"),
        (DataRequest(group_by=("theme", "year")), "events: theme × year"),
        (
            DataRequest(date_histogram=DateHistogram(field="day", interval="month"), filters=INDIA),
            "events: day / month (country = India)",
        ),
        (DataRequest(statistics=("price",)), "events: Σ price"),
        (DataRequest(table="orders", search_after=("EV9",)), "events / orders › EV9"),
        (
            DataRequest(
                text="quantum",
                filters=(
                    Filter(field="year", op="gte", value=2020),
                    Filter(field="kind", op="in", value=("a", "b")),
                    Filter(field="url", op="not_null"),
                ),
            ),
            "events (“quantum”, year ≥ 2020, kind = a / b, url ≠ ∅)",
        ),
    ],
)
def test_a_snapshot_is_named_in_signs_that_every_language_reads(request_: DataRequest, title: str) -> None:
    assert title_of("events", request_) == title


async def test_without_a_request_of_its_own_a_scan_reads_what_was_counted(tmp_path: Path) -> None:
    counted = Aggregate(filters=INDIA, group_by=("event_theme",))
    async with lab(tmp_path, turn(counted), turn(Scan(batch_size=100))) as place:
        await run(place)
        pages = [request for request in place.datasets[0].called if request.is_page]
    assert [(page.filters, page.group_by) for page in pages] == [(INDIA, ()), (INDIA, ())]


async def test_a_second_look_at_documents_does_not_scan_a_dataset_again(tmp_path: Path) -> None:
    place = lab(tmp_path, rounds=2, findings=4, quality="adequate")
    place.sources = [SimulatedRetriever()]
    async with place:
        report = await run(place, max_refinements=2, max_reflections=1)
        assert (await place.replay()).model_dump_json() == report.model_dump_json()
    assert len(place.datasets[0].called) == 3 and report.coverage.datasets[0].scanned == 165
