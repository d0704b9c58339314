"""What research on a dataset leaves on the board, what it thinks of that itself, and how much it has looked at."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.data.snapshots import records_in
from fathom.engine.context import Context
from fathom.engine.data.desk import Desk
from fathom.engine.data.shelf import grounded
from fathom.findings import CONFIDENT, DepthEvaluation
from fathom.report import DatasetCoverage


async def hand_on(context: Context, path: str, desks: Sequence[Desk]) -> int:
    """Put what was found in a round on the board, dataset by dataset; returns how many findings are new.

    Also when a limit of the run has cut the research off: `Desk.stopped` says so.
    """
    return sum([await _hand_on(desk) for desk in await _in_order(context, path, desks)])


async def _in_order(context: Context, path: str, desks: Sequence[Desk]) -> Sequence[Desk]:
    """As they were asked; where that was done before planners took their turns together, as they have ended."""
    if len(desks) < 2:
        return desks
    by_name, place = {desk.dataset.name: desk for desk in desks}, f"{path}/data"
    names = sorted(by_name, key=lambda name: context.journal.last_of(f"{place}/{name}/"))
    if not (context.replay and context.journal.decision(place) is None):
        names = await context.decide(place, names)
    return [by_name[name] for name in names]


async def _hand_on(desk: Desk) -> int:
    """Those whose quotes stand in their snapshots."""
    board, name = desk.context.board, desk.dataset.name
    cited = dict.fromkeys(span.document for each in desk.shelf.findings for span in each.evidence)
    texts = {sha256: await desk.context.text_of(sha256) for sha256 in cited}
    standing = grounded(desk.shelf.findings, texts)
    known = board.findings[desk.subtask.subtask_id]
    new = {finding.id: finding for finding in standing if finding.id not in known}
    known |= new
    placed = {sha256: records_in(text) for sha256, text in texts.items()}
    spans = [span for finding in standing for span in finding.evidence]
    desk.named |= {each.id for span in spans for each in placed[span.document] if each.start <= span.start < each.end}
    for sha256, document in desk.documents.items():
        board.documents.setdefault(sha256, document)
        board.holders.setdefault(sha256, name)
    if desk.synthesis is not None and desk.turns:
        findings = tuple(each for each in desk.synthesis.findings if each in known)
        desk.synthesis = desk.synthesis.model_copy(update={"findings": findings})
    return len(new)


def take_over(context: Context, id: str, desks: Sequence[Desk], *, alone: bool) -> None:
    """Where nothing else was found, what research on datasets thinks of its own findings stands.

    `alone` says that nobody else was asked: more queries of the same data would bring no more.
    """
    board = context.board
    found = board.findings[id]
    if alone:
        is_sufficient = bool(found) and all(map(_is_answered, desks))
        board.judged[id] = DepthEvaluation(
            is_sufficient=is_sufficient,
            depth_quality="deep" if is_sufficient else "adequate" if found else "superficial",
            reasoning="; ".join(f"{desk.dataset.name}: {desk.ended.reason}" for desk in desks if desk.ended),
        )
    synthesis = desks[0].synthesis
    if synthesis is not None and found.keys() <= {finding.id for finding in desks[0].shelf.findings}:
        board.summed_up[id] = synthesis


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
