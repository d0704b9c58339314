"""The question "India events by theme" over 165 events in India, asked of a real server without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom import wiring
from fathom.data.snapshots import records_in
from fathom.errors import UsageError
from fathom.events import DatasetDescribed, Event, RecordsScanned, ToolCalled, TurnDirected
from fathom.report import Report
from fathom.settings import Settings
from fathom.wiring.readings import sources_seen
from fathom_testing.events import INDIA, LEAST, write_events

pytestmark = pytest.mark.usefixtures("read_here")

QUESTION = "India events by theme"


@pytest.fixture(scope="module")
def events_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_events(tmp_path_factory.mktemp("data") / "events.parquet", LEAST)


async def ask(query: str, path: Path, home: Path, **limits: object) -> tuple[Report, list[Event]]:
    told: list[Event] = []
    report = await fathom.research(
        query,
        data=[path],
        limits=limits,
        settings=Settings(home=home),
        on_event=lambda stored: told.append(stored.event),
    )
    return report, told


async def test_the_example_runs_with_its_numbers(events_file: Path, tmp_path: Path) -> None:
    report, told = await ask(QUESTION, events_file, tmp_path)

    (described,) = [event for event in told if isinstance(event, DatasetDescribed)]
    assert described.records == LEAST
    turns = [event for event in told if isinstance(event, TurnDirected)]
    assert (turns[0].agents, turns[0].tools) == (("decomposer",), ("analyze",))
    assert turns[0].warning == ""
    assert "165" in turns[1].warning and "UNFETCHED" in turns[1].warning
    assert "scanner" in turns[1].agents
    assert "synthesizer" in turns[-1].agents and len(turns) == 3
    first = next(event for event in told if isinstance(event, ToolCalled))
    assert (first.matched, first.groups) == (165, len(INDIA))
    assert [event.scanned for event in told if isinstance(event, RecordsScanned)] == [100, 165]

    (coverage,) = report.coverage.datasets
    assert (coverage.total, coverage.matched, coverage.fetched, coverage.scanned) == (LEAST, 165, 165, 165)
    assert coverage.capped_by is None
    figure = next(figure for figure in report.figures if figure.columns[0] == "event_theme")
    assert [(row[0], int(row[1])) for row in figure.rows] == list(INDIA.items())
    assert all(claim.verified for claim in report.claims)
    assert any("50" in claim.text and "30.3" in claim.text for claim in report.claims)
    assert "165 of 165" in report.markdown


async def test_a_replay_needs_no_file_and_gives_the_same_bytes(events_file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "events.parquet"
    copy.write_bytes(events_file.read_bytes())
    report, _ = await ask(QUESTION, copy, tmp_path / "home")
    copy.unlink()
    again = await fathom.replay(report.run_id, settings=Settings(home=tmp_path / "home"))
    assert again.model_dump_json() == report.model_dump_json()


async def test_a_cap_on_records_is_said_and_the_counts_are_still_of_all(events_file: Path, tmp_path: Path) -> None:
    report, _ = await ask("List all events in India", events_file, tmp_path, max_records=40)
    (coverage,) = report.coverage.datasets
    assert (coverage.matched, coverage.scanned, coverage.capped_by) == (165, 40, "max_records")
    assert "40 of 165" in report.markdown
    assert any("40" in line and "165" in line for line in report.limitations)


async def test_a_question_that_needs_every_record_reads_every_record(events_file: Path, tmp_path: Path) -> None:
    report, told = await ask("How many events in India mention quantum computing?", events_file, tmp_path)
    (coverage,) = report.coverage.datasets
    assert coverage.matched == coverage.scanned == 12
    assert any("12" in claim.text for claim in report.claims)
    assert [event.scanned for event in told if isinstance(event, RecordsScanned)][-1] == 12


async def test_documents_and_data_are_asked_in_one_run(events_file: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "strategy.md").write_text(
        "# Strategy for India\n\nOur strategy for India puts events about AI first, because partners ask for them.\n",
        encoding="utf-8",
    )
    report = await fathom.research(
        "What does our strategy say about events in India, and how are the events in India distributed by theme?",
        documents=[notes],
        data=[events_file],
        settings=Settings(home=tmp_path / "home"),
    )
    assert {source.kind for source in report.sources} == {"file", "dataset"}
    assert all(claim.verified for claim in report.claims)


async def test_every_page_of_records_that_was_read_is_listed_cited_or_not(events_file: Path, tmp_path: Path) -> None:
    report, _ = await ask("List all events in India", events_file, tmp_path)
    async with wiring.opened_store(Settings(home=tmp_path)) as store:
        seen = [each for each in await sources_seen(store, report.run_id) if each.kind == "dataset"]
        texts = [await store.snapshot(each.sha256) for each in seen]
    listed = [record.id for text in texts for record in records_in(text)]
    assert len(listed) == len(set(listed)) == 165
    assert all(each.query.startswith("analyze ") for each in seen)
    assert {each.id for each in seen if each.id} == {source.id for source in report.sources}


async def test_a_fork_asks_the_file_again_and_an_offline_one_is_refused(events_file: Path, tmp_path: Path) -> None:
    report, _ = await ask(QUESTION, events_file, tmp_path)
    settings = Settings(home=tmp_path)
    again = await fathom.fork(report.run_id, settings=settings)
    assert again.run_id != report.run_id
    assert [figure.rows for figure in again.figures] == [figure.rows for figure in report.figures]
    with pytest.raises(UsageError, match="asked datasets"):
        await fathom.fork(report.run_id, offline=True, settings=settings)
