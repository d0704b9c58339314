"""Questions that need more than one search, and plain ones that do not: which moves a run makes, and what they bring.

Run `python benchmarks/adaptive.py FOLDER…`, each with `docs/`, `questions.toml` and perhaps `web/` and `data/` (see
`evals/README.md`). `--without drill_down,refine,revise,reflect` leaves out moves; `--each` prints a line for each
question. No model is asked, and the pages of `web/` are served on this machine.

A move is a further search that what was found has called for: a drill-down, a refinement, a revision of the plan, or
research after reflection. It is right when it goes after at least half the words of a thing that the question's author
has named, or when a fact is told that only a move brings. Of a plain question none is right.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fathom
from fathom.events import Allocated, DrilledDown, PlanRevised, StoredEvent
from fathom.report import Report
from fathom.settings import Settings, load_settings
from fathom.text.analysis import query_terms, terms
from fathom_testing.half_web import on_web
from fathom_testing.little_web import LittleWeb

KINDS = ("drill_down", "second_hop", "revise", "settle", "none")
HALF = 0.5
"""Share of the words of what a question's author has named, from which a move goes after it."""
OFF: dict[str, dict[str, int]] = {
    "drill_down": {"max_depth": 1},
    "refine": {"max_refinements": 0},
    "revise": {"max_revisions": 0},
    "reflect": {"max_reflections": 0},
}
"""The limits that leave a move out."""
_THINGS = re.compile(r"[;,、，]")
_WHITE = re.compile(r"\s+")


@dataclass(frozen=True)
class Outcome:
    """What came of a question."""

    id: str
    kind: str
    moves: dict[str, list[str]]
    """What each move went after, by its name."""
    is_right: bool
    by_move: tuple[int, int]
    """Facts that only a move brings: told, and asked for."""
    at_once: tuple[int, int]
    """Those that the first search shows."""
    outcome: str
    words: int
    calls: int
    seconds: float


def moves_of(events: Iterable[StoredEvent]) -> dict[str, list[str]]:
    """What a run went after beyond its first plan and the first queries of each subtask."""
    moves: dict[str, list[str]] = {}
    begun: set[str] = set()
    for stored in events:
        match stored.event:
            case DrilledDown(children=children):
                moves.setdefault("drill_down", []).extend(child.description for child in children)
            case PlanRevised(accepted=True, added=added):
                moves.setdefault("revise", []).extend(subtask.description for subtask in added)
            case Allocated(subtask_id=id, queries=queries) if id in begun:
                texts = dict.fromkeys(text for own in queries.values() for text in own)
                moves.setdefault("refine", []).extend(texts)
            case Allocated(subtask_id=id):
                begun.add(id)
            case _:
                continue
    return {name: texts for name, texts in moves.items() if texts}


def goes_after(about: str, moves: Iterable[str]) -> bool:
    """Whether any move holds half the words of a thing that the author has named."""
    things = [set(query_terms(thing)) for thing in _THINGS.split(re.sub(r"[(（].*?[)）]", "", about)) if thing.strip()]
    return any(len(wanted & set(terms(text))) >= HALF * len(wanted) for text in moves for wanted in things)


def told(report: Report, facts: Iterable[dict[str, Any]]) -> tuple[int, int]:
    """Facts that a cited sentence of the report states, and all."""
    texts = [_WHITE.sub(" ", claim.text) for claim in report.claims if claim.citations]
    facts = list(facts)
    return sum(any(re.search(fact["pattern"], text) for text in texts) for fact in facts), len(facts)


async def ask(question: dict[str, Any], corpus: Path, settings: Settings, limits: dict[str, int]) -> Outcome:
    """Research a question of a corpus."""
    events: list[StoredEvent] = []
    began = time.perf_counter()
    report = await fathom.research(
        question["query"],
        documents=[corpus / "docs"],
        data=sorted(corpus.glob("data/*.csv")) or None,
        limits=limits,
        settings=settings,
        on_event=events.append,
    )
    moves = moves_of(events)
    after = goes_after(question["about"], (text for texts in moves.values() for text in texts))
    by_move = told(report, (fact for fact in question["facts"] if fact["only_by_move"]))
    return Outcome(
        id=question["id"],
        kind=question["move"],
        moves=moves,
        is_right=after or (bool(moves) and by_move[0] > 0) if question["move"] != "none" else not moves,
        by_move=by_move,
        at_once=told(report, (fact for fact in question["facts"] if not fact["only_by_move"])),
        outcome=report.outcome,
        words=len(report.markdown.split()),
        calls=sum(report.usage.calls.values()),
        seconds=time.perf_counter() - began,
    )


async def main(folders: Sequence[Path], without: Sequence[str], each: bool) -> None:
    """Ask every question of every folder, and print the table."""
    limits = {name: value for move in without for name, value in OFF[move].items()}
    outcomes: list[Outcome] = []
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for folder in folders:
            settings = load_settings(home=home, kb=folder.name)
            if (folder / "web").is_dir():
                web = stack.enter_context(LittleWeb(generated=False))
                web.serve(folder / "web", host=f"{folder.name}.localhost")
                settings = on_web(settings, web)
            questions = tomllib.loads((folder / "questions.toml").read_text(encoding="utf-8"))["question"]
            for question in questions:
                outcomes.append(await ask(question, folder, settings, limits))
                if each:
                    print(line(outcomes[-1]), flush=True)
        shutil.rmtree(home, ignore_errors=True)
    print("\n".join(table(outcomes)))


def line(outcome: Outcome) -> str:
    """A question in a line."""
    moves = "; ".join(f"{name}: {', '.join(texts)[:160]}" for name, texts in outcome.moves.items())
    facts = f"{outcome.by_move[0]}/{outcome.by_move[1]} {outcome.at_once[0]}/{outcome.at_once[1]}"
    mark = "+" if outcome.is_right else "-"
    return f"{mark} {outcome.id:14}{outcome.kind:11}{facts:9}{outcome.outcome:9}{outcome.words:>5}  {moves}"


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """By the move that a question needs."""
    yield (
        f"{'needs':12}{'questions':>10}{'right':>7}{'any move':>10}{'by move':>9}{'at once':>9}{'words':>7}"
        f"{'calls':>7}{'seconds':>9}"
    )
    for kind in (*KINDS, "all but none"):
        own = [each for each in outcomes if each.kind == kind or (kind == "all but none" and each.kind != "none")]
        if not own:
            continue
        count = len(own)
        yield (
            f"{kind:12}{count:>10}{sum(each.is_right for each in own) / count:>7.2f}"
            f"{sum(bool(each.moves) for each in own) / count:>10.2f}"
            f"{_share(each.by_move for each in own):>9}{_share(each.at_once for each in own):>9}"
            f"{sum(each.words for each in own) / count:>7.0f}{sum(each.calls for each in own) / count:>7.1f}"
            f"{sum(each.seconds for each in own) / count:>9.2f}"
        )


def _share(facts: Iterable[tuple[int, int]]) -> str:
    found, asked = (sum(column) for column in zip(*facts, strict=True))
    return f"{found}/{asked}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--without", default="", help="moves to leave out, with commas between them")
    parser.add_argument("--each", action="store_true", help="a line for each question")
    given = parser.parse_args()
    asyncio.run(main(given.folders, [move for move in given.without.split(",") if move], given.each))
