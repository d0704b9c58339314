"""Whole runs over MCP servers of somebody else's: of other shapes, and such as misbehave."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.data.servers import Server
from fathom.errors import FathomError
from fathom.events import DatasetDescribed, Event, ToolCalled, TurnDirected
from fathom.report import Report
from fathom.settings import Settings
from tests.support.doubles.data_server import FAULTS, served
from tests.support.mcp_serving import Faulty, called, faulty, plain

QUESTION = "How are the records in India distributed by theme?"

SHORT = ("dies", "loop", "hostile-values")
"""The faults that are tried each time; all others are among the long counts, of servers of the SDK."""


async def ask(server: Server, home: Path, query: str = QUESTION) -> tuple[Report, list[Event]]:
    told: list[Event] = []
    report = await fathom.research(
        query,
        mcp=[server],
        limits={"max_time": 60},
        settings=Settings(home=home),
        on_event=lambda stored: told.append(stored.event),
    )
    return report, told


async def test_a_server_of_another_shape_is_counted_and_read(tmp_path: Path) -> None:
    with served("elastic") as url:
        report, told = await ask(Server(url=url), tmp_path)
    (coverage,) = report.coverage.datasets
    assert (coverage.total, coverage.matched, coverage.scanned) == (165, 42, 42)
    (figure,) = report.figures
    assert sum(int(row[1]) for row in figure.rows) == 42
    assert all(claim.verified for claim in report.claims)
    assert any(isinstance(event, ToolCalled) and event.groups for event in told)


async def test_a_server_that_only_lists_text_is_read_to_its_end(tmp_path: Path) -> None:
    with served("listing") as url:
        report, _ = await ask(Server(url=url), tmp_path)
    (coverage,) = report.coverage.datasets
    assert coverage.scanned == 165
    assert all("India" in claim.text for claim in report.claims)


async def test_a_plan_calls_no_tool_that_does_not_declare_that_it_reads(tmp_path: Path) -> None:
    for fault, tried in (("undeclared", []), ("none", ["list_events"])):
        server = plain(fault, log=tmp_path / fault)
        await fathom.plan_for(QUESTION, mcp=[server], settings=Settings(home=tmp_path / "home"))
        assert called(tmp_path / fault) == tried


async def test_a_run_calls_what_is_named_like_reading_and_says_what_it_refuses(tmp_path: Path) -> None:
    log = tmp_path / "calls"
    _, told = await ask(plain("undeclared", log=log), tmp_path)
    (described,) = (event for event in told if isinstance(event, DatasetDescribed))

    assert set(called(log)) == {"list_events"}
    assert set(described.refused) == {"delete_all", "remove_event", "halt_cluster"}
    assert "name it at the command line" in described.refused["halt_cluster"]


@pytest.mark.parametrize(
    ("made", "fault"),
    [*((plain, each) for each in SHORT), *(pytest.param(faulty, each, marks=pytest.mark.soak) for each in FAULTS)],
)
async def test_a_server_that_misbehaves_costs_no_more_than_its_own_part(
    made: Faulty, fault: str, tmp_path: Path
) -> None:
    log = tmp_path / "calls.log"
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "india.md").write_text(
        "# India\n\nRecords in India are kept by theme in a blue ledger.\n", encoding="utf-8"
    )
    told: list[Event] = []
    report = await fathom.research(
        QUESTION,
        documents=[notes],
        mcp=[made(fault, log=log, timeout=2)],
        limits={"max_time": 60},
        settings=Settings(home=tmp_path / "home"),
        on_event=lambda stored: told.append(stored.event),
    )
    assert any(source.kind == "file" for source in report.sources), "the documents are answered from all the same"
    assert sum(isinstance(event, TurnDirected) for event in told) <= 10 * len(report.subtasks)
    assert "delete_all" not in (log.read_text(encoding="utf-8") if log.exists() else "")
    assert "<script" not in report.markdown and "](http" not in report.markdown


async def test_a_dataset_that_cannot_be_reached_is_said_and_nothing_is_claimed(tmp_path: Path) -> None:
    with pytest.raises(FathomError, match="has ended"):
        await ask(plain("dies-at-start"), tmp_path)
