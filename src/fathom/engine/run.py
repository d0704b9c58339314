"""Executing a run: the first time, again after a crash, anew after a partial report, or as a replay."""

from __future__ import annotations

import asyncio
import contextvars
import json
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from fathom.engine import tracing
from fathom.engine.budget import Budget
from fathom.engine.context import Context
from fathom.engine.flow import Runtime
from fathom.engine.graph import RUN, brief, plan
from fathom.engine.journal import DECIDE, GRACE_SECONDS, AnswerStore, Journal, keep_nothing
from fathom.engine.moving import Moved, renamed
from fathom.engine.scheduler import Scheduler
from fathom.engine.steps import plan as planning
from fathom.engine.steps.wishes import hear_wishes
from fathom.errors import FathomError, StoreError
from fathom.events import ApprovalAsked, Event, Failed, Finished, RunStarted, Spent, Steered, Stopping
from fathom.outcomes import guarded
from fathom.plan import MasterPlan
from fathom.ports import JournalEntry, Reasoner, RunRecord, RunStore
from fathom.ports.source import Sources
from fathom.report import Estimate, Report
from fathom.steering import Answer, Given

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

TICK_SECONDS = 2.0
"""How often the time that a run has taken is stored: what a crash may lose of it. As often it is looked up whether the
run shall stop, and told what it has taken."""


def pin(reasoner: Reasoner) -> str:
    """A reasoner's name and version, as a run's record pins them."""
    return f"{reasoner.name} {reasoner.version}"


async def execute(
    run: RunRecord,
    *,
    store: RunStore,
    reasoner: Reasoner,
    sources: Sources,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    replay: bool = False,
    cancel: asyncio.Event | None = None,
    taken: float = 0.0,
) -> Report:
    """Take a stored run to its report.

    An unfinished run goes on where it was, under what is left of its limits. A run that ended with a partial report, or
    was cancelled and then broken off before its report, starts a new attempt: the limits of `run` are granted anew, and
    only what is missing is asked. A completed run, and a replay, make no call and give the same bytes; a replay stores
    nothing, and needs neither the web nor the datasets of the run. Setting `cancel` finishes the calls under way and
    writes a partial report; cancelling the task breaks off, to be resumed. It has `taken` so many seconds
    before it came here.

    Raises:
        Conflict: another process is at work on the run.
        Fenced: another process has taken the run over.
        MissingAnswer: the run to replay has not ended.
        StoreError: the store failed; what was durable is still there.
        ProviderError: the report could not be written; the run can be resumed.
    """
    if replay:
        stored = await store.run(run.run_id)
        return await _walk(_again(stored, await store.journal(run.run_id), store, reasoner, sources), None)
    if (await store.run(run.run_id)).status == "completed":
        return await store.report(run.run_id)
    with ExitStack() as owned:
        owned.callback(store.release, run.run_id)
        fence = await store.acquire(run.run_id)
        record = await store.run(run.run_id)
        if record.status == "completed":  # by another process, meanwhile
            return await store.report(run.run_id)
        entries = await store.journal(record.run_id)
        again = record.partial is not None or _was_given_up(entries, record.attempt)  # also when it has waited since
        record = await store.update_run(
            run.run_id,
            fence=fence,
            status="running",
            partial=None,
            error=None,
            failure="",
            limits=run.limits,
            waiting_for=record.waiting_for if run.limits.approve or run.limits.clarify else (),
            reasoner=pin(reasoner),
            models=run.models,
            attempt=record.attempt + again,
        )
        owner = _Owner(store, record, fence)
        resumed = await owner.load_events()
        journal = Journal(
            entries,
            record=partial(store.record, record.run_id, fence=fence),
            limits=record.limits,
            attempt=record.attempt,
            fence=fence,
            seconds=record.seconds,
            metered=reasoner.metered,
            replies=store.reply if record.models.get("cache", True) else None,
            taken=taken,
        )
        journal.cancelled = cancel or journal.cancelled
        context = Context(
            record, store=store, journal=journal, reasoner=reasoner, at_hand=sources, emit=owner.emit, fence=fence
        )
        await owner.emit(RunStarted(query=record.query, resumed=resumed))
        try:
            if record.attempt > 1:
                await journal.begin_attempt()
            await owner.hear(context)
            report = await _walk(context, checkpointer, watch=owner.watch(context, cancel))
            await owner.tell_spent(journal.budget)
            await owner.finish(report, seconds=journal.seconds)
        except StoreError:
            raise
        except FathomError as error:
            await owner.fail(error, seconds=journal.seconds)
            raise
        finally:
            await owner.close()
        return report


