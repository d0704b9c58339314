"""What a question leaves open, asked at a terminal, and from another one."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.clarification import Choice, OpenPoint
from fathom.cli.clarifying import Clarifying
from fathom.errors import UsageError
from fathom.steering import Answer, Approval
from tests.cli.conftest import Call

Spawn = Callable[..., subprocess.Popen[str]]

FEES = "What does a family pay per year?"
PATIENCE = 60


@pytest.fixture
def fees(tmp_path: Path) -> Path:
    folder = tmp_path / "fees"
    folder.mkdir()
    for year, amount in (("2022", 96), ("2026", 120)):
        text = f"# Fees of the club {year}\n\nA family pays {amount} euros per year, a child {amount // 4} euros.\n"
        (folder / f"fees-{year}.md").write_text(text, encoding="utf-8")
    return folder


def points(*names: str) -> Approval:
    made = tuple(
        OpenPoint(
            question=f"Which {name}?",
            choices=tuple(Choice(label=f"{name} {n}", question=f"What of {name} {n}?") for n in (1, 2)),
        )
        for name in names
    )
    return Approval(id="question_1", about="question", open_points=made)


def typed(asked: Approval, *lines: str) -> Answer | None:
    clarifying, said = Clarifying(asked), None
    for line in lines:
        assert said is None
        said = clarifying.take(line)
    return said


def test_one_point_is_asked_after_the_other() -> None:
    clarifying = Clarifying(points("year", "町"))
    assert [*clarifying.lines()] == ["Which year? (1 of 2)", "  1  year 1", "  2  year 2"]
    assert clarifying.take("2") is None
    assert next(clarifying.lines()) == "Which 町? (2 of 2)"
    assert clarifying.take(" 丘の上の町 ") == Answer(decision="answer", answers=("2", " 丘の上の町 "))


def test_an_empty_line_leaves_it_open() -> None:
    assert typed(points("year"), "") == typed(points("year", "town"), " ", "") == Answer(decision="accept")
    assert typed(points("year", "town"), "", "1") == Answer(decision="answer", answers=("", "1"))


def test_the_number_of_no_choice_is_asked_for_again() -> None:
    clarifying = Clarifying(points("year"))
    for line in ("3", "0", "x" * 301):
        with pytest.raises((UsageError, ValueError)):
            clarifying.take(line)
    assert clarifying.take("1") == Answer(decision="answer", answers=("1",))


def test_at_a_terminal_it_is_asked_there(spawn: Spawn, fees: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    terminal, inside = pty.openpty()
    arguments = ("research", FEES, "--docs", fees, "--clarify", "--out", "report.md")
    process = spawn(*arguments, stdin=inside, stdout=inside, stderr=inside)
    os.close(inside)
    shown, answered, end = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                shown += os.read(terminal, 65_536)
            except OSError:
                break
        elif process.poll() is not None:
            break
        if not answered and b"leaves it open" in shown:
            os.write(terminal, b"9\n2\n")
            answered = True
    process.wait(timeout=PATIENCE)
    os.close(terminal)
    told = shown.decode("utf-8", "replace")
    assert process.returncode == 0, told
    assert "Which of these do you mean?" in told and "There is no choice 9" in told and "it continues with the" in told
    choice = next(line.split("2  ")[1].strip() for line in told.splitlines() if line.startswith("  2  "))
    report = Path("report.md").read_text(encoding="utf-8")
    assert [f"{amount} euros per year" in report for amount in (96, 120)] == [
        year in choice for year in ("2022", "2026")
    ]


def test_from_another_terminal_it_is_shown_answered_and_answered_once(call: Call, spawn: Spawn, fees: Path) -> None:
    process = spawn("research", FEES, "--docs", fees, "--clarify", "--json", "report.json")
    end = time.monotonic() + PATIENCE
    while "question" not in call("runs").out and time.monotonic() < end:
        time.sleep(0.1)
    [run] = json.loads(call("runs", "--format", "json").out)
    id = run["run_id"]
    shown = call("approve", id, "--show").out
    assert shown.startswith("question_1\nWhich of these do you mean?\n  1  ") and "as it stands at" in shown
    [asked] = json.loads(call("approve", id, "--show", "--format", "json").out)
    labels = [each["label"] for each in asked["open_points"][0]["choices"]]
    for arguments in (("--answer", "7"), ("--answer", "1", "--answer", "2"), ("--reject",), ("--answer", " ")):
        code, _, err = call("approve", id, *arguments)
        assert (code, err.count("\n")) == (2, 1), err
    assert call("approve", id, "--answer", "1", "--reject").code == 2
    assert call("approve", id, "--answer", "1").err == "The question question_1: answer.\n"
    code, _, err = call("approve", id, "question_1", "--answer", "2")
    assert code == 1 and ("settled before" in err or "answered before" in err)
    assert process.wait(timeout=PATIENCE) == 0
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert report["clarified"]["answers"] == [labels[0]] and report["query"] == FEES
    assert report["clarified"]["question"] == f"{labels[0]}: {FEES}"


def test_a_clear_question_waits_for_nobody(call: Call, fees: Path) -> None:
    code, _, err = call("research", "What did a family pay in 2022?", "--docs", fees, "--clarify", "--out", "report.md")
    assert code == 0 and "Waits" not in err
