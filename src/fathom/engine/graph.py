"""The graph of a run: brief → plan → research ⟲ → reflect ⟲ → write → report.

Each invocation walks it from the start, and the journal answers whatever was asked before; so a resumed run is at its
place within moments, and a checkpoint is never needed to go on. Checkpoints are a view for people (`fathom show RUN
--state`) and may be deleted at any time. Two sources of truth would have to agree after every crash; one cannot differ.
"""

# ruff: noqa: ARG001 - every step is called with what the one before it has handed on

from __future__ import annotations

from typing import Any, Literal, TypedDict

from fathom.engine import following
from fathom.engine.context import Context
from fathom.engine.data.outcome import coverage_of
from fathom.engine.flow import Flow, Runtime
from fathom.engine.steps import plan as planning
from fathom.engine.steps import reflect as reflecting
from fathom.engine.steps import report as reporting
from fathom.engine.steps import write as writing
from fathom.engine.steps.clarify import clarify
from fathom.engine.steps.wishes import hear_wishes
from fathom.plan import SubtaskStatus


class RunCheckpoint(TypedDict, total=False):
    """How far a run is; what a checkpoint shows."""

    statuses: dict[str, SubtaskStatus]
    """By subtask id, in the order of the plan."""
    busy: bool
    """Whether research has anything under way or ahead."""
    reflections: int
    """Rounds of reflection so far."""
    again: bool
    """Whether another one is to follow."""
    partial: str | None
    """Why research is incomplete."""


async def brief(progress: RunCheckpoint, runtime: Runtime) -> RunCheckpoint:
    """How does the question wish to be answered, what do the sources hold and have on it, and what does it mean?"""
    context = runtime.context
    await hear_wishes(context)
    await following.begin(context)
    await planning.survey(context)
    await clarify(context)
    return {"reflections": 0}


async def plan(progress: RunCheckpoint, runtime: Runtime) -> RunCheckpoint:
    """Which subtasks answer the question? Writes `statuses`."""
    await planning.plan(runtime.context, asks=True)
    return {"statuses": _statuses(runtime.context)}


async def research(progress: RunCheckpoint, runtime: Runtime) -> RunCheckpoint:
    """Start what is ready and wait until something has ended; the graph comes back as long as anything is under way.

    What became ready is started before the checkpoint is written, so that nothing waits for it. Writes `statuses`,
    `busy`.
    """
    subtasks = runtime.subtasks
    subtasks.start_ready()
    if subtasks.busy:
        await subtasks.progress()
        subtasks.start_ready()
    return {"statuses": _statuses(runtime.context), "busy": subtasks.busy}


async def reflect(progress: RunCheckpoint, runtime: Runtime) -> RunCheckpoint:
    """Look for weak answers and research them again. Reads and writes `reflections`; writes `again`, `partial`."""
    context = runtime.context
    most = context.run.limits.max_reflections
    round = progress["reflections"] + 1
    again = round <= most and await reflecting.reflect(runtime, round) and round < most
    update: RunCheckpoint = {"reflections": round, "again": again, "statuses": _statuses(context)}
    if not again:
        update["partial"] = await context.journal.close_research() or ("max_subtasks" if context.state.cut else None)
    return update


async def write(progress: RunCheckpoint, runtime: Runtime) -> RunCheckpoint:
    """Write the report. Reads `partial`."""
    context, state = runtime.context, runtime.context.state
    of = [each for subtask in state.in_order().values() for _, each in sorted(subtask.datasets.items())]
    unapproved = len(context.told.unapproved)
    material = state.research(partial=progress["partial"], datasets=tuple(map(coverage_of, of)), unapproved=unapproved)
    state.draft = await writing.write(context, material)
    return {}


async def report(progress: RunCheckpoint, runtime: Runtime) -> RunCheckpoint:
    """Check every citation and put the report together."""
    draft = runtime.context.state.draft
    assert draft is not None, "it is written first"
    draft.finished = await reporting.assemble(runtime.context, draft)
    return {}


def after_research(progress: RunCheckpoint) -> Literal["research", "reflect"]:
    """Round again while anything is under way."""
    return "research" if progress["busy"] else "reflect"


def after_reflect(progress: RunCheckpoint) -> Literal["reflect", "write"]:
    """Another reflection only when the last one was worth it."""
    return "reflect" if progress["again"] else "write"


RUN = Flow(
    "run",
    RunCheckpoint,
    (brief, plan, research, reflect, write, report),
    {
        "research": (after_research, ("research", "reflect")),
        "reflect": (after_reflect, ("reflect", "write")),
    },
)


def _statuses(context: Context) -> dict[str, Any]:
    return {id: subtask.status for id, subtask in context.state.in_order().items()}