def _was_given_up(entries: Iterable[JournalEntry], attempt: int) -> bool:
    """Whether the user cancelled the attempt, and then did not wait for its report either."""
    decided = {entry.path: entry.answer for entry in entries if entry.kind == DECIDE}
    return decided.get(f"stop/{attempt}") == json.dumps("cancelled") and f"end/{attempt}" not in decided


async def moved(
    run: RunRecord, places: Mapping[str, str], *, store: RunStore, reasoner: Reasoner, sources: Sources
) -> tuple[Report, list[JournalEntry]]:
    """A replay of a stored run with other names for the `places` that its answers tell: its report, and the journal
    that replays to that.

    What a step asks holds what it was told before, and so is found by another digest: the replay shows by which.

    Raises:
        MissingAnswer: it cannot be replayed.
    """
    entries = [each.model_copy(update={"answer": renamed(each, places)}) for each in await store.journal(run.run_id)]
    journal = Journal(entries, record=_refuse, limits=run.limits, attempt=run.attempt, replay=True)
    context = Moved(run, store=store, journal=journal, reasoner=reasoner, at_hand=sources, emit=_silent, replay=True)
    context.before = {told: place for place, told in places.items()}
    report = await _walk(context, None)
    return report, [
        each.model_copy(update={"request": context.requests.get(each.request, each.request)}) for each in entries
    ]


def _again(
    run: RunRecord,
    entries: Sequence[JournalEntry],
    store: RunStore,
    reasoner: Reasoner,
    sources: Sources,
    *,
    taken: float = 0.0,
) -> Context:
    """A run as its journal has it: nothing is asked, and nothing stored."""
    journal = Journal(entries, record=_refuse, limits=run.limits, attempt=run.attempt, replay=True, taken=taken)
    return Context(run, store=store, journal=journal, reasoner=reasoner, at_hand=sources, emit=_silent, replay=True)


async def expected(
    run: RunRecord, approval_id: str, said: Answer, *, store: RunStore, reasoner: Reasoner, sources: Sources
) -> Estimate:
    """What a run that waits with its plan would take if that was answered so: its journal, with that answer in it."""
    given = Given(answer=said).model_dump_json()
    supposed = JournalEntry(seq=0, path=f"approval/{approval_id}", kind=DECIDE, request="", answer=given, seconds=0)
    entries = [*await store.journal(run.run_id), supposed]
    context = _again(run, entries, store, reasoner, sources, taken=run.seconds)
    runtime = Runtime(context, Scheduler(context))
    await brief({}, runtime)
    await plan({}, runtime)
    return context.state.estimate


async def plan_only(
    run: RunRecord, *, store: RunStore, reasoner: Reasoner, sources: Sources, taken: float = 0.0
) -> tuple[MasterPlan, Estimate]:
    """The plan of a run and what it will take; it has `taken` so many seconds before it came here.

    Without a model nothing is stored, and `run` need not be either. What a model was paid for is kept: `run` must be
    stored, and whoever executes it goes on from the plan.
    """
    replies = store.reply if run.models.get("cache", True) else None
    entries: list[JournalEntry] = []
    record: AnswerStore = keep_nothing
    if reasoner.metered:
        record = partial(store.record, run.run_id, fence=await store.acquire(run.run_id))
        entries = await store.journal(run.run_id)
    journal = Journal(entries, record=record, limits=run.limits, metered=reasoner.metered, replies=replies, taken=taken)
    context = Context(run, store=store, journal=journal, reasoner=reasoner, at_hand=sources, emit=_silent)
    async with tracing.traced("plan", run), AsyncExitStack() as stack:
        stack.callback(store.release, run.run_id)
        stack.push_async_callback(journal.close, grace=GRACE_SECONDS if reasoner.metered else 0.0)
        await hear_wishes(context)
        await planning.survey(context)
        made = await planning.plan(context)
    return made, context.state.estimate


