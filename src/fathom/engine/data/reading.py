"""Reading records for findings, a batch at a time: what scanner and extractor have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from fathom.asks import ExtractFindings
from fathom.data.met import READ, passages_of
from fathom.engine.context import Context
from fathom.engine.data.agent import AgentContext
from fathom.engine.data.state import DatasetState, RecordPage
from fathom.engine.steps.extract import is_grounded
from fathom.events import RecordsScanned
from fathom.evidence import Passage
from fathom.findings import Finding

FEWEST_FINDINGS = 10
"""Findings that a batch may yield, however long the scan is."""
SURPLUS = 4
"""Findings that all batches together may yield for one that is kept."""


class RecordBatch(NamedTuple):
    """Records of a page that are read together."""

    page: RecordPage
    passages: tuple[Passage, ...]
    """Of records that were not read before, at most as many as may still be read."""
    ids: tuple[str, ...]
    """Theirs."""
    all_ids: tuple[str, ...]
    """Of every record of the snapshot."""


async def batch_of(context: Context, dataset: DatasetState, page: RecordPage) -> RecordBatch:
    """What of a snapshot is still to be read. The text comes from the store, in a replay, too."""
    text = await context.store.snapshot(page.document.sha256)
    passages = passages_of(text, page.document.sha256, mapping=dataset.description.mapping)
    unread = dataset.records.met.unread(page.scope, passages)[: dataset.records.left]
    here = tuple(passages[id] for id in unread)
    return RecordBatch(page, here, tuple(unread), tuple(passages))


async def read(agent: AgentContext, batch: RecordBatch, *, at: str, focus: str, most: int) -> list[Finding] | None:
    """The findings of the batch that are new; `None` when it could not be read.

    A quote that does not stand in these records, letter by letter, drops its finding: the reasoner invented it.

    Raises:
        LimitReached: the run has stopped.
    """
    dataset, page = agent.dataset, batch.page
    new: list[Finding] = []
    if batch.passages:
        found = await agent.ask(
            agent.context.about(
                ExtractFindings,
                subtask=dataset.subtask,
                documents=(page.document,),
                passages=batch.passages,
                sources=(dataset.source,),
                known=dataset.findings.kept,
                max_findings=most,
                questions=dataset.turn.state.sub_questions,
                focus=focus,
                mapping=dataset.description.mapping,
            ),
            at=at,
        )
        if found is None:
            return None
        id = dataset.subtask.subtask_id
        new = dataset.findings.add(each for each in found.findings[:most] if is_grounded(each, id, batch.passages))
        if new:
            dataset.documents[page.document.sha256] = page.document
    dataset.records.met.note(page.conditions, page.scope, batch.ids, READ)
    dataset.remember_batch(len(new))
    await agent.context.emit(
        RecordsScanned(
            subtask_id=dataset.subtask.subtask_id,
            dataset=dataset.description.name,
            scanned=dataset.records.met.read[page.conditions],
            matched=dataset.records.matched.get(page.conditions),
            findings=len(new),
        )
    )
    return new


def most_of_a_batch(most: int, batches: int) -> int:
    """Findings that one of so many batches may yield, when `most` of all are kept: memory must not grow with them."""
    return min(most, max(FEWEST_FINDINGS, math.ceil(SURPLUS * most / max(1, batches))))


def each_kept(agent: AgentContext, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those that are still at hand, in order."""
    kept = {finding.id for finding in agent.dataset.findings.kept}
    return tuple(finding for finding in findings if finding.id in kept)
