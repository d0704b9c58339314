"""The example of a source of one's own, as a person asks it: by its place, by a name, and as an installed package."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Done, call, here, home

__all__ = ["call", "here", "home"]
EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "When is the Norvik database backed up, and how long are the backups kept?"


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "notes.db"
    runpy.run_path(str(EXAMPLES / "notes_source.py"))["write"](path)
    monkeypatch.setenv("NOTES", str(path))
    monkeypatch.syspath_prepend(str(EXAMPLES))


def told(done: Done) -> None:
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert {source["uri"] for source in report["sources"]} == {
        "https://notes.example/backups",
        "https://notes.example/vault",
    }
    assert {source["published"] for source in report["sources"]} == {"2025-06-02", "2025-05-11"}
    assert report["claims"] and all(claim["citations"] for claim in report["claims"])
    assert "**Backups (2025-06-02)** [S" in report["markdown"]


def test_it_is_asked_by_its_place_and_its_report_cites_it(call: Call) -> None:
    told(call("research", QUESTION, "--source", "notes_source:Notes", "--json", "-", "--no-web"))


def test_it_is_asked_by_the_name_that_the_settings_give_it(call: Call, here: Path) -> None:
    (here / "fathom.toml").write_text('[sources]\nnotes = "notes_source:Notes"\n', encoding="utf-8")
    told(call("research", QUESTION, "--source", "notes", "--json", "-"))


def test_a_package_brings_it_along(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "packages" / "team_notes-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: team-notes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fathom.sources]\nteam-notes = notes_source:Notes\ngone = no_such:Thing\n")
    monkeypatch.syspath_prepend(str(info.parent))
    told(call("research", QUESTION, "--source", "team-notes", "--json", "-"))

    done = call("research", QUESTION, "--source", "team-notes", "--source", "gone", "--json", "-")
    assert "The source 'gone' cannot be made: ModuleNotFoundError: No module named 'no_such'." in done.err
    assert json.loads(done.out)["claims"], "the others are read all the same"


def test_a_name_that_is_none_is_refused_with_those_that_are(call: Call) -> None:
    done = call("research", QUESTION, "--source", "notess")

    assert done.code == 2 and len(done.complaints) == 1 and "'notess'" in done.complaints[0]
