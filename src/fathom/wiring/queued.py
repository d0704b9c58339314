"""Runs that a service carries out: a question becomes a run that waits, and a worker takes it to its report."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from fathom.outcomes import in_thread
from fathom.wiring.adapters import opened_reasoner
from fathom.wiring.opening import checked, record_of, taken_up
from fathom.wiring.question import Question
from fathom.wiring.resources import Resources
from fathom.wiring.running import Begun, RunStream

if TYPE_CHECKING:
    from fathom.ports import RunRecord


async def submit(
    question: Question, resources: Resources, *, key: str = "", digest: str = ""
) -> tuple[RunRecord, bool]:
    """Store a question as a run that waits for a worker.

    What costs nothing is checked at once; what takes a server, a file or a model, by the worker.

    Args:
        key, digest: See `RunQueue.submit`.

    Returns:
        The run, and whether it is a new one.

    Raises:
        FathomError: as for `research`.
        Conflict: the key belongs to another request.
    """
    wanted = await in_thread(checked, question)  # it looks into files of data
    async with opened_reasoner(question.settings) as reasoner:
        run = record_of(wanted, reasoner)
    stored = await resources.queue.submit(run, key=key, digest=digest)
    return stored, stored.run_id == run.run_id


def carry_out(run: RunRecord, resources: Resources) -> RunStream:
    """Carry out a run that waits in the queue, or whose worker has died (see `RunStream`)."""

    async def begin(stack: AsyncExitStack) -> Begun:
        begun = await taken_up(stack, run, resources.store, resources.settings, shared=resources.shared)
        return replace(begun, checkpointer=resources.saver)

    return RunStream(begin)
