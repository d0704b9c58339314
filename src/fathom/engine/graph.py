"""The graph of a run: brief → plan → research ⟲ → reflect ⟲ → outline → sections → report.

Each invocation walks it from the start, and the journal answers whatever was asked before; so a resumed run is at its
place within moments, and a checkpoint is never needed to go on. Checkpoints are a view for people (`fathom show RUN
--state`) and may be deleted at any time. Two sources of truth would have to agree after every crash; one cannot differ.
"""

# ruff: noqa: ARG001 - LangGraph calls every node with its state, by that name

from __future__ import annotations

from typing import Any, Literal

from fathom.engine.context import Context
from fathom.engine.data.outcome import coverage_of
from fathom.engine.flow import Flow, Runtime
from fathom.engine.state import State
from fathom.engine.steps import plan as planning
from fathom.engine.steps import reflect as reflecting
from fathom.engine.steps import report as reporting
from fathom.engine.steps import write as writing


async def brief(state: State, runtime: Runtime) -> State:
    """What do the sources hold, and what do they have on the question?"""
    context = runtime.context
    may_begin = context.reasoner.looks_beside and context.journal.is_new
    context.board.follows = await context.does("follows", is_begun=not may_begin)
    await planning.survey(context)
    return {"reflections": 0}


async def plan(state: State, runtime: Runtime) -> State:
    """Which subtasks answer the question? Writes `statuses`."""
    await planning.plan(runtime.context)
    return {"statuses": _statuses(runtime.context)}


async def research(state: State, runtime: Runtime) -> State:
    """Start what is ready and wait until something has ended; the graph comes back as long as anything is under way.

    What became ready is started before the checkpoint is written, so that nothing waits for it. Writes `statuses`,
    `busy`.
    """
    scheduler = runtime.context.scheduler
    scheduler.start_ready()
    if scheduler.busy:
        await scheduler.progress()
        scheduler.start_ready()
    return {"statuses": _statuses(runtime.context), "busy": scheduler.busy}


async def reflect(state: State, runtime: Runtime) -> State:
    """Look for weak answers and research them again. Reads and writes `reflections`; writes `again`, `partial`."""
    context = runtime.context
    most = context.run.limits.max_reflections
    round = state["reflections"] + 1
    again = round <= most and await reflecting.reflect(context, round) and round < most
    update: State = {"reflections": round, "again": again, "statuses": _statuses(context)}
    if not again:
        cut = "max_subtasks" if context.board.cut else None
        update["partial"] = await context.journal.close_research() or cut
        board = context.board
        datasets = tuple(coverage_of(desk) for id in board.in_order() for desk in board.desks_of(id))
        context.research = board.research(partial=update["partial"], datasets=datasets)
    return update


async def outline(state: State, runtime: Runtime) -> State:
    """What is told where?"""
    context = runtime.context
    context.outline = await writing.outline(context, context.research)
    return {}


async def sections(state: State, runtime: Runtime) -> State:
    """Write the sections, side by side."""
    context = runtime.context
    context.written = await writing.sections(context, context.research, context.outline)
    return {}


async def report(state: State, runtime: Runtime) -> State:
    """Check every citation and put the report together."""
    context = runtime.context
    context.report = await reporting.assemble(context, context.research, context.outline, context.written)
    return {}


def after_research(state: State) -> Literal["research", "reflect"]:
    """Round again while anything is under way."""
    return "research" if state["busy"] else "reflect"


def after_reflect(state: State) -> Literal["reflect", "outline"]:
    """Another reflection only when the last one was worth it."""
    return "reflect" if state["again"] else "outline"


RUN = Flow(
    "run",
    State,
    (brief, plan, research, reflect, outline, sections, report),
    {
        "research": (after_research, ("research", "reflect")),
        "reflect": (after_reflect, ("reflect", "outline")),
    },
)


def _statuses(context: Context) -> dict[str, Any]:
    return {id: context.board.status[id] for id in context.board.in_order()}
