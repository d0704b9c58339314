"""What research on a dataset leaves to the subtask, what it thinks of that itself, and how much it has looked at."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.data.snapshots import records_in
from fathom.engine.context import Context
from fathom.engine.data.findings import grounded
from fathom.engine.data.state import DatasetState
from fathom.engine.sources import text_of
from fathom.engine.state import SubtaskRecord
from fathom.findings import CONFIDENT, DepthEvaluation
from fathom.report import DatasetCoverage


async def hand_on(context: Context, datasets: Sequence[DatasetState]) -> int:
    """Hand the subtask what was found in a round, dataset by dataset as they were asked; returns how many findings are
    new.

    Also when a limit of the run has cut the research off: `DatasetRound.stopped` says so.
    """
    return sum([await _hand_on(context, dataset) for dataset in datasets])


async def _hand_on(context: Context, dataset: DatasetState) -> int:
    """Those whose quotes stand in their snapshots."""
    material, kept = context.state.material, dataset.findings.kept
    cited = dict.fromkeys(span.document for each in kept for span in each.evidence)
    texts = {sha256: await text_of(context, sha256) for sha256 in cited}
    standing = grounded(kept, texts)
    known = context.state.subtasks[dataset.subtask.subtask_id].findings
    new = {finding.id: finding for finding in standing if finding.id not in known}
    known |= new
    placed = {sha256: records_in(text) for sha256, text in texts.items()}
    spans = [span for finding in standing for span in finding.evidence]
    named = (each.id for span in spans for each in placed[span.document] if each.start <= span.start < each.end)
    dataset.records.named.update(named)
    for sha256, document in dataset.documents.items():
        material.documents.setdefault(sha256, document)
        material.holders.setdefault(sha256, dataset.description.name)
    synthesis = dataset.round.synthesis
    if synthesis is not None and dataset.notes.turns:
        findings = tuple(each for each in synthesis.findings if each in known)
        dataset.round.synthesis = synthesis.model_copy(update={"findings": findings})
    return len(new)


def take_over(subtask: SubtaskRecord, datasets: Sequence[DatasetState], *, alone: bool) -> None:
    """Where nothing else was found, what research on datasets thinks of its own findings stands.

    `alone` says that nobody else was asked: more queries of the same data would bring no more.
    """
    found, reading = subtask.findings, subtask.reading
    if alone:
        is_sufficient = bool(found) and all(map(_is_answered, datasets))
        ends = ((each.description.name, each.round.ended) for each in datasets)
        reading.evaluation = DepthEvaluation(
            is_sufficient=is_sufficient,
            depth_quality="deep" if is_sufficient else "adequate" if found else "superficial",
            reasoning="; ".join(f"{name}: {ended.reason}" for name, ended in ends if ended),
        )
    first = datasets[0]
    if first.round.synthesis is not None and found.keys() <= {finding.id for finding in first.findings.kept}:
        reading.synthesis = first.round.synthesis


def _is_answered(dataset: DatasetState) -> bool:
    """Whether all that matches was read, or the answer is sure, or it rests on counts and nothing more was promised."""
    validation, ended, promised = dataset.round.validation, dataset.round.ended, dataset.notes.promised
    sure = validation is not None and validation.overall_confidence >= CONFIDENT
    if dataset.extent == "complete" or (sure and not promised):
        return True
    return not promised and bool(dataset.results) and ended is not None and ended.cause == "synthesized"


def coverage_of(dataset: DatasetState) -> DatasetCoverage:
    """How much of the dataset was looked at for the subtask."""
    conditions, description, records = dataset.in_force.conditions, dataset.description, dataset.records
    return DatasetCoverage(
        name=description.name,
        tables=len(description.tables) if description.table else 0,
        asked=tuple(sorted(records.tables)) or ((description.table,) if description.table else ()),
        total=records.total,
        matched=records.matched.get(conditions),
        fetched=records.met.fetched[conditions],
        scanned=records.met.read[conditions],
        extracted=len(records.named),
        counted=len(dataset.results),
        capped_by=_capped_by(dataset),
        caveats=dataset.notes.caveats,
        subtask_id=dataset.subtask.subtask_id,
    )


def _capped_by(dataset: DatasetState) -> str | None:
    """What kept the rest from being read; `None` when nothing did, or nobody wanted to read it."""
    extent, round, scans = dataset.extent, dataset.round, dataset.records.scans
    if extent == "capped":
        return "max_records"
    if extent == "complete" or not (dataset.notes.promised or scans):
        return None
    if round.stopped:
        return round.stopped
    if extent == "blocked":
        return next((scan.blocked for scan in scans.values() if scan.blocked), "a page could not be read")
    return "max_turns" if round.ended is not None and round.ended.cause == "max_turns" else None
