"""What research with a language model takes, against the model server of the tests: prints a table.

Run `python benchmarks/models.py [--latency SECONDS] [--docs FOLDER]`. Without `--docs` it writes out the corpus of the
demo. The server answers each call after the latency, with what the extractive reasoner would say, so the figures tell
about Fathom and not about a model: how many calls, how long their longest chain, how many tokens, and what the client
costs. The chain is the largest number of calls of which none overlaps another.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FATHOM = [sys.executable, "-m", "fathom"]
SIX = (
    "How does Python resolve names in nested scopes, how are exceptions raised and handled, how do context managers "
    "work, how do generators work, how are classes created, and how does the import system find modules?"
)
DEEP = SIX
SIMPLE = "What does the nonlocal statement do?"


@dataclass
class Measured:
    """One run."""

    name: str
    calls: list[dict[str, Any]]
    report: dict[str, Any]
    seconds_of_cpu: float
    megabytes: float

    @property
    def chain(self) -> int:
        """The largest number of calls of which none overlaps another: greedy by the end of each."""
        count, free = 0, 0.0
        for call in sorted(self.calls, key=lambda call: call["end"]):
            if call["start"] >= free - 0.001:
                count, free = count + 1, call["end"]
        return count


def measure(name: str, question: str, docs: Path, url: str, log: Path, *, home: Path, options: list[str]) -> Measured:
    """Run the command once, with the journal of a home of its own."""
    before = len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0
    report = home / "report.json"
    command = [*FATHOM, "research", question, "--docs", str(docs), "--model", "openai:fathom-test", "--base-url", url]
    command += ["--out", os.devnull, "--json", str(report), "--quiet", "--no-cache", *options]
    process = subprocess.Popen(command, env={**os.environ, "FATHOM_HOME": str(home)})
    _, status, taken = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"fathom research failed with {os.waitstatus_to_exitcode(status)}")
    lines = log.read_text(encoding="utf-8").splitlines()[before:]
    return Measured(
        name,
        [json.loads(line) for line in lines if json.loads(line)["model"]],
        json.loads(report.read_text(encoding="utf-8")),
        taken.ru_utime + taken.ru_stime,
        taken.ru_maxrss / 1024,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--docs", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home, log = Path(name), Path(name) / "calls.jsonl"
        docs = given.docs or home / "corpus"
        if given.docs is None:
            subprocess.run([sys.executable, str(ROOT / "examples" / "write_corpus.py"), str(docs)], check=True)
        subprocess.run(
            [*FATHOM, "ingest", str(docs)],
            check=True,
            env={**os.environ, "FATHOM_HOME": str(home)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        serve = [sys.executable, "-m", "fathom.testing.model_server", "--port", "0", "--log", str(log)]
        server = subprocess.Popen([*serve, "--latency", str(given.latency)], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().rsplit(" ", 1)[-1].strip() + "/v1"
            runs = [
                measure("six subtasks", SIX, docs, url, log, home=home, options=["--max-depth", "1"]),
                measure("six subtasks, deep", DEEP, docs, url, log, home=home, options=["--effort", "deep"]),
                measure("a simple question", SIMPLE, docs, url, log, home=home, options=[]),
            ]
        finally:
            server.terminate()
    head = ("", "subtasks", "calls", "chain", "prompt tokens", "answer tokens", "wall s", "wall/chain", "CPU s", "MB")
    table = [head]
    for run in runs:
        usage, chain = run.report["usage"], run.chain
        table.append(
            (
                run.name,
                str(len(run.report["subtasks"])),
                str(len(run.calls)),
                str(chain),
                f"{sum(call['prompt_tokens'] for call in run.calls):,}",
                f"{sum(call['completion_tokens'] for call in run.calls):,}",
                f"{usage['seconds']:.2f}",
                f"{usage['seconds'] / max(1e-9, chain * given.latency):.3f}",
                f"{run.seconds_of_cpu:.2f}",
                f"{run.megabytes:.0f}",
            )
        )
    for line in table:
        print(f"{line[0]:<22}" + "".join(f"{cell:>15}" for cell in line[1:]))


if __name__ == "__main__":
    main()
