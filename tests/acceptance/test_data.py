"""S4.10 with a model, and what people ask of a table: by two fields, all of it, as points; and tools that fail."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.data.requests import DataRequest
from fathom.engine.run import execute, pin
from fathom.errors import ResultTooLarge, Unavailable
from fathom.events import DatasetEnded, Event, RecordsScanned, TurnDirected
from fathom.limits import Limits
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.report import Report
from fathom.sources import AtHand
from fathom.stores.sqlite import SqliteRunStore
from fathom.text.typeset import BAR, cells_of
from fathom_testing.events import INDIA, LEAST, write_events
from fathom_testing.model_server import ModelServer
from tests.acceptance.minds import settings_of
from tests.contracts import a_run
from tests.support.asking import Ran, ask
from tests.support.doubles.dataset import SimulatedDataset

pytestmark = pytest.mark.usefixtures("read_here")


@pytest.fixture(scope="module")
def events_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_events(tmp_path_factory.mktemp("data") / "events.csv", LEAST)


@pytest.fixture(scope="module")
def tools_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 tools."""
    path = tmp_path_factory.mktemp("data") / "tools.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["tool_id", "name", "depot", "price"])
        writer.writerows([f"T{n:03}", f"Wrench {n}", "South" if n % 2 else "North", 10 + n] for n in range(1, 61))
    return path


async def test_india_events_by_theme_are_counted_then_scanned_then_summed_up_by_a_model(
    events_file: Path, tmp_path: Path
) -> None:
    """S4.10."""
    with ModelServer() as server:
        ran = await ask("India events by theme", tmp_path, data=events_file, settings=settings_of(server))
    turns = ran.of(TurnDirected)
    assert "decomposer" in turns[0].agents and ({"aggregator"} & {*turns[0].agents} or turns[0].tools)
    assert "165" in turns[1].warning and "scanner" in turns[1].agents
    assert "synthesizer" in turns[-1].agents and len(turns) == 3
    assert [each.scanned for each in ran.of(RecordsScanned)][-1] == 165
    assert [theme for theme in INDIA if theme not in ran.report.markdown] == []


def grouped(ran: Ran) -> list[str]:
    """The fields of each table."""
    return [" × ".join(each.columns[: each.columns.index("records")]) for each in ran.report.figures]


@pytest.mark.parametrize(
    "query",
    [
        "Events by country and by year",
        "Events by country and theme",
        "Events by country and year",
    ],
)
async def test_by_two_fields_is_grouped_by_both_or_said_not_to_be(
    query: str, events_file: Path, tmp_path: Path
) -> None:
    ran = await ask(query, tmp_path, data=events_file, replays=False)
    said = any("year" in line for line in ran.report.limitations)
    assert any("country" in each and " × " in each for each in grouped(ran)) or said


async def test_a_list_of_all_is_a_table_of_fifty_and_says_how_many_there_are(tools_file: Path, tmp_path: Path) -> None:
    ran = await ask("List all tools", tmp_path, data=tools_file, replays=False)
    assert "| tool_id | name | depot | price |\n| --- |" in ran.report.markdown
    assert [cells_of(claim.text)[1] for claim in ran.cited if BAR in claim.text][1:] == [
        f"Wrench {n}" for n in range(1, 51)
    ]
    assert any("50 of the 60" in line for line in ran.report.limitations)


async def test_one_record_is_told_with_all_of_its_fields(tools_file: Path, tmp_path: Path) -> None:
    ran = await ask("What does Wrench 7 cost?", tmp_path, data=tools_file, replays=False)
    assert "| T007 | Wrench 7 | South | 17 |" in ran.report.markdown


async def test_what_is_to_be_listed_is_what_the_records_are_called_and_no_condition(
    tools_file: Path, tmp_path: Path
) -> None:
    ran = await ask("List all gadgets", tmp_path, data=tools_file, replays=False)
    assert "| T060 |" not in ran.report.markdown and "| T050 | Wrench 50 |" in ran.report.markdown
    away = await ask("List all tools in Narnia", tmp_path / "away", data=tools_file, replays=False)
    assert "Wrench" not in away.report.markdown


