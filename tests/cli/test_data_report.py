"""A report on data, as a person gets it: figures, pictures, how much was read, and what was asked."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fathom.report import Report
from fathom.stores.sqlite import SqliteRunStore
from fathom_testing.events import INDIA, LEAST, write_events
from tests.cli.conftest import Call
from tests.support.honest import faults_of, snapshots_of


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return write_events(tmp_path / "events.csv", LEAST)


async def _faults(home: Path, report: Report) -> list[str]:
    store = SqliteRunStore(home / "runs.sqlite3")
    try:
        return faults_of(report, await snapshots_of(store, report))
    finally:
        await store.close()


def faults(home: Path, path: Path) -> tuple[Any, list[str]]:
    report = Report.model_validate_json(path.read_text(encoding="utf-8"))
    return report, asyncio.run(_faults(home, report))


def test_a_report_on_data_shows_its_counts_and_draws_them(call: Call, here: Path, home: Path, events: Path) -> None:
    done = call("research", "India events by theme", "--data", events, "-o", "report.md", "--json", "report.json")

    assert done.code == 0
    report, wrong = faults(home, here / "report.json")
    assert wrong == []
    figure = report.figures[0]
    assert dict(zip(figure.labels, figure.values, strict=True)) == INDIA
    markdown = (here / "report.md").read_text(encoding="utf-8")
    assert f"![{figure.title}](report.F1.svg)\n\n**F1** · " in markdown
    ElementTree.parse(here / "report.F1.svg")
    read = f"\nevents: 165 of 165 matching records read (of {LEAST:,}); {report.coverage.datasets[0].counted} count"
    assert read in markdown
    source = next(source for source in report.sources if source.id == figure.source_id)
    assert json.loads(source.query.partition(" ")[2])["group_by"] == ["event_theme"]
    assert "The figures of the report" not in done.err

    shown = call("source", report.run_id, source.id).out
    assert f"query     {source.query}" in shown and "AI          |      50" in shown


@pytest.mark.usefixtures("read_here")
def test_what_was_not_read_is_said(
    call: Call, here: Path, home: Path, events: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    question = "List all events in India by theme"
    done = call(
        *("research", question, "--data", events, "-o", "report.md", "--json", "report.json", "--max-records", "5")
    )

    report, wrong = faults(home, here / "report.json")
    assert wrong == []
    (coverage,) = report.coverage.datasets
    assert (coverage.scanned, coverage.capped_by) == (5, "max_records")
    read = f"5 of {coverage.matched} matching records"
    assert f"events: {read} read (of {LEAST:,}), capped by max_records" in report.markdown
    assert f"Only {read} of “events” were read (capped by max_records)." in report.limitations
    assert done.err.count("pip install 'fathom-research[charts]'") == 1
    written = (here / "report.md").read_text(encoding="utf-8")
    assert written.replace("<../events.csv>", "<events.csv>") == report.markdown  # a link leads from where it stands


@pytest.mark.usefixtures("read_here")
def test_a_report_on_japanese_data_speaks_japanese(call: Call, here: Path, home: Path, tmp_path: Path) -> None:
    data = write_events(tmp_path / "イベント.csv", LEAST, language="ja")
    done = call("research", "インドのイベントをテーマ別に", "--data", data, "-o", "報告.md", "--json", "r.json", "-q")

    assert (done.code, done.err) == (0, "")
    report, wrong = faults(home, here / "r.json")
    assert wrong == []
    assert "| テーマ | 件数 |\n| --- | ---: |\n| 人工知能 | 50 |" in report.markdown
    assert "該当レコード165件のうち165件を読解（全2,000件）" in report.markdown
    assert "人工知能" in (here / "報告.F1.svg").read_text(encoding="utf-8")
    assert "%E5%A0%B1%E5%91%8A.F1.svg)" in (here / "報告.md").read_text(encoding="utf-8")


def test_all_records_of_a_list_that_the_report_has_a_part_of_stand_in_a_file_beside_it(
    call: Call, tmp_path: Path
) -> None:
    file = tmp_path / "tools.csv"
    file.write_text("tool_id,name,depot,price\n" + "".join(f"T{n},Wrench {n},North,{n}\n" for n in range(1, 131)))
    done = call("research", "List all tools", "--data", file, "-o", tmp_path / "list.md")
    assert f"Report: {tmp_path / 'list.tools.csv'}" in done.err
    assert sorted((tmp_path / "list.tools.csv").read_text().splitlines()) == sorted(file.read_text().splitlines())
    call("research", "List all tools below 20", "--data", file, "-o", tmp_path / "few.md")
    assert not list(tmp_path.glob("few.*.csv"))
