"""`fathom fork`: the question of a run again, as a new run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fathom_testing.model_server import ModelServer
from tests.cli.conftest import QUESTION, Call


@pytest.fixture
def run_id(call: Call, notes: Path) -> str:
    assert call("research", QUESTION, "--docs", notes, "--quiet").code == 0
    return runs(call)[0]["run_id"]  # type: ignore[no-any-return]


def runs(call: Call) -> list[dict[str, Any]]:
    return json.loads(call("runs", "--format", "json").out)  # type: ignore[no-any-return]


def test_a_fork_offline_gives_a_report_although_the_files_are_gone(call: Call, run_id: str, notes: Path) -> None:
    shutil.rmtree(notes)

    done = call("fork", run_id, "--offline", "--max-words", "150")

    assert done.code == 0, done.err
    assert done.out.startswith(f"# {QUESTION}")
    assert f"researches {run_id} again, from what it has read" in done.err
    newest, first = runs(call)
    assert first["run_id"] == run_id
    assert newest["sources"]["fork_of"] == run_id
    assert (newest["query"], newest["limits"]["max_words"]) == (QUESTION, 150)
    assert call("replay", newest["run_id"]).out == done.out
    assert call("sources", newest["run_id"]).out.startswith("Cited: ")


def test_a_fork_reads_its_documents_again(call: Call, run_id: str, notes: Path) -> None:
    assert call("fork", run_id, "--quiet").code == 0
    shutil.rmtree(notes)

    done = call("fork", run_id)

    assert done.code == 2
    assert done.complaints == [f"fathom: There is no file or folder {notes}."]


def test_a_run_that_is_not_there_is_said_in_a_line(call: Call, run_id: str) -> None:
    done = call("fork", f"{run_id}x", "--offline")

    assert (done.code, done.out) == (2, "")
    assert done.complaints == [f"fathom: No run is named '{run_id}x': `fathom runs` lists them."]


def test_a_fork_may_ask_a_model_that_its_run_did_not_ask_and_keeps_the_one_that_it_did(
    call: Call, run_id: str, notes: Path
) -> None:
    shutil.rmtree(notes)
    with ModelServer() as server:
        model = ("--model", "openai:fathom-test", "--base-url", f"{server.url}/v1")
        assert call("fork", run_id, "--offline", "--quiet", *model).code == 0
        asked = len(server.calls)
        assert asked
        with_model = runs(call)[0]["run_id"]

        done = call("fork", with_model, "--offline", "--quiet", "--no-cache")

        assert done.code == 0, done.err
        assert len(server.calls) > asked
    again = runs(call)[0]
    assert (again["sources"]["fork_of"], again["models"]["model"]) == (with_model, "openai:fathom-test")