async def _walk(
    context: Context, checkpointer: BaseCheckpointSaver[Any] | None, *, watch: Coroutine[Any, Any, None] | None = None
) -> Report:
    """Walk the graph to its end, and leave nothing running behind it, however it ends."""
    run = context.run
    async with tracing.traced("replay" if context.replay else "research", run) as outcome:
        scheduler = Scheduler(context)
        context.is_watched = checkpointer is not None or tracing.is_followed()
        thread = {"thread_id": f"{run.run_id}:{run.attempt}:{context.fence}"}
        known = {"fathom_run": run.run_id}
        steps = RUN.walk(
            {}, Runtime(context, scheduler), checkpointer=checkpointer, configurable=thread, metadata=known
        )
        walk = asyncio.ensure_future(guarded(steps))
        watcher = asyncio.ensure_future(watch) if watch is not None else None
        try:
            await asyncio.wait({walk, watcher} if watcher else {walk}, return_when=asyncio.FIRST_COMPLETED)
            if watcher and watcher.done():
                await watcher  # it only ends with an error: the run is not ours any more, or the disk is full
            await walk
        finally:
            if watcher:
                watcher.cancel()
            walk.cancel()
            await asyncio.gather(walk, *([watcher] if watcher else []), return_exceptions=True)
            await scheduler.close()
            context.state.close()
            await context.journal.close(grace=GRACE_SECONDS)
        draft = context.state.draft
        report = draft.finished if draft else None
        assert report is not None, "the graph ends with the report"
        outcome |= tracing.outcome_of(report)
    return report


