"""The scheduler: starts each subtask the moment its dependencies end, and reviews the plan after each root subtask."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from fathom.asks import RevisePlan
from fathom.engine import tracing
from fathom.engine.context import Context
from fathom.engine.loop import LOOP
from fathom.engine.revision import change_of, changed
from fathom.engine.routing import Ended, ending
from fathom.engine.state import Branch
from fathom.engine.steps.extract import read_preview
from fathom.engine.steps.synthesize import synthesize_subtask
from fathom.errors import LimitReached
from fathom.events import PlanRevised, SubtaskEnded, SubtaskStarted
from fathom.outcomes import guarded, together
from fathom.plan import Subtask

UNSETTLED = {"pending", "researching"}


class Scheduler:
    """Owns every task of a run's research. There are no waves: nothing waits for what it does not depend on.

    What depends on timing is decided once, in the journal, so that a replay takes the same turns: which subtask is
    reviewed in which turn, what a review changes (a subtask that has started is not removed), and who gets the last
    places under `max_subtasks`.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._clean = tracing.clean_context()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ended: asyncio.Queue[asyncio.Task[Any]] = asyncio.Queue()
        self._to_review: list[str] = []
        self._reviewing = False
        self._turn = 1
        self._accepted = 0
        # a replay must not start what was removed, however early it could
        changes = context.journal.decided("revision/").items()
        self._never = {id for path, change in changes if path.endswith("/change") for id in change["removed"]}
        self._places: dict[str, int] = {}
        for path, places in context.journal.decided("places/").items():
            _, _, key = path.split("/", 2)
            self._places[key] = max(places, self._places.get(key, 0))

    # ── The pump ───────────────────────────────────────────────────────────────────────────────────────────────────

    def start_ready(self) -> None:
        """Start every root subtask whose dependencies have ended, the most important one first; start a due review."""
        board = self._context.board
        ready = [id for id in board.roots if self._is_ready(id)]
        for id in sorted(ready, key=lambda id: (-board.subtasks[id].estimated_importance, board.current(id).priority)):
            board.status[id] = "researching"
            self._start(self._research_root(id))
        self._review_next()

    def _is_ready(self, id: str) -> bool:
        board = self._context.board
        return (
            board.status[id] == "pending"
            and id not in self._never
            and not any(
                board.status.get(needed) in UNSETTLED and needed not in self._never
                for needed in board.subtasks[id].dependencies
            )
        )

    @property
    def busy(self) -> bool:
        """Whether anything is under way."""
        return bool(self._tasks) or not self._ended.empty()

    async def progress(self) -> None:
        """Wait until at least one subtask or review has ended; its error is raised here."""
        (await self._ended.get()).result()
        while not self._ended.empty():
            self._ended.get_nowait().result()

    async def close(self) -> None:
        """Cancel what is under way; calls that were made are kept by the journal."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, Any]) -> None:
        # in the trace it stands below the run: it outlives the step that starts it
        self._go(work, self._clean.copy())

    def _go(self, work: Coroutine[Any, Any, Any], context: contextvars.Context | None = None) -> asyncio.Task[Any]:
        own = tracing.clean_context() if context is None else context
        task = asyncio.get_running_loop().create_task(guarded(work), context=own)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # `progress` raises the first failure; those behind it must not be reported as lost
            self._ended.put_nowait(task)

    # ── Subtasks ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def research_all(self, children: Sequence[Subtask]) -> None:
        """Research the children of a subtask side by side, until all have ended."""
        for child in children:
            self._context.board.status[child.subtask_id] = "researching"
        with self._share(children[0].parent_id, step=-1):
            await together(*[self._go(self._research(child.subtask_id)) for child in children])

    async def research_again(self, weak: Sequence[str], round: int, searches: Mapping[str, tuple[str, ...]]) -> None:
        """Research subtasks a second time, side by side, with the queries that reflection suggests.

        A parent is researched behind those below it, from which it is synthesized.
        """
        board = self._context.board
        for id in weak:
            board.inherit(id)  # before any of them starts: none sees what another one finds now
        depths = {board.subtasks[id].depth for id in weak}
        if len(depths) > 1 and await self._context.does(f"reflect/{round}/by_depth"):
            turns = [[id for id in weak if board.subtasks[id].depth == depth] for depth in sorted(depths, reverse=True)]
        else:
            turns = [list(weak)]
        for ids in turns:
            await together(*[self._go(self._research_weak(id, round, searches.get(id, ()))) for id in ids])

    async def _research_root(self, id: str) -> None:
        await self._research(id)
        self._to_review.append(id)

    async def _research_weak(self, id: str, round: int, searches: tuple[str, ...]) -> None:
        board = self._context.board
        board.broken.pop(id, None)
        with self._share(id):
            if not await self._pass(id, path=f"{id}/f{round}", searches=searches):
                self._settle(id, stopped="")

    async def _research(self, id: str) -> None:
        """The first pass over a subtask, and how it ends."""
        context = self._context
        board = context.board
        board.inherit(id)
        with self._share(id):
            if context.journal.reason is None:
                await context.emit(SubtaskStarted(subtask_id=id, description=board.subtasks[id].description))
            stopped = await self._pass(id, path=id, searches=None)
        status, reason = self._settle(id, stopped=stopped)
        await context.emit(SubtaskEnded(subtask_id=id, status=status, findings=len(board.below(id)), reason=reason))

    def _settle(self, id: str, *, stopped: str) -> tuple[Ended, str]:
        board = self._context.board
        status, reason = ending(
            findings=len(board.below(id)), broken=board.broken.get(id, ""), started=id in board.read, stopped=stopped
        )
        board.status[id], board.reasons[id] = status, reason
        return status, reason

    async def _pass(self, id: str, *, path: str, searches: tuple[str, ...] | None) -> str:
        """One walk through the subtask's graph. Returns why it was cut off; empty when it was not.

        What was found before the cut is still synthesized: that belongs to the report.
        """
        context = self._context
        before = len(context.board.findings[id])
        start: Branch = {"subtask": id, "path": path, "searches": searches, "round": 0}
        with tracing.subtask_span(context.board.subtasks[id]) as span:
            try:
                await LOOP.walk(start, context, run_name=f"subtask {id}")
            except LimitReached as stop:
                span.set_attributes({"fathom.stopped": stop.reason})
                board = context.board
                first = next(each for each in board.roots if board.status[each] != "skipped")
                if id == first and not before and not board.findings[id] and board.preview.passages:
                    await read_preview(context, id, path)  # so that a report tells what was found until then
                if searches is None or len(context.board.findings[id]) > before:
                    await synthesize_subtask(context, id, path, phase="report")
                return stop.reason
        return ""

    def _share(self, id: str | None, *, step: int = 1) -> AbstractContextManager[None]:
        """Keep calls for a subtask as long as it is under way, but not while it waits for those below it."""
        context = self._context
        subtask = context.board.subtasks[id] if id else None
        return context.journal.gate.share((True, *context.priority(subtask)), step=step)

    # ── What depends on timing ─────────────────────────────────────────────────────────────────────────────────────

    async def take_places(self, key: str, wanted: int) -> int:
        """How many of `wanted` further subtasks `max_subtasks` allows; the same for ever in this attempt."""
        run, board = self._context.run, self._context.board
        before = self._places.get(key, 0)
        free = max(0, run.limits.max_subtasks - board.planned - sum(self._places.values()))
        self._places[key] = max(before, min(wanted, before + free))  # reserved before the wait
        places = int(await self._context.decide(f"places/{run.attempt}/{key}", self._places[key]))
        self._places[key] = places
        board.cut |= places < wanted
        return min(places, wanted)

    def _review_next(self) -> None:
        """Start the review that is due: one at a time, so that each sees the plan that the one before it has left."""
        context = self._context
        plan, journal = context.board.plan, context.journal
        is_closed = plan is None or (plan.execution_mode == "simple" and not context.board.follows)
        if is_closed or self._accepted >= context.run.limits.max_revisions:
            return
        if self._reviewing or not self._to_review:
            return
        decided = journal.decision(f"revision/{self._turn}/of")
        if decided is None and journal.reason is None:
            decided = self._to_review[0]
        if decided in self._to_review:
            self._to_review.remove(decided)
            self._reviewing = True
            self._start(self._review(decided))

    async def _review(self, id: str) -> None:
        context = self._context
        await context.decide(f"revision/{self._turn}/of", id)
        board = context.board
        if board.status[id] == "completed" and id in board.syntheses and board.may_change_plan(id):
            change = await self._change(id)
            if change is not None:
                self._carry_out(change)
                await context.emit(change)
        self._turn += 1
        self._reviewing = False

    async def _change(self, id: str) -> PlanRevised | None:
        """What the review of a subtask changes; `None` when it changes nothing, fails or is cut off."""
        context = self._context
        board = context.board
        assert board.plan is not None, "a review comes after the plan"
        ask = context.about(
            RevisePlan,
            plan=board.plan,
            finished=board.subtasks[id],
            synthesis=board.syntheses[id],
            findings=tuple(board.below(id).values()),
            preview=board.preview,
            evaluation=board.evaluations.get(id) if board.follows else None,
        )
        revision = await context.try_ask(f"revision/{self._turn}", ask, if_there_is_time=True)
        if revision is None or not revision.should_revise:
            return None
        places = await self.take_places(f"revision_{self._turn}", len(revision.new_subtasks))
        path = f"revision/{self._turn}/change"
        if (decided := context.journal.decision(path)) is not None:
            return PlanRevised.model_validate(decided)
        change = change_of(
            board.plan,
            revision,
            startable=[id for id in board.roots if board.status[id] == "pending"],
            taken=board.roots,
            places=places,
        )
        self._never |= set(change.removed)  # at once: none of them may start while the decision is stored
        await context.decide(path, change.model_dump(mode="json"))
        return change

    def _carry_out(self, change: PlanRevised) -> None:
        board = self._context.board
        if not change.accepted or board.plan is None:
            return
        self._accepted += 1
        board.plan = changed(board.plan, change)
        board.add(change.added)
        board.priorities |= change.priority_changes
        board.status.update(dict.fromkeys(change.removed, "removed"))
