"""How fast the command is, from its help to a report over a real corpus: prints a table.

Run `python benchmarks/command.py [--pages FOLDER] [--question TEXT]`. First the seconds of CPU, user and system, that
each command takes over the corpus of the demo, with what it imports; the last of them asks the model server of the
tests, which is a part of this process. Then, over `--pages`, the time until the report; without it, over the PostgreSQL
documentation that `make eval` fetches, when that is there.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fathom_testing.model_server import ModelServer

ROOT = Path(__file__).parents[1]
FATHOM = [sys.executable, "-m", "fathom"]
SIX = (
    "How does Python resolve names in nested scopes, how are exceptions raised and handled, how do context managers "
    "work, how do generators work, how are classes created, and how does the import system find modules?"
)
ONE = "How do generators work?"
QUESTION = (
    "How does PostgreSQL decide when to run autovacuum on a table, and what happens if the transaction ID age "
    "gets too high?"
)
ROUNDS = 5


def cpu_of(command: list[str], *, home: Path) -> tuple[float, float]:
    """Seconds of CPU, user and system, that a command takes: the least and the median of some rounds."""
    taken = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        called(command, home=home)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken), statistics.median(taken)


def called(command: list[str], *, home: Path) -> str:
    """What a command prints."""
    environment = {**os.environ, "FATHOM_HOME": str(home)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each call would compile Fathom anew
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    return done.stdout.decode()


def costs(home: Path) -> None:
    """Print what each command costs."""
    docs = home / "corpus"
    called([sys.executable, str(ROOT / "examples" / "write_corpus.py"), str(docs)], home=home)
    called([*FATHOM, "ingest", str(docs)], home=home)
    report = ["research", SIX, "--docs", str(docs), "--quiet", "--out", os.devnull]
    called([*FATHOM, *report], home=home)
    run = called([*FATHOM, "runs"], home=home).split()[0]
    with ModelServer() as server:
        model = ["--model", "openai:fathom-test", "--base-url", f"{server.url}/v1", "--no-cache", "--max-depth", "1"]
        for name, arguments in {
            "--version": ["--version"],
            "--help": ["--help"],
            "runs": ["runs"],
            "kb search": ["kb", "search", "generators"],
            "show": ["show", run],
            "sources": ["sources", run],
            "replay, six subtasks": ["replay", run],
            "research without a model, one subtask": ["research", ONE, *report[2:]],
            "research without a model, six subtasks": report,
            "research over the wire, six subtasks": [*report, *model],
        }.items():
            least, median = cpu_of([*FATHOM, *arguments], home=home)
            row(f"fathom {name}, CPU, least and median", f"{least:.2f} / {median:.2f} s")


def research(question: str, pages: Path, home: Path) -> tuple[float, float, float]:
    """Seconds until the first line, seconds until the report, and seconds of the run's own account."""
    report = home / "report.json"
    command = [*FATHOM, "research", question, "--docs", str(pages), "--out", os.devnull, "--json", str(report)]
    started = time.perf_counter()
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "FATHOM_HOME": str(home)}
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()
        first = time.perf_counter() - started
        process.stderr.read()
    if process.returncode:
        raise SystemExit(f"fathom research failed with {process.returncode}")
    whole = time.perf_counter() - started
    return first, whole, json.loads(report.read_text(encoding="utf-8"))["usage"]["seconds"]


def row(name: str, value: str) -> None:
    """Print a row of the table."""
    print(f"{name:<60} {value:>12}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, default=Path("eval-corpora/postgresql-doc-15"))
    parser.add_argument("--question", default=QUESTION)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        costs(Path(name))
    if not given.pages.is_dir():
        print(f"no pages in {given.pages}: `make eval` fetches them")
        return
    count = sum(1 for path in given.pages.rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as name:
        first, whole, _ = research(given.question, given.pages, Path(name))
        row("fathom research, first line", f"{first:.2f} s")
        row(f"first report over {count:,} pages, reading them included", f"{whole:.1f} s")
        later = [research(given.question, given.pages, Path(name)) for _ in range(ROUNDS)]
        row(f"next reports over {count:,} pages, whole command", f"{statistics.median(w for _, w, _ in later):.1f} s")
        row("of these, the run", f"{statistics.median(run for *_, run in later):.2f} s")


if __name__ == "__main__":
    main()
