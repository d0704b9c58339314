"""What becomes of a question without a model: are its parts kept, each with what it is about?  Prints a table.

Run `python benchmarks/plans.py [FILE.jsonl …] [--each]`; by default the files are those of `evals/plans`. A part is
found when a subtask's searches hold its words, its aspect and its topic; a plan is right when all parts are found in
subtasks of their own, with one more at most, and a question that asks one thing stays one. `strays` counts plans that
search for what is no part: politeness, framing, wishes for a form. `--each` shows those that are not right.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from fathom.asks import PlanResearch
from fathom.evidence import Retrieval
from fathom.plan import MasterPlan
from fathom.reasoners.extractive.plan import plan_research

FOLDER = Path(__file__).parent.parent / "evals" / "plans"
MOST_PARTS = 10

Row = dict[str, Any]


def searched(plan: MasterPlan) -> list[str]:
    """What is searched for each subtask."""
    return [" ".join(query.text for query in subtask.queries).casefold() for subtask in plan.subtasks]


def holds(text: str, words: str) -> bool:
    """Whether a search has all of some words."""
    words = words.casefold()
    return words in text or all(word in text for word in words.split())


def found(parts: list[list[str]], searches: list[str]) -> int:
    """How many parts have a search of their own, the shortest that holds their words."""
    free = list(searches)
    for part in parts:
        if own := sorted((text for text in free if all(holds(text, words) for words in part)), key=len):
            free.remove(own[0])
    return len(searches) - len(free)


def judged(row: Row) -> tuple[MasterPlan, int, bool, bool]:
    """The plan of a question, its parts that were found, whether it is right, and whether it strays."""
    question = PlanResearch(
        query=row["question"],
        language=row["language"],
        mode="auto",
        max_questions=MOST_PARTS,
        sources=(),
        preview=Retrieval(),
    )
    plan = plan_research(question)
    searches = searched(plan)
    count, wanted = found(row["parts"], searches), len(row["parts"])
    is_right = count == wanted and (len(searches) == 1 if wanted == 1 else len(searches) <= wanted + 1)
    strays = len(searches) > 1 and any(holds(text, words) for text in searches for words in row["not_parts"])
    return plan, count, is_right, strays


def main(argv: list[str] | None = None) -> None:
    """Print a table for each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", type=Path, default=sorted(FOLDER.glob("*.jsonl")))
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args(argv)
    for path in options.files:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        counts: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
        for row in rows:
            plan, count, is_right, strays = judged(row)
            for key in (f"{row['kind']} {row['language']}", "all"):
                told = (1, is_right, count, len(row["parts"]), strays)
                counts[key] = [old + new for old, new in zip(counts[key], told, strict=True)]
            if options.each and not (is_right and not strays):
                print(row["question"], *(f"  {text}" for text in searched(plan)), sep="\n")
        print(f"\n{path.stem:16} questions  right  parts found  strays")
        for key, (questions, right, count, wanted, strays_told) in sorted(counts.items(), key=lambda one: one[0]):
            print(f"{key:16} {questions:9} {right / questions:6.2f} {count:7}/{wanted:<4} {strays_told:7}")


if __name__ == "__main__":
    main()
