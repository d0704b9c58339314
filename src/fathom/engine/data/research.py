"""One pass of research on a dataset for a subtask, and what it leaves on the board."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from fathom.data.snapshots import records_in
from fathom.engine.context import Context
from fathom.engine.data.desk import Desk
from fathom.engine.data.graph import DATASET
from fathom.engine.data.shelf import grounded
from fathom.engine.data.state import DataBranch
from fathom.errors import NotFound
from fathom.events import DatasetEnded
from fathom.evidence import Query
from fathom.findings import CONFIDENT, DepthEvaluation, Finding
from fathom.ports.source import Counting
from fathom.report import DatasetCoverage


async def research(context: Context, id: str, name: str, queries: Sequence[Query], path: str) -> Desk:
    """Research a dataset for a subtask, turn by turn, until one of the rules ends it.

    What was found goes on the board, also when a limit of the run has cut it off: `Desk.stopped` says so.
    """
    desk = _desk(context, id, name, queries, f"{path}/data/{name}")
    start: DataBranch = {"subtask": id, "dataset": name, "turn": 0}
    await DATASET.walk(start, context, run_name=f"dataset {name} for {id}")
    new = await _put_on_board(desk)
    desk.news = len(new)
    reason = desk.ended.reason if desk.ended else ""
    if desk.shelf.left_over:
        reason += f"; {desk.shelf.left_over} less relevant findings are not kept"
    await context.emit(
        DatasetEnded(subtask_id=id, dataset=name, turns=desk.turn, reason=reason, findings=desk.shelf.found)
    )
    return desk


def _desk(context: Context, id: str, name: str, queries: Sequence[Query], path: str) -> Desk:
    """The desk of the subtask for this dataset, as the last pass has left it, ready for another one."""
    board = context.board
    subtask = board.subtasks[id].model_copy(update={"queries": tuple(queries)})
    if (id, name) not in board.desks:
        data = cast(Counting, context.sources[name])
        board.desks[id, name] = Desk(context, subtask=subtask, data=data, dataset=board.datasets[name])
    desk = board.desks[id, name]
    desk.subtask, desk.path = subtask, path
    desk.turn = desk.empty = desk.barren = desk.news = 0
    desk.planner_failed, desk.stopped, desk.ended = False, "", None
    desk.validation = desk.synthesis = None
    return desk


async def _put_on_board(desk: Desk) -> list[Finding]:
    """Hand the findings on, those whose quotes stand in their snapshots; returns the new ones."""
    board, id = desk.context.board, desk.subtask.subtask_id
    texts = await _texts(desk, (span.document for each in desk.shelf.findings for span in each.evidence))
    standing = grounded(desk.shelf.findings, texts)
    known = board.findings[id]
    new = [finding for finding in standing if finding.id not in known]
    known |= {finding.id: finding for finding in new}
    placed = {sha256: records_in(text) for sha256, text in texts.items()}
    spans = [span for finding in standing for span in finding.evidence]
    desk.named |= {each.id for span in spans for each in placed[span.document] if each.start <= span.start < each.end}
    for sha256, document in desk.documents.items():
        board.documents.setdefault(sha256, document)
        board.holders.setdefault(sha256, desk.dataset.name)
    if desk.synthesis is not None and desk.turns:
        desk.synthesis = desk.synthesis.model_copy(
            update={"findings": tuple(each for each in desk.synthesis.findings if each in known)}
        )
    return new


async def _texts(desk: Desk, documents: Iterable[str]) -> dict[str, str]:
    texts = {}
    for sha256 in dict.fromkeys(documents):
        try:
            texts[sha256] = await desk.context.store.snapshot(sha256)
        except NotFound:
            continue  # nothing can be quoted from what was not kept
    return texts


# ── What it comes to ───────────────────────────────────────────────────────────────────────────────────────────────


def evaluation_of(desks: Sequence[Desk], *, findings: int) -> DepthEvaluation:
    """How deep the findings of datasets go, as the loops have it: more queries of the same data would bring no more."""
    is_sufficient = findings > 0 and all(map(_is_answered, desks))
    return DepthEvaluation(
        is_sufficient=is_sufficient,
        depth_quality="deep" if is_sufficient else "adequate" if findings else "superficial",
        reasoning="; ".join(f"{desk.dataset.name}: {desk.ended.reason}" for desk in desks if desk.ended),
    )


def _is_answered(desk: Desk) -> bool:
    """Whether all that matches was read, or the answer is sure, or it rests on counts and nothing more was promised."""
    sure = desk.validation is not None and desk.validation.overall_confidence >= CONFIDENT
    if desk.reading == "complete" or (sure and not desk.promised):
        return True
    return not desk.promised and bool(desk.results) and desk.ended is not None and desk.ended.cause == "synthesized"


def coverage_of(desk: Desk) -> DatasetCoverage:
    """How much of the dataset was looked at for the subtask."""
    conditions = desk.in_force
    return DatasetCoverage(
        name=desk.dataset.name,
        tables=len(desk.dataset.tables) if desk.dataset.table else 0,
        asked=tuple(sorted(desk.tables)) or ((desk.dataset.table,) if desk.dataset.table else ()),
        total=desk.total,
        matched=desk.matched.get(conditions),
        fetched=desk.met.fetched[conditions],
        scanned=desk.met.read[conditions],
        extracted=len(desk.named),
        counted=len(desk.results),
        capped_by=_capped_by(desk),
        caveats=desk.caveats,
        subtask_id=desk.subtask.subtask_id,
    )


def _capped_by(desk: Desk) -> str | None:
    """What kept the rest from being read; `None` when nothing did, or nobody wanted to read it."""
    reading = desk.reading
    wanted = desk.promised or bool(desk.scans)
    if reading == "capped":
        return "max_records"
    if reading == "complete" or not wanted:
        return None
    if desk.stopped:
        return desk.stopped
    if reading == "blocked":
        return next((scan.blocked for scan in desk.scans.values() if scan.blocked), "a page could not be read")
    return "max_turns" if desk.ended is not None and desk.ended.cause == "max_turns" else None
