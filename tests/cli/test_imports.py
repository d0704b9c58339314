"""What a command does not import: most of the time that a short one takes is the time of its imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import QUESTION, Call

FRAMEWORK = {"langgraph", "langchain", "langchain_core", "langsmith"}
RESEARCH = {
    "aiosqlite",
    "duckdb",
    "fastapi",
    "fathom.engine",
    "fathom.reasoners",
    "httpx",
    "httpx2",
    "numpy",
    "rich.live",
}
PAGES = {"playwright", "tld", "trafilatura"}
READING = {"fathom.knowledge.ingestion", "fathom.reading.chunking", "lxml"}
DATA = {
    "fathom.reasoners.extractive.data.question",
    "fathom.reasoners.extractive.data.records",
}

WATCH = """
import json, sys
from click.testing import CliRunner
from fathom.cli import commands

imported = {}
for line in json.loads(sys.argv[1]):
    done = CliRunner().invoke(commands, line, catch_exceptions=False)
    assert done.exit_code == 0 and done.output, (line, done.output)
    imported[" ".join(line)] = [*sys.modules]
print(json.dumps(imported))
"""


@pytest.mark.usefixtures("here")
def test_each_command_imports_no_more_than_it_needs(call: Call, notes: Path, tmp_path: Path) -> None:
    call("research", QUESTION, "--docs", notes)
    run_id = call("runs").out.split()[0]
    research = ["research", QUESTION, "--docs", str(notes), "--out", str(tmp_path / "report.md")]
    # one process for all, those that import the least first: what the earlier ones have imported is still there
    lines: list[tuple[list[str], set[str]]] = [
        (["--help"], FRAMEWORK | RESEARCH | PAGES | {"pydantic", "sqlite3"}),
        (["runs"], FRAMEWORK | RESEARCH | PAGES | {"fathom.asks", "fathom.knowledge", "fathom.text.analysis"}),
        (["kb", "search", "scope"], FRAMEWORK | RESEARCH | PAGES | READING | {"fathom.asks"}),
        (["show", run_id], FRAMEWORK | {"duckdb", "numpy", "httpx", "rich.live"} | PAGES),
        (["sources", run_id], FRAMEWORK | {"duckdb", "numpy", "httpx", "rich.live"} | PAGES),
        (["source", run_id, "S1"], FRAMEWORK | {"duckdb", "numpy", "httpx", "rich.live"} | PAGES),
        (["replay", run_id], FRAMEWORK | DATA | {"duckdb", "httpx", "aiosqlite"} | PAGES),
        (research, FRAMEWORK | DATA | {"duckdb", "httpx", "aiosqlite"} | PAGES),
    ]

    watched = subprocess.run(
        [sys.executable, "-c", WATCH, json.dumps([line for line, _ in lines])], capture_output=True, text=True
    )

    assert not watched.returncode, watched.stderr
    imported = json.loads(watched.stdout)
    needless = {line[0]: sorted(unwanted & set(imported[" ".join(line)])) for line, unwanted in lines}
    assert needless == {line[0]: [] for line, _ in lines}


@pytest.mark.parametrize("more", ["", "duckdb, "])
def test_the_end_of_a_command_looks_for_no_cycles_in_what_it_has_imported_and_is_silent(more: str) -> None:
    told_last = f"import {more}atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0))"
    done = subprocess.run(
        [sys.executable, "-c", f"{told_last}; from fathom.cli import main; main(['--version'])"],
        capture_output=True,
        text=True,
    )
    assert (done.stdout.splitlines()[-1], done.stderr) == (str(not more), ""), done
