"""What a plan says that a run will take, held against what it took.  Prints a line for each question, and the sum.

Run `python benchmarks/estimates.py [FILE.toml …] [--corpora FOLDER] [--effort quick|standard|deep]`; by default the
questions are those of `evals/everyday_look.toml` whose documents are in `evals/everyday`. No model is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import tomllib
from pathlib import Path

import fathom
from fathom.limits import Effort
from fathom.settings import load_settings

EVALS = Path(__file__).parent.parent / "evals"


async def main(files: list[Path], corpora: Path, effort: Effort) -> None:
    """Plan and research each question."""
    ratios, times = list[float](), list[float]()
    asked = [question for file in files for question in tomllib.loads(file.read_text(encoding="utf-8"))["question"]]
    with tempfile.TemporaryDirectory() as home:
        for each in asked:
            documents = corpora / each["corpus"]
            if not documents.is_dir():
                continue
            settings = load_settings(home=Path(home), kb=each["corpus"], effort=effort)
            plan = await fathom.plan_for(each["query"], documents=[documents], settings=settings)
            report = await fathom.research(each["query"], documents=[documents], settings=settings)
            expected, took = plan.estimate, sum(report.usage.calls.values())
            ratios.append(expected.calls_typical / took)
            times.append(expected.seconds_typical / report.usage.seconds)
            print(
                f"{each['id']:<22}{len(plan.plan.subtasks)} parts: about {expected.calls_typical:>3} calls "
                f"({expected.calls_low} to {expected.calls_high}), took {took:>3}; "
                f"about {expected.seconds_typical:.0f} s, took {report.usage.seconds:.1f}",
                flush=True,
            )
    for name, values in (("calls", ratios), ("seconds", times)):
        within = sum(0.5 <= value <= 2 for value in values)
        spread = f"{min(values):.2f} to {max(values):.2f}"
        print(f"{name}: {within} of {len(values)} within a factor of two, typical / taken from {spread}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[EVALS / "everyday_look.toml"])
    parser.add_argument("--corpora", type=Path, default=EVALS / "everyday")
    parser.add_argument("--effort", default="standard", choices=("quick", "standard", "deep"))
    given = parser.parse_args()
    asyncio.run(main(given.files, given.corpora, given.effort))
