"""Runs in processes of their own: interrupted, killed, taken over, and on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.cli.terminal import INTERRUPTED
from tests.cli.conftest import QUESTION, Call

Spawn = Callable[..., subprocess.Popen[str]]
PATIENCE = 60.0


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """What the process says on standard error up to the line with these words."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if words in line:
            return said
    raise AssertionError(f"it never said {words!r}: {said}")


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)])
@pytest.mark.usefixtures("slow")
def test_one_interruption_ends_the_run_with_a_partial_report(
    spawn: Spawn, call: Call, notes: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = spawn("research", QUESTION, "--docs", notes, "--json", "-")
    read_until(process, "new passage")
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == INTERRUPTED, err
    report = json.loads(out)
    assert report["partial"] == "cancelled"
    assert f"fathom resume {report['run_id']}" in err

    monkeypatch.setenv("SLOW_SECONDS", "0")
    monkeypatch.syspath_prepend(os.environ["PYTHONPATH"])
    whole = json.loads(call("resume", report["run_id"], "--json", "-").out)
    assert whole["partial"] is None and whole["claims"]


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)])
@pytest.mark.usefixtures("slow")
def test_a_second_interruption_stops_at_once_and_the_run_can_be_resumed(
    spawn: Spawn, call: Call, notes: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW_SECONDS", "for ever")
    process = spawn("research", QUESTION, "--docs", notes)
    read_until(process, "starts")
    process.send_signal(number)
    read_until(process, "Ctrl-C again stops at once")
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)

    assert (process.returncode, out) == (INTERRUPTED, "")
    assert "Traceback" not in err
    run_id = err.split("fathom resume ")[1].split("`")[0]

    monkeypatch.setenv("SLOW_SECONDS", "0")
    monkeypatch.syspath_prepend(os.environ["PYTHONPATH"])
    assert call("resume", run_id).out.startswith("# ")


@pytest.mark.soak
@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("command", "told", "code"),
    [
        (("research", QUESTION, "--docs", "NOTES"), "starts", INTERRUPTED),
        (("research", QUESTION, "--docs", "NOTES", "--quiet"), "", -signal.SIGTERM),
        (("plan", QUESTION, "--docs", "NOTES"), "", -signal.SIGTERM),
        (("serve", "--port", "0"), "serves", 0),
        (("mcp",), "serves", 128 + signal.SIGTERM),
        (("mcp", "--http", "--port", "0"), "serves", 0),
        (("dataset", "serve", "FIFO"), "", None),
        (("ingest", "NOTES"), "Reading", None),
    ],
)
def test_one_sigterm_ends_any_command_whatever_it_waits_for(
    spawn: Spawn,
    notes: Path,
    tmp_path: Path,
    command: tuple[str, ...],
    told: str,
    code: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLOW_SECONDS", "for ever")
    os.mkfifo(tmp_path / "events.csv")
    paths = {"NOTES": notes, "FIFO": tmp_path / "events.csv"}
    process = spawn(*(paths.get(each, each) for each in command), stdin=subprocess.PIPE)
    if told:
        read_until(process, told)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == code or code is None, err
    assert "Traceback" not in err
    if code == INTERRUPTED:
        assert "fathom resume" in err


@pytest.mark.usefixtures("slow")
def test_a_killed_run_goes_on_and_asks_nothing_twice(
    spawn: Spawn, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = spawn("research", QUESTION, "--docs", notes)
    read_until(process, "new finding")
    process.kill()
    process.communicate(timeout=PATIENCE)
    monkeypatch.setenv("SLOW_SECONDS", "0")
    monkeypatch.syspath_prepend(os.environ["PYTHONPATH"])
    run_id = json.loads(call("runs", "--format", "json").out)[0]["run_id"]
    before = json.loads(call("show", run_id, "--state", "--format", "json").out)["journal"]

    done = call("resume", run_id)

    assert done.code == 0 and done.out.startswith("# ")
    after = json.loads(call("show", run_id, "--state", "--format", "json").out)["journal"]
    assert len(before) > 3 and after[: len(before)] == before
    assert len({(call["path"], call["request"]) for call in after}) == len(after)


@pytest.mark.usefixtures("slow")
def test_a_run_that_another_process_works_on_is_not_taken_from_it(
    spawn: Spawn, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW_SECONDS", "1")
    first = spawn("research", QUESTION, "--docs", notes)
    run_id = read_until(first, "Run run_").split("Run ")[1].split()[0]
    monkeypatch.setenv("SLOW_SECONDS", "0")
    monkeypatch.syspath_prepend(os.environ["PYTHONPATH"])

    second = call("resume", run_id)
    out, err = first.communicate(timeout=PATIENCE)

    assert (second.code, second.out) == (2, "")
    assert second.err.splitlines()[-1].startswith(f"fathom: The run {run_id} is under way in another process")
    assert first.returncode == 0 and out.startswith("# ") and "Traceback" not in err


SOME = 150_000
"""Bytes of a knowledge base that holds some of the notes; all take two million, and none a hundred thousand."""


def test_an_interrupted_ingestion_keeps_what_was_read_and_leaves_no_traceback(
    spawn: Spawn, call: Call, home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(2_000):
        text = "\n\n".join(f"Paragraph {each} of note {number} says something new." for each in range(4))
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n{text}\n")
    process = spawn("ingest", folder)
    os.setpriority(os.PRIO_PROCESS, process.pid, 19)  # on a busy machine it waits for us, and not we for it
    read_until(process, "Reading into the knowledge base")
    while sum(file.stat().st_size for file in home.rglob("default.sqlite3*")) < SOME:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130 and "Traceback" not in err and "What was finished is kept" in err
    assert 0 < len(json.loads(call("kb", "status", "--format", "json").out)) < 2_000


def on_a_terminal(process: subprocess.Popen[str], terminal: int) -> str:
    """Everything that the process writes to its terminal."""
    shown = b""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
        elif process.poll() is not None:
            break
    process.wait(timeout=PATIENCE)
    return shown.decode("utf-8", "replace")


def test_on_a_terminal_a_tree_is_drawn_and_the_report_is_shown_and_kept(
    spawn: Spawn, here: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LINES", "40")
    terminal, inside = pty.openpty()
    process = spawn("research", QUESTION, "--docs", notes, stdin=inside, stdout=inside, stderr=inside)
    os.close(inside)
    shown = on_a_terminal(process, terminal)
    os.close(terminal)

    assert process.returncode == 0, shown
    assert "✓" in shown and "2 of 2 parts done" in shown
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") > 0  # the cursor is given back
    assert "task_1:" not in shown  # the tree stands in place of the lines
    (kept,) = (here / "reports").iterdir()
    assert re.fullmatch(r"[\d-]{10}_How_is_a_name_looked_up_in_a_scope_and_how_are_exceptions\.md", kept.name)
    assert kept.read_text(encoding="utf-8").startswith("# ")
    assert f"Report: reports/{kept.name}" in shown


def test_a_terminal_that_cannot_be_drawn_on_gets_lines(
    spawn: Spawn, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    terminal, inside = pty.openpty()
    process = spawn("research", QUESTION, "--docs", notes, "--out", "report.md", stderr=inside)
    os.close(inside)
    shown = on_a_terminal(process, terminal)
    os.close(terminal)

    assert process.returncode == 0
    assert "task_1:" in shown and "\x1b" not in shown


def test_whoever_stops_reading_the_report_causes_no_traceback(spawn: Spawn, notes: Path) -> None:
    process = spawn("research", QUESTION, "--docs", notes)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=PATIENCE)
    assert "Traceback" not in err and "Exception ignored" not in err
