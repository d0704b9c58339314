"""Reading records for findings, a batch at a time: what scanner and extractor have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from fathom.asks import ExtractFindings
from fathom.data.met import READ, passages_of
from fathom.engine.data.desk import Bench
from fathom.engine.steps.extract import is_grounded
from fathom.events import RecordsScanned
from fathom.evidence import Document, Passage
from fathom.findings import Finding

FEWEST_FINDINGS = 10
"""Findings that a batch may yield, however long the scan is."""
SURPLUS = 4
"""Findings that all batches together may yield for one that is kept."""


class RecordBatch(NamedTuple):
    """Records of one snapshot that are read together."""

    document: Document
    conditions: str
    scope: str
    passages: tuple[Passage, ...]
    """Of records that were not read before, at most as many as may still be read."""
    ids: tuple[str, ...]
    """Theirs."""
    all_ids: tuple[str, ...]
    """Of every record of the snapshot."""


async def batch_of(bench: Bench, document: Document, *, conditions: str, scope: str) -> RecordBatch:
    """What of a snapshot is still to be read. The text comes from the store, in a replay, too."""
    desk = bench.desk
    text = await desk.context.store.snapshot(document.sha256)
    passages = passages_of(text, document.sha256, mapping=desk.dataset.mapping)
    unread = desk.met.unread(scope, passages)[: desk.left]
    here = tuple(passages[id] for id in unread)
    return RecordBatch(document, conditions, scope, here, tuple(unread), tuple(passages))


async def read(bench: Bench, batch: RecordBatch, *, at: str, focus: str, most: int) -> list[Finding] | None:
    """The findings of the batch that are new; `None` when it could not be read.

    A quote that does not stand in these records, letter by letter, drops its finding: the reasoner invented it.

    Raises:
        LimitReached: the run has stopped.
    """
    desk = bench.desk
    new: list[Finding] = []
    if batch.passages:
        found = await bench.ask(
            desk.context.about(
                ExtractFindings,
                subtask=desk.subtask,
                documents=(batch.document,),
                passages=batch.passages,
                sources=(desk.source,),
                known=desk.shelf.findings,
                max_findings=most,
                questions=desk.state.sub_questions,
                focus=focus,
                mapping=desk.dataset.mapping,
            ),
            at=at,
        )
        if found is None:
            return None
        id = desk.subtask.subtask_id
        new = desk.shelf.add(each for each in found.findings[:most] if is_grounded(each, id, batch.passages))
        if new:
            desk.documents[batch.document.sha256] = batch.document
    desk.met.note(batch.conditions, batch.scope, batch.ids, READ)
    desk.remember_batch(len(new))
    await desk.context.emit(
        RecordsScanned(
            subtask_id=desk.subtask.subtask_id,
            dataset=desk.dataset.name,
            scanned=desk.met.read[batch.conditions],
            matched=desk.matched.get(batch.conditions),
            findings=len(new),
        )
    )
    return new


def most_of_a_batch(most: int, batches: int) -> int:
    """Findings that one of so many batches may yield, when `most` of all are kept: memory must not grow with them."""
    return min(most, max(FEWEST_FINDINGS, math.ceil(SURPLUS * most / max(1, batches))))


def each_kept(bench: Bench, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those that are still at hand, in order."""
    kept = {finding.id for finding in bench.desk.shelf.findings}
    return tuple(finding for finding in findings if finding.id in kept)
