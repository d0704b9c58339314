"""`fathom show --findings`: what became of each finding."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from fathom.report import Report
from fathom.stores.sqlite import SqliteRunStore
from tests.cli.conftest import Call
from tests.contracts import a_run
from tests.support.composed_report import composed_report

ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e"


async def _stored(path: Path, report: Report) -> None:
    store = SqliteRunStore(path)
    await store.create_run(a_run(report.run_id))
    await store.save_report(report.run_id, report, fence=await store.acquire(report.run_id))
    await store.close()


@pytest.fixture
def run_id(home: Path, here: Path) -> str:  # noqa: ARG001 - `here` names the home
    """A run whose findings were cited, merged and left out; one of them was found for a part of a part."""
    report = composed_report()
    deeper = report.findings[1].model_copy(update={"subtask_id": "task_1.2", "claim": f"61 % saved{ESCAPES}"})
    report = report.model_copy(update={"findings": (report.findings[0], deeper, *report.findings[2:])})
    asyncio.run(_stored(home / "runs.sqlite3", report))
    return report.run_id


def test_each_finding_is_shown_under_its_part_with_where_it_went(call: Call, run_id: str) -> None:
    lines = call("show", run_id, "--findings").out.splitlines()

    assert [" ".join(line.split()) for line in lines] == [
        "task_1 How are events distributed?",
        "cited C1, C2 S2 We choose Borg.",
        "cited C15 S1 61 % saved ]0;owned [2J",
        "merged C16 S2 Borg saves 40 % more. f2 says the same",
        "left out S2 Jonas keeps the key. it does not help to answer",
        "",
        "4 findings: 2 cited, 1 merged, 1 left out.",
    ]


def test_a_program_gets_them_as_an_array(call: Call, run_id: str) -> None:
    found = json.loads(call("show", run_id, "--findings", "--format", "json").out)

    assert [(each["id"], each["fate"], each["claims"], each["sources"]) for each in found] == [
        ("f1", "cited", ["C1", "C2"], ["S2"]),
        ("f2", "cited", ["C15"], ["S1"]),
        ("f3", "merged", ["C16"], ["S2"]),
        ("f4", "left_out", [], ["S2"]),
    ]
    assert {each["part"] for each in found} == {"How are events distributed?"}
    assert found[3]["why"] == "it does not help to answer"
