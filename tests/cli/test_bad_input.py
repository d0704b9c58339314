"""Bad input: one clear line, the right exit code, nothing lost, never a traceback."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import QUESTION, Call, Done


def assert_refused(done: Done, said: str, *, code: int) -> None:
    assert done.code == code, done
    assert len(done.complaints) == 1, done.err
    assert said in done.complaints[0]
    assert "Traceback" not in done.err and not done.out


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "The question is empty"),
        (" \n\t", "The question is empty"),
        ("\x00\x07", "The question is empty"),
        ("🤖🎉❓", "no letter and no digit"),
        ("?! …", "no letter and no digit"),
        ("why? " * 10_000, "has 49,999 characters and may have 8,000"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(call: Call, home: Path, question: str, said: str) -> None:
    done = call("research", question)
    assert_refused(done, said, code=2)
    assert done.err.count("\n") == 1
    assert not home.exists()


@pytest.mark.parametrize("flag", ["--model", "--model-fast", "--fallback-model", "--base-url"])
def test_a_model_without_a_name_is_no_run_without_a_model(call: Call, notes: Path, flag: str) -> None:
    assert_refused(call("research", QUESTION, "--docs", notes, flag, " "), "it is empty", code=2)


def test_no_documents_and_no_other_source(call: Call) -> None:
    assert_refused(call("research", QUESTION), "Add --docs PATH", code=2)
    assert_refused(call("plan", QUESTION), "Add --docs PATH", code=2)


def test_a_knowledge_base_that_became_empty_counts_as_no_documents(call: Call, notes: Path) -> None:
    assert call("ingest", notes).code == 0
    assert call("kb", "remove", notes).code == 0
    assert_refused(call("research", QUESTION), "Add --docs PATH", code=2)


def test_an_empty_folder(call: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert_refused(call("research", QUESTION, "--docs", tmp_path / "empty"), "There are no documents in", code=2)


def test_a_folder_in_which_nothing_can_be_read(call: Call, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_bytes(b"\x00\x01\x02")
    done = call("research", QUESTION, "--docs", tmp_path / "note.txt")
    assert_refused(done, "it is a binary file", code=2)


@pytest.mark.parametrize("command", [("research", QUESTION, "--docs"), ("plan", QUESTION, "--docs"), ("ingest",)])
def test_a_path_that_is_not_there(call: Call, command: tuple[str, ...]) -> None:
    assert_refused(call(*command, "nowhere/notes"), "There is no file or folder", code=2)


@pytest.mark.parametrize("command", [("research", QUESTION, "--docs"), ("ingest",)])
@pytest.mark.parametrize("name", ["loop", "x" * 300])
def test_a_path_that_cannot_be_followed(call: Call, here: Path, command: tuple[str, ...], name: str) -> None:
    (here / "loop").symlink_to("loop")
    done = call(*command, name)
    assert done.code == 2 and len(done.complaints) == 1, done


@pytest.mark.parametrize("name", ["loop", "x" * 300])
def test_a_file_whose_name_cannot_be_used_is_refused_before_the_work(
    call: Call, here: Path, home: Path, notes: Path, name: str
) -> None:
    (here / "loop").symlink_to("loop")
    assert_refused(call("research", QUESTION, "--docs", notes, "--out", name), "cannot be written", code=2)
    assert not home.exists()


@pytest.mark.parametrize("command", [("kb", "search"), ("kb", "remove"), ("show",), ("research",), ("runs", "--x")])
def test_an_argument_that_is_no_text(call: Call, command: tuple[str, ...]) -> None:
    assert_refused(call(*command, "what\udcff"), "is not UTF-8", code=2)


@pytest.mark.parametrize("command", ["show", "resume", "fork", "replay", "delete"])
def test_an_unknown_run(call: Call, command: str) -> None:
    done = call(command, "run_nothing")
    assert_refused(done, "`fathom runs` lists them", code=2)
    assert len(done.err.splitlines()) == 1, "nothing is said to go on that is not there"


def test_a_document_that_cannot_be_read_is_named_and_the_rest_goes_on(call: Call, notes: Path) -> None:
    (notes / "broken.txt").write_bytes(b"\x00\x01\x02\x03")

    done = call("research", QUESTION, "--docs", notes)

    assert done.code == 0 and done.out.startswith("# ")
    assert any("broken.txt" in line and "binary" in line for line in done.err.splitlines())


@pytest.mark.parametrize("name", ["runs.sqlite3", "knowledge/default.sqlite3"])
def test_a_corrupt_database(call: Call, home: Path, notes: Path, name: str) -> None:
    file = home / name
    file.parent.mkdir(parents=True)
    file.write_bytes(b"this is no database, but it is long enough to look like one" * 100)
    before = file.read_bytes()

    assert_refused(call("research", QUESTION, "--docs", notes), file.name, code=1)

    assert file.read_bytes() == before


def test_damaged_checkpoints_are_set_aside_and_the_run_goes_on(call: Call, home: Path, notes: Path) -> None:
    home.mkdir()
    damaged = b"this is no database, but it is long enough to look like one" * 100
    (home / "checkpoints.sqlite3").write_bytes(damaged)

    assert call("research", QUESTION, "--docs", notes).code == 0
    run_id = call("runs").out.split()[0]
    assert "completed" in call("show", run_id, "--state").out

    assert (home / "checkpoints.sqlite3.damaged").read_bytes() == damaged


def test_a_replay_and_a_plan_need_no_checkpoints(call: Call, home: Path, notes: Path) -> None:
    report = call("research", QUESTION, "--docs", notes).out
    run_id = call("runs").out.split()[0]
    (home / "checkpoints.sqlite3").write_bytes(b"this is no database")
    assert call("replay", run_id).out == report
    assert call("plan", QUESTION).code == 0


def test_a_home_that_cannot_be_written(call: Call, home: Path, notes: Path) -> None:
    home.write_text("a file stands in the way")
    assert_refused(call("research", QUESTION, "--docs", notes), "FATHOM_HOME", code=1)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("reasoner = 'psychic'", "Unknown reasoner 'psychic'. Known: extractive"),
        ("colour = 'red'", "colour"),
        ("effort = 'heroic'", "effort"),
        ("effort = ", "fathom.toml cannot be read"),
        ("[limits]\nmax_dept = 2", "There is no limit 'max_dept'. Did you mean 'max_depth'?"),
        ("[limits]\nmax_time = 'soon'", "Limit 'max_time' is wrong"),
        ("kb = '../../etc'", "kb"),
    ],
)
def test_a_wrong_setting_is_named(call: Call, here: Path, notes: Path, toml: str, said: str) -> None:
    (here / "fathom.toml").write_text(toml)
    assert_refused(call("research", QUESTION, "--docs", notes), said, code=2)


def test_a_place_that_cannot_be_written_is_refused_before_the_work(call: Call, home: Path, notes: Path) -> None:
    assert_refused(call("research", QUESTION, "--docs", notes, "--out", "no/such/report.md"), "no folder", code=2)
    assert not home.exists()


Spawn = Callable[..., subprocess.Popen[str]]


def test_a_full_disk_is_said_in_a_line_and_the_run_goes_on_when_there_is_room(
    spawn: Spawn, call: Call, notes: Path
) -> None:
    assert call("ingest", notes).code == 0

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))

    process = spawn("research", QUESTION, preexec_fn=little_room)
    out, err = process.communicate(timeout=60)
    assert_refused(Done(process.returncode, out, err), "full", code=1)

    run_id = call("runs").out.split()[0]
    done = call("resume", run_id)
    assert done.code == 0 and done.out.startswith("# "), done


@pytest.mark.usefixtures("slow")
def test_two_runs_at_once_do_not_disturb_each_other(
    spawn: Spawn, call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = spawn("research", QUESTION, "--docs", notes)
    assert process.stderr is not None and any("Run run_" in line for line in process.stderr)
    monkeypatch.setenv("FATHOM_REASONER", "extractive")

    done = call("research", "What is a context manager?", "--docs", notes)
    out, err = process.communicate(timeout=60)

    for code, told, said in (done, (process.returncode, out, err)):
        assert (code, told[:2]) == (0, "# "), said


@pytest.mark.parametrize(
    ("variables", "flags", "said"),
    [
        ({"FATHOM_NO_WEB": "true"}, ["--web"], "no_web is set"),
        ({"FATHOM_NO_WEB": "true"}, ["--search", "wikipedia"], "no_web is set"),
        ({}, ["--no-web", "--web"], "--no-web forbids"),
        ({}, ["--search", ","], "--search names no provider"),
        ({}, ["--allow", "example.org"], "add --web"),
        ({"FATHOM_SEARCH_RATES": "x"}, ["--web"], "written as JSON"),
    ],
)
def test_flags_of_the_web_that_contradict_what_is_set_are_refused(
    call: Call,
    notes: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    flags: list[str],
    said: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for command in ("research", "plan"):
        assert_refused(call(command, QUESTION, "--docs", notes, *flags), said, code=2)
    assert not home.exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--data", ""), "--data is empty"),
        (("--data", "gone.csv"), "no file or folder gone.csv"),
        (("--mcp", ""), "--mcp is empty"),
        (("--mcp", "nobody-knows-it"), "no server of the settings"),
        (("--mcp-tool", "x"), "needs exactly one --mcp"),
        (("--mcp", "https://data.example/mcp", "--mcp-header", "x"), "is written 'NAME: VALUE'"),
    ],
)
def test_data_that_cannot_be_asked_are_refused_before_any_work(call: Call, flags: tuple[str, ...], said: str) -> None:
    assert_refused(call("research", QUESTION, *flags), said, code=2)
