"""How fast the command is, from its help to a report over a real corpus: prints a table.

Run `python benchmarks/command.py [--pages FOLDER] [--question TEXT]`. Without `--pages` it takes the PostgreSQL
documentation that `make eval` fetches; when that is not there, only the rows that need no pages are printed.
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

FATHOM = [sys.executable, "-m", "fathom"]
QUESTION = (
    "How does PostgreSQL decide when to run autovacuum on a table, and what happens if the transaction ID age "
    "gets too high?"
)
ROUNDS = 5


def cpu_of(command: list[str]) -> float:
    """Seconds of CPU, user and system, that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
    row("fathom --help, CPU", f"{statistics.median(cpu_of([*FATHOM, '--help']) for _ in range(ROUNDS)):.2f} s")
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