async def test_as_bullet_points_says_how_and_not_what(tools_file: Path, tmp_path: Path) -> None:
    query = "List all tools in the North depot as bullet points"
    ran = await ask(query, tmp_path, data=tools_file, replays=False)
    assert ran.report.limitations == () and "bullet" not in ran.report.markdown
    points = [line for line in ran.report.markdown.splitlines() if line.startswith("- T0")]
    assert len(points) == 30 and all(", Wrench " in line for line in points)


# ── Tools that fail ────────────────────────────────────────────────────────────────────────────────────────────────

Fails = Callable[[DataRequest, int], Exception | None]


async def with_faults(folder: Path, fault: Fails, query: str) -> tuple[Report, list[Event], list[DataRequest]]:
    """The rules, on a dataset whose tool fails."""
    dataset, reasoner = SimulatedDataset(fault=fault), ExtractiveReasoner()
    store = SqliteRunStore(folder / "fathom.db")
    try:
        await store.create_run(a_run(query=query, reasoner=pin(reasoner), limits=Limits()))
        run = await store.run("run_one")
        report = await execute(run, store=store, reasoner=reasoner, sources=AtHand(datasets=[dataset]))
        return report, [stored.event for stored in await store.events("run_one")], dataset.called
    finally:
        await store.close()


def pages(called: list[DataRequest]) -> list[DataRequest]:
    """Pages of records; one of a single record asks how many there are."""
    return [each for each in called if each.is_page and (each.page_size or 0) > 1]


def too_large(request: DataRequest, _: int) -> Exception | None:
    is_large = request.is_page and (request.page_size or 100) > 25
    return ResultTooLarge("The answer would have 9 MB.") if is_large else None


def busy_once(request: DataRequest, before: int) -> Exception | None:
    is_page = request.is_page and (request.page_size or 0) > 1
    return Unavailable("503, try again") if is_page and before == 0 else None


def second_page_fails(request: DataRequest, _: int) -> Exception | None:
    return Unavailable("503, try again") if request.search_after else None


def count_fails(request: DataRequest, _: int) -> Exception | None:
    return Unavailable("503, try again") if not request.is_page else None


async def test_a_page_that_is_too_large_is_asked_for_less_until_all_is_read(tmp_path: Path) -> None:
    report, _, called = await with_faults(tmp_path, too_large, "List all events in India")
    (coverage,) = report.coverage.datasets
    assert (coverage.matched, coverage.scanned, coverage.capped_by) == (165, 165, None)
    assert [each.page_size for each in pages(called)][:3] == [100, 50, 25]


async def test_the_size_that_fits_is_kept_for_the_pages_behind_it(tmp_path: Path) -> None:
    _, _, called = await with_faults(tmp_path, too_large, "List all events in India")
    assert {each.page_size for each in pages(called)[3:]} == {25}


async def test_a_page_that_was_busy_is_asked_for_again(tmp_path: Path) -> None:
    report, _, _ = await with_faults(tmp_path, busy_once, "List all events in India")
    assert report.coverage.datasets[0].scanned == 165


async def test_after_a_page_that_fails_research_ends_and_says_how_much_was_read(tmp_path: Path) -> None:
    report, events, _ = await with_faults(tmp_path, second_page_fails, "List all events in India")
    (ended,) = [each for each in events if isinstance(each, DatasetEnded)]
    assert ended.turns == 2
    assert any("100 of 165" in line for line in report.limitations) and report.claims


async def test_after_a_count_that_fails_there_are_no_idle_turns(tmp_path: Path) -> None:
    _, events, _ = await with_faults(tmp_path, count_fails, "India events by event_theme")
    turns = [each for each in events if isinstance(each, TurnDirected)]
    assert sum(each.agents == ("synthesizer",) for each in turns) <= 1