class _Owner:
    """What the owner of a run does besides walking its graph: events, the clock, the end."""

    def __init__(self, store: RunStore, run: RunRecord, fence: int) -> None:
        self._store = store
        self._run = run
        self._fence = fence
        self._told: Counter[str] = Counter()
        self._telling: set[asyncio.Task[Any]] = set()
        self._error: BaseException | None = None
        self._spent: Spent | None = None
        self._heard = set[str]()
        """Keys of what it was told and has done."""
        self.writes_now = False
        """Whether research shall end, and the report be written."""

    async def load_events(self) -> bool:
        """Take down what earlier processes have told, so that it is not told again. Returns whether there were any."""
        events = await self._store.events(self._run.run_id)
        self._told = Counter(stored.event.model_dump_json() for stored in events)
        return bool(events)

    async def emit(self, event: Event) -> None:
        """Have an event stored, unless an earlier process has told the same; one that failed raises its error later.

        Nobody waits for it: whoever shows events reads them from the store, and a crash has them told again.
        """
        if self._error:
            raise self._error
        if self._told and not isinstance(event, RunStarted | ApprovalAsked | Stopping | Finished | Failed):
            key = event.model_dump_json()
            if self._told[key] > 0:
                self._told[key] -= 1
                return
        work = self._store.emit(self._run.run_id, event, fence=self._fence)
        task = asyncio.get_running_loop().create_task(work, context=contextvars.Context())
        self._telling.add(task)
        task.add_done_callback(self._stored)

    def _stored(self, task: asyncio.Task[Any]) -> None:
        self._telling.discard(task)
        error = None if task.cancelled() else task.exception()  # which counts as heard only when it is asked for
        self._error = self._error or error

    async def settle(self) -> None:
        """Wait until every event so far is stored."""
        while self._telling:
            await asyncio.wait(self._telling)
        if self._error:
            raise self._error

    async def hear(self, context: Context) -> None:
        """Do what people have told the run, each once; it is decided in the journal, for whoever takes the run up."""
        for key in await self._store.directions(self._run.run_id):
            if key in self._heard:
                continue
            self._heard.add(key)
            command, _, what = key.partition("/")
            if command == "skip":
                await context.decide(key, True)
                await self.emit(Steered(command="skip", subtask_id=what))
            elif command == "deeper":
                context.told.deepened.add(what)
                await self.emit(Steered(command="deeper", subtask_id=what))
            elif command == "write" and what == str(self._run.attempt):
                await self.emit(Steered(command="write"))
                self.writes_now = True

    async def watch(self, context: Context, cancel: asyncio.Event | None) -> None:
        """Stop the run when its time is up or the user asks; say that it stops, and why; hear what it is told; store
        its clock."""
        journal = context.journal
        signals = [journal.stopping.wait(), *([cancel.wait()] if cancel else [])]
        waits = [asyncio.ensure_future(signal) for signal in signals]
        heard = journal.reason is not None  # by an earlier process
        asked = self._run.stop_requested
        try:
            while True:
                left = (
                    0 if asked or self.writes_now else TICK_SECONDS if journal.time_left is None else journal.time_left
                )
                await _first([] if heard else waits, within=TICK_SECONDS if heard else min(TICK_SECONDS, left))
                if not heard:
                    asked = asked or bool(cancel and cancel.is_set())
                    wanted = "cancelled" if asked else "written_early" if self.writes_now else None
                    wanted = wanted or ("max_time" if journal.time_left == 0 else None)
                    reason = await journal.stop(wanted)
                    heard = bool(wanted or reason)  # once is enough, also when it came too late to stop anything
                    if reason:
                        await self.emit(Stopping(reason=reason))
                await self.tell_spent(journal.budget)
                record = await self._store.update_run(self._run.run_id, fence=self._fence, seconds=journal.seconds)
                asked = asked or record.stop_requested
                await self.hear(context)
        finally:
            for wait in waits:
                wait.cancel()

    async def tell_spent(self, budget: Budget) -> None:
        """Say what the run has taken, if that has changed since it was last said."""
        usage = budget.usage
        spent = Spent(
            calls=budget.calls.total(),
            tokens=usage.prompt_tokens + usage.completion_tokens,
            cost_usd=round(usage.cost_usd, 6),
        )
        if spent != self._spent:
            self._spent = spent
            await self.emit(spent)

    async def finish(self, report: Report, *, seconds: float) -> None:
        """Store the report, then say that it is there."""
        await self._store.save_report(self._run.run_id, report, fence=self._fence)
        await self.emit(
            Finished(
                partial=report.partial,
                words=report.words,
                sources=len(report.cited),
                claims=len(report.claims),
            )
        )
        await self.settle()
        # last: until then the run is taken up again, so that whoever follows it gets to its end
        await self._store.update_run(
            self._run.run_id,
            fence=self._fence,
            status="partial" if report.partial else "completed",
            partial=report.partial,
            seconds=seconds,
            stop_requested=False,
            waiting_for=(),
            title=report.title,
            claims=report.verdicts,
            tally=report.tally,
        )

    async def fail(self, error: FathomError, *, seconds: float) -> None:
        """Say that there is no report, and why."""
        await self.emit(Failed(error=str(error)))
        await self.settle()
        await self._store.update_run(
            self._run.run_id,
            fence=self._fence,
            status="failed",
            error=str(error),
            failure=error.kind,
            seconds=seconds,
            stop_requested=False,
            waiting_for=(),
        )

    async def close(self) -> None:
        """Leave no event half stored behind."""
        await asyncio.gather(*self._telling, return_exceptions=True)


async def _first(pending: Sequence[asyncio.Future[Any]], *, within: float) -> None:
    if pending:
        await asyncio.wait(pending, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    else:
        await asyncio.sleep(within)


async def _silent(_: Event) -> None:
    """A replay and a plan tell nobody."""


async def _refuse(*, path: str, **_: object) -> str:
    raise StoreError(f"A replay tried to store an answer for {path}: this is a fault in Fathom.")
