"""What research with a language model takes, against the model server of the tests: prints a table.

Run `python benchmarks/models.py [--latency SECONDS] [--docs FOLDER] [--window TOKENS]`. Without `--docs` it writes out
the corpus of the demo. The server answers each call after the latency, with what the extractive reasoner would say, so
the figures tell about Fathom and not about a model: how many calls, how long their longest chain, how many tokens, and
what the client costs, which is the command in a process of its own. In the run that goes deeper the server finds
every subtask of the first level superficial and names two areas. The last column says how many of the report's claims a
model has judged. The chain is the largest number of calls of which none overlaps another.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom_testing.model_server import ModelServer
from fathom_testing.model_server.answers import Prompt, known

ROOT = Path(__file__).parents[1]
FATHOM = [sys.executable, "-m", "fathom"]
SIX = (
    "How does Python resolve names in nested scopes, how are exceptions raised and handled, how do context managers "
    "acquire and release resources, how do generator functions yield values, how is the metaclass of a class "
    "determined, and how does the import system find modules?"
)
SIMPLE = "What does the nonlocal statement do?"


@dataclass
class Measured:
    """One run."""

    name: str
    calls: list[Any]
    """Entries of the server's log."""
    report: dict[str, Any]
    seconds_of_cpu: float
    megabytes: float

    @property
    def chain(self) -> int:
        """The largest number of calls of which none overlaps another: greedy by the end of each."""
        count, free = 0, 0.0
        for call in sorted(self.calls, key=lambda call: call.end):
            if call.start >= free - 0.02:  # an end is taken down a moment after the answer has gone out
                count, free = count + 1, call.end
        return count


def measure(name: str, question: str, docs: Path, server: ModelServer, *, home: Path, options: list[str]) -> Measured:
    """Run the command once."""
    before = len(server.calls)
    report = home / "report.json"
    command = [*FATHOM, "research", question, "--docs", str(docs), "--model", "openai:fathom-test"]
    command += ["--base-url", f"{server.url}/v1", "--out", os.devnull, "--json", str(report), "--quiet", "--no-cache"]
    process = subprocess.Popen([*command, *options], env={**os.environ, "FATHOM_HOME": str(home)})
    _, status, taken = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"fathom research failed with {os.waitstatus_to_exitcode(status)}")
    return Measured(
        name,
        [call for call in server.calls[before:] if call.model],
        json.loads(report.read_text(encoding="utf-8")),
        taken.ru_utime + taken.ru_stime,
        taken.ru_maxrss / 1024,
    )


@contextmanager
def everything_superficial() -> Iterator[None]:
    """Let the server find each subtask that may be drilled into superficial."""
    answers = known()
    usual: Callable[[Prompt], dict[str, Any]] = answers["ExtractFindings"]

    def superficial(prompt: Prompt) -> dict[str, Any]:
        answer = usual(prompt)
        if "Name no areas" not in prompt.system and answer["findings"]:
            areas = ["its rules", "its exceptions"]
            answer["evaluation"] |= {"depth": "superficial", "sufficient": False, "areas": areas}
        return answer

    answers["ExtractFindings"] = superficial
    try:
        yield
    finally:
        answers["ExtractFindings"] = usual


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--window", type=int, default=8_192, help="tokens that the model holds")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ModelServer(latency=given.latency, window=given.window) as server:
        home = Path(name)
        docs = given.docs or home / "corpus"
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if given.docs is None:
            write = [sys.executable, str(ROOT / "examples" / "write_corpus.py"), str(docs)]
            subprocess.run(write, check=True, **silent)
        ingest = [*FATHOM, "ingest", str(docs)]
        subprocess.run(ingest, check=True, env={**os.environ, "FATHOM_HOME": name}, **silent)
        runs = [
            measure("six subtasks", SIX, docs, server, home=home, options=["--max-depth", "1"]),
            measure("a simple question", SIMPLE, docs, server, home=home, options=[]),
        ]
        with everything_superficial():
            options = ["--max-depth", "2", "--max-children", "2"]
            runs.append(measure("drilled down", SIX, docs, server, home=home, options=options))
    head = tuple(",subtasks,calls,a subtask,chain,sent,received,wall s,wall/chain,CPU s,MB,judged".split(","))
    table = [head]
    for run in runs:
        usage, chain, subtasks = run.report["usage"], run.chain, len(run.report["subtasks"])
        table.append(
            (
                run.name,
                str(subtasks),
                str(len(run.calls)),
                f"{len(run.calls) / subtasks:.1f}",
                str(chain),
                f"{sum(call.prompt_tokens for call in run.calls):,}",
                f"{sum(call.completion_tokens for call in run.calls):,}",
                f"{usage['seconds']:.2f}",
                f"{usage['seconds'] / max(1e-9, chain * given.latency):.3f}",
                f"{run.seconds_of_cpu:.2f}",
                f"{run.megabytes:.0f}",
                f"{sum(each['judged_by'] == 'model' for each in run.report['claims'])}/{len(run.report['claims'])}",
            )
        )
    for line in table:
        print(f"{line[0]:<18}" + "".join(f"{cell:>12}" for cell in line[1:]))


if __name__ == "__main__":
    main()
