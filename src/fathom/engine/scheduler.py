"""The scheduler: starts each subtask the moment its dependencies end, and reviews the plan after each root subtask."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from fathom.asks import RevisePlan
from fathom.engine import tracing
from fathom.engine.approvals import approval
from fathom.engine.branch import RECALL, Branch
from fathom.engine.context import Context
from fathom.engine.flow import Runtime
from fathom.engine.loop import LOOP
from fathom.engine.revision import change_of, changed
from fathom.engine.routing import Ended, ending
from fathom.engine.steps.extract import read_preview
from fathom.engine.steps.synthesize import synthesize_subtask
from fathom.errors import SKIPPED, LimitReached
from fathom.events import PlanRevised, SubtaskEnded, SubtaskStarted
from fathom.outcomes import guarded, together
from fathom.plan import Subtask
from fathom.thread import THREAD

UNSETTLED = {"pending", "researching"}


class Scheduler:
    """Owns every task of a run's research. There are no waves: nothing waits for what it does not depend on.

    What depends on timing is decided once, in the journal, so that a replay takes the same turns: which subtask is
    reviewed in which turn, what a review changes (a subtask that has started is not removed), and who gets the last
    places under `max_subtasks`.
    """

    def __init__(self, context: Context) -> None:
        self._context, self._state = context, context.state
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
        self._held = set[str]()
        """What a revision would remove that waits to be approved."""
        self._places: dict[str, int] = {}
        for attempt in range(1, context.run.attempt + 1):
            for key, places in context.journal.decided(f"places/{attempt}/").items():
                self._places[key] = max(places, self._places.get(key, 0))

    # ── The pump ───────────────────────────────────────────────────────────────────────────────────────────────────

    def start_ready(self) -> None:
        """Start every root subtask whose dependencies have ended, the most important one first; start a due review."""
        subtasks = self._state.subtasks

        def rank(id: str) -> tuple[float, int]:
            return -subtasks[id].planned.estimated_importance, subtasks[id].priority

        for id in sorted(filter(self._is_ready, self._state.roots), key=rank):
            subtasks[id].status = "researching"
            self._start(self._research_root(id))
        self._review_next()

    def _is_ready(self, id: str) -> bool:
        subtasks = self._state.subtasks
        needed = (each for each in subtasks[id].planned.dependencies if each in subtasks and each not in self._never)
        waits = any(subtasks[each].status in UNSETTLED for each in needed)
        return subtasks[id].status == "pending" and id not in self._never | self._held and not waits

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
            self._state.subtasks[child.subtask_id].status = "researching"
        with self._share(children[0].parent_id, step=-1):
            await together(*[self._go(self._research(child.subtask_id)) for child in children])

    async def research_again(self, weak: Sequence[str], round: int, searches: Mapping[str, tuple[str, ...]]) -> None:
        """Research subtasks a second time, side by side, with the queries that reflection suggests.

        A parent is researched behind those below it, from which it is synthesized.
        """
        for id in weak:
            self._state.inherit(id)  # before any of them starts: none sees what another one finds now
        depth_of = {id: self._state.subtasks[id].planned.depth for id in weak}
        depths = sorted(set(depth_of.values()), reverse=True)
        for depth in depths:
            ids = [id for id in weak if depth_of[id] == depth]
            await together(*[self._go(self._research_weak(id, round, searches.get(id, ()))) for id in ids])

    async def _research_root(self, id: str) -> None:
        await self._research(id)
        self._to_review.append(id)

    async def _research_weak(self, id: str, round: int, searches: tuple[str, ...]) -> None:
        self._state.subtasks[id].broken = ""
        with self._share(id):
            if not await self._pass(id, look=round, searches=searches):
                self._settle(id, stopped="")

    async def _research(self, id: str) -> None:
        """The first pass over a subtask, and how it ends."""
        context, state = self._context, self._state
        state.inherit(id)
        with self._share(id):
            if context.journal.reason is None and not context.journal.leaves_out(id):
                await context.emit(SubtaskStarted(subtask_id=id, description=state.subtasks[id].planned.description))
            stopped = await self._pass(id, look=0, searches=None)
        status, reason = self._settle(id, stopped=stopped)
        await context.emit(SubtaskEnded(subtask_id=id, status=status, findings=len(state.below(id)), reason=reason))

    def _settle(self, id: str, *, stopped: str) -> tuple[Ended, str]:
        subtask, findings = self._state.subtasks[id], len(self._state.below(id))
        started = subtask.reading.passages is not None
        ended = ending(findings=findings, broken=subtask.broken, started=started, stopped=stopped)
        subtask.status, subtask.reason = ended
        return ended

    async def _pass(self, id: str, *, look: int, searches: tuple[str, ...] | None) -> str:
        """One walk through the subtask's graph. Returns why it was cut off; empty when it was not.

        What was found before the cut is still synthesized: that belongs to the report.
        """
        context, subtask = self._context, self._state.subtasks[id]
        before, path = len(subtask.findings), f"{id}/f{look}" if look else id
        recalls = THREAD in context.sources and not look and not subtask.planned.depth
        begin = RECALL if recalls else 0
        start: Branch = {"subtask": id, "look": look, "path": path, "searches": searches, "round": begin}
        with tracing.subtask_span(subtask.planned) as span:
            try:
                await LOOP.walk(start, Runtime(context, self), run_name=f"subtask {id}")
            except LimitReached as stop:
                span.set_attributes({"fathom.stopped": stop.reason})
                state = self._state
                first = next((each for each in state.roots if state.subtasks[each].status != "skipped"), None)
                if (
                    stop.reason != SKIPPED
                    and id == first
                    and not before
                    and not subtask.findings
                    and state.material.preview.passages
                ):
                    await read_preview(context, id, path, look)  # so that a report tells what was found until then
                if searches is None or len(subtask.findings) > before:
                    await synthesize_subtask(context, id, path, phase="report")
                return stop.reason
        return ""

    def _share(self, id: str | None, *, step: int = 1) -> AbstractContextManager[None]:
        """Keep calls for a subtask as long as it is under way, but not while it waits for those below it."""
        context = self._context
        subtask = self._state.subtasks[id].planned if id else None
        return context.journal.gate.share((True, *context.priority(subtask)), step=step)

    # ── What depends on timing ─────────────────────────────────────────────────────────────────────────────────────

    async def take_places(self, key: str, wanted: int) -> int:
        """How many of `wanted` further subtasks `max_subtasks` allows; the same for ever in this attempt."""
        run, state = self._context.run, self._state
        most = run.limits.max_subtasks
        before = self._places.get(key, 0)
        free = max(0, most - min(len(state.parts), most) - sum(self._places.values()))
        self._places[key] = max(before, min(wanted, before + free))  # reserved before the wait
        places = int(await self._context.decide(f"places/{run.attempt}/{key}", self._places[key]))
        self._places[key] = places
        state.cut |= places < wanted
        return min(places, wanted)

    def _review_next(self) -> None:
        """Start the review that is due: one at a time, so that each sees the plan that the one before it has left."""
        context = self._context
        plan, journal = self._state.plan, context.journal
        is_closed = plan is None or plan.execution_mode == "simple"
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
        subtask = self._state.subtasks[id]
        if subtask.status == "completed" and subtask.synthesis and self._state.may_change_plan(id):
            change = await self._change(id)
            if change is not None:
                self._carry_out(change)
                await context.emit(change)
        self._turn += 1
        self._reviewing = False

    async def _change(self, id: str) -> PlanRevised | None:
        """What the review of a subtask changes; `None` when it changes nothing, fails or is cut off."""
        context, state = self._context, self._state
        subtask = state.subtasks[id]
        assert state.plan is not None and subtask.synthesis is not None, "a review comes after plan and synthesis"
        opposed = {each for pair in subtask.synthesis.contradictions for each in pair}
        others = {name: finding for name, finding in state.citable(id).items() if name in opposed}
        ask = context.about(
            RevisePlan,
            plan=state.plan,
            finished=subtask.planned,
            synthesis=subtask.synthesis,
            findings=tuple((state.below(id) | others).values()),
            preview=state.material.preview,
        )
        revision = await context.try_ask(f"revision/{self._turn}", ask, if_there_is_time=True)
        if revision is None or not revision.should_revise:
            return None
        places = await self.take_places(f"revision_{self._turn}", len(revision.new_subtasks))
        path = f"revision/{self._turn}/change"
        if (decided := context.journal.decision(path)) is not None:
            return PlanRevised.model_validate(decided)
        change = change_of(
            state.plan,
            revision,
            startable=[id for id in state.roots if state.subtasks[id].status == "pending"],
            taken=state.roots,
            places=places,
        )
        if change.accepted:
            change = await self._approved(id, change)
        self._never |= set(change.removed)  # at once: none of them may start while the decision is stored
        await context.decide(path, change.model_dump(mode="json"))
        return change

    async def _approved(self, id: str, change: PlanRevised) -> PlanRevised:
        """The change, if the person of the run approves it; what it would remove does not start meanwhile."""
        self._held = set(change.removed)
        answer = await approval(
            self._context,
            f"revision_{self._turn}",
            "revision",
            subtask_id=id,
            proposed=change.added,
            removed=change.removed,
            reason=change.reason,
        )
        self._held = set()
        if answer is not None and answer.decision == "accept":
            return change
        return PlanRevised(accepted=False, reason=f"it was not approved: {change.reason}")

    def _carry_out(self, change: PlanRevised) -> None:
        state = self._state
        if not change.accepted or state.plan is None:
            return
        self._accepted += 1
        state.plan = changed(state.plan, change)
        state.add(change.added)
        for id, priority in change.priority_changes.items():
            state.subtasks[id].priority = priority
        for id in change.removed:
            state.subtasks[id].status = "removed"
