"""`fathom export`: the stored report in the form that each file's ending says."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from fathom.wiring.exports import FORMS
from tests.cli.conftest import QUESTION, Call


@pytest.fixture
def run_id(call: Call, notes: Path) -> str:
    assert call("research", QUESTION, "--docs", notes, "--quiet").code == 0
    return json.loads(call("runs", "--format", "json").out)[0]["run_id"]  # type: ignore[no-any-return]


def test_a_report_is_written_as_research_writes_it(call: Call, run_id: str, tmp_path: Path) -> None:
    names = ("md", "json", "html")
    flags = [part for name, flag in zip(names, ("--out", "--json", "--html"), strict=True)
             for part in (flag, tmp_path / f"replayed.{name}")]  # fmt: skip
    assert call("replay", run_id, *flags).code == 0

    done = call("export", run_id, *(tmp_path / f"taken.{name}" for name in names))

    assert (done.code, done.out) == (0, "")
    for name in names:
        assert (tmp_path / f"taken.{name}").read_bytes() == (tmp_path / f"replayed.{name}").read_bytes()


def test_nothing_is_asked_and_the_folder_of_the_documents_may_be_gone(
    call: Call, run_id: str, notes: Path, tmp_path: Path
) -> None:
    notes.rename(tmp_path / "elsewhere")

    done = call("export", run_id[:-2], tmp_path / "sources.CSL.json", tmp_path / "sources.bib")

    assert done.code == 0, done.err
    assert done.err.splitlines() == [f"Report: {tmp_path}/sources.CSL.json", f"Report: {tmp_path}/sources.bib"]
    items = json.loads((tmp_path / "sources.CSL.json").read_text(encoding="utf-8"))
    assert items[0]["id"] == f"{run_id}_S1"
    assert len(json.loads(call("runs", "--format", "json").out)) == 1


def test_no_file_says_where_on_this_machine_the_documents_are(call: Call, run_id: str, tmp_path: Path) -> None:
    files = [tmp_path / "away" / f"report.{ending}" for ending in FORMS]
    files[0].parent.mkdir()

    assert call("export", run_id, *files).code == 0

    for file in files:
        assert str(tmp_path).encode() not in file.read_bytes(), file.name


@pytest.mark.parametrize("name", ["report.exe", "report", "-", "report.md.txt"])
def test_an_unknown_ending_is_refused_with_those_that_are_known(call: Call, run_id: str, here: Path, name: str) -> None:
    done = call("export", run_id, "fine.bib", name)

    assert (done.code, len(done.complaints)) == (2, 1)
    assert all(re.search(rf"\.{re.escape(ending)}\b", done.complaints[0]) for ending in FORMS)
    assert not (here / "fine.bib").exists()


def test_a_run_without_a_report_says_how_to_have_one(call: Call, run_id: str, home: Path, here: Path) -> None:
    with sqlite3.connect(home / "runs.sqlite3") as db:
        db.execute("DELETE FROM reports")

    done = call("export", run_id, "report.bib")

    assert done.code == 1
    assert f"has no report yet: `fathom resume {run_id}`" in done.complaints[0]
    assert not (here / "report.bib").exists()


def test_a_run_that_is_not_there_and_a_folder_that_is_not_there_are_usage(call: Call, run_id: str) -> None:
    assert call("export", "run_zzz", "report.bib").code == 2
    missing = call("export", run_id, "nowhere/report.bib")
    assert (missing.code, len(missing.complaints)) == (2, 1)
    assert call("export", run_id).code == 2
