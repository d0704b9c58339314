"""`fathom update` and `fathom compare`: what has changed, and `fathom fork --question`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fathom.text.own import REPORT_MARK
from tests.cli.conftest import QUESTION, Call


@pytest.fixture
def run_id(call: Call, notes: Path) -> str:
    assert call("research", QUESTION, "--docs", notes, "--quiet").code == 0
    return runs(call)[0]["run_id"]  # type: ignore[no-any-return]


def runs(call: Call) -> list[dict[str, Any]]:
    return json.loads(call("runs", "--format", "json").out)  # type: ignore[no-any-return]


def edit(notes: Path) -> None:
    file = notes / "naming.md"
    file.write_text(file.read_text(encoding="utf-8").replace("NameError", "LookupError"), encoding="utf-8")
    (notes / "context.txt").unlink()


def test_an_update_gives_the_report_and_then_what_has_changed(call: Call, run_id: str, notes: Path) -> None:
    edit(notes)

    done = call("update", run_id)

    assert done.code == 0, done.err
    assert f"researches {run_id} again, over what its sources hold today" in done.err
    report, changes, rest = done.out.split(REPORT_MARK)
    assert report.startswith(f"# {QUESTION}") and "LookupError" in report and rest == "\n"
    assert changes.startswith(f"\n\n# What has changed: {QUESTION}")
    assert "a ~~NameError~~ exception is raised." in changes and "a **LookupError** exception is raised." in changes
    newest = runs(call)[0]
    assert newest["sources"]["update_of"] == run_id
    assert f"(updates {run_id})" in call("runs").out
    assert call("compare", newest["run_id"]).out == changes.lstrip() + REPORT_MARK + "\n"


def test_what_has_not_changed_is_said(call: Call, run_id: str, tmp_path: Path) -> None:
    done = call("update", run_id, "--quiet", "--out", tmp_path / "report.md")

    assert (done.code, done.err) == (0, "")
    assert "Nothing has changed: every sentence is as it was." in done.out
    assert (tmp_path / "report.md").read_text(encoding="utf-8").startswith(f"# {QUESTION}")


def test_where_the_json_of_the_report_is_printed_nothing_else_is(call: Call, run_id: str) -> None:
    done = call("update", run_id, "--json", "-")

    assert json.loads(done.out)["query"] == QUESTION


def test_two_runs_are_compared_in_every_format(call: Call, run_id: str, notes: Path, tmp_path: Path) -> None:
    edit(notes)
    assert call("fork", run_id, "--quiet").code == 0
    new = runs(call)[0]["run_id"]
    md, html, data = tmp_path / "c.md", tmp_path / "c.html", tmp_path / "c.json"

    done = call("compare", run_id, new, "--out", md, "--html", html, "--json", data)

    assert (done.code, done.out, done.err) == (0, "", "")
    told = json.loads(data.read_text(encoding="utf-8"))
    assert (told["old"]["run_id"], told["new"]["run_id"], told["unchanged"]) == (run_id, new, False)
    assert {"changed", "same"} <= told["counts"].keys()
    assert md.read_text(encoding="utf-8") == call("compare", new).out
    assert "<ins>LookupError</ins>" in html.read_text(encoding="utf-8")
    assert json.loads(call("compare", run_id, new, "--json", "-").out) == told
    for file in (md, html, data):
        assert str(notes) not in file.read_text(encoding="utf-8")


def test_a_comparison_that_lies_in_the_documents_is_not_read_as_one(
    call: Call, run_id: str, notes: Path, tmp_path: Path
) -> None:
    edit(notes)
    call("update", run_id, "--quiet", "--out", tmp_path / "report.md")
    new = runs(call)[0]["run_id"]
    call("compare", new, "--out", notes / "changes.md", "--html", notes / "changes.html")

    done = call("update", new, "--out", tmp_path / "report.md")

    assert done.err.count("it is a report of Fathom, which is no source") == 2, done.err
    assert "Nothing has changed" in done.out


@pytest.mark.parametrize("command", [("update", "run_none"), ("compare", "run_none"), ("compare", "{id}", "run_none")])
def test_a_run_that_is_not_there_is_said_in_a_line(call: Call, run_id: str, command: tuple[str, ...]) -> None:
    done = call(*(each.format(id=run_id) for each in command))

    assert (done.code, done.out) == (2, "")
    assert done.complaints == ["fathom: No run is named 'run_none': `fathom runs` lists them."]


def test_what_cannot_be_compared_is_said_in_a_line(call: Call, run_id: str, notes: Path, tmp_path: Path) -> None:
    itself = call("compare", run_id, run_id)
    alone = call("compare", run_id)
    nowhere = call("compare", run_id, "run_none", "--out", tmp_path / "none" / "c.md")
    shutil.rmtree(notes)
    gone = call("update", run_id)

    assert [each.code for each in (itself, alone, nowhere, gone)] == [2, 2, 2, 2]
    assert itself.complaints == [f"fathom: Both are {run_id}: name two runs to compare."]
    assert alone.complaints == [f"fathom: {run_id} updates no other run: name two runs to compare."]
    assert "there is no folder" in nowhere.complaints[0] and len(nowhere.complaints) == 1
    assert gone.complaints == [f"fathom: There is no file or folder {notes}."]


def test_a_fork_asks_another_question_of_the_same_documents(call: Call, run_id: str) -> None:
    done = call("fork", run_id, "--question", "When is a finally clause executed?")

    assert done.code == 0, done.err
    assert done.out.startswith("# When is a finally clause executed?") and "whether an exception occurred" in done.out
    assert f"researches {run_id} again: When is a finally clause executed?" in done.err
    assert runs(call)[0]["sources"]["fork_of"] == run_id
    empty = call("fork", run_id, "--question", " ")
    assert empty.code == 2 and empty.complaints[0].startswith("fathom: The question is empty.")
