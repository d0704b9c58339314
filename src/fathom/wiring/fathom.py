"""Fathom in a process: what research needs is opened once, and questions are answered with it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, Unpack

from fathom.errors import UsageError
from fathom.outcomes import in_thread
from fathom.plan import MasterPlan
from fathom.report import Estimate
from fathom.settings import Settings, load_settings
from fathom.wiring.adapters import open_embedder, opened_checkpoints, opened_reasoner, queue_of, tokens_of
from fathom.wiring.again import OutOf, Update, asked_again, comparison_of, following
from fathom.wiring.data import sources_of
from fathom.wiring.leaving import Destination, destinations
from fathom.wiring.opening import checked, opened, opened_again, opened_anew, record_of, recorded
from fathom.wiring.question import Again, Changes, Question, changed_limits, taken_since
from fathom.wiring.running import Begun, RunStream
from fathom.wiring.shared import Shared
from fathom.wiring.steering import answer, asked_of, steer
from fathom.wiring.tracing import tracing_allowed
from fathom.wiring.web import rules_for

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from fathom.comparison.records import Comparison
    from fathom.events import StoredEvent
    from fathom.knowledge.ingestion import IngestProgress
    from fathom.ports import Reasoner, RunRecord, RunStore
    from fathom.ports.queue import RunQueue
    from fathom.ports.tokens import TokenStore
    from fathom.report import Report
    from fathom.steering import Answer, Approval, Command
    from fathom.verification.texts import CheckedText

OnEvent = Callable[["StoredEvent"], None]
"""Told what happens in a run from now on."""
OnIngest = Callable[["IngestProgress"], None]
"""Told how far the reading of the documents is."""


class Prospect(NamedTuple):
    """What research would be like."""

    plan: MasterPlan
    """How the question would be answered."""
    estimate: Estimate
    """What it would take."""
    destinations: tuple[Destination, ...]
    """The servers that would be sent something, those on this machine included."""
    run_id: str | None
    """The run that keeps the plan; `None` when no model has made it."""


class Fathom:
    """Whatever is done with questions and runs; what it needs is open as long as the block lasts.

        async with Fathom(settings) as fathom:
            report = await fathom.research(Question("How does … work?", documents=["./notes"]))

    Outside of a block each method opens what it needs, and closes it again.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        """`settings` are those in force unless given; a question may have its own on top.

        Raises:
            ConfigurationError: one of those in force is wrong.
        """
        self.settings = settings or load_settings()
        self._open = AsyncExitStack()
        self._within = 0
        self._saver: BaseCheckpointSaver[Any] | None = None

    async def __aenter__(self) -> Self:
        """Open the store of runs.

        Raises:
            StoreError: its file cannot be used.
        """
        async with AsyncExitStack() as stack:
            stack.push_async_exit(self._enter())
            self.store: RunStore = await self.shared.runs()
            stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._within -= 1
        if not self._within:
            self._saver = None
            await self._open.aclose()

    async def get_ready(self) -> None:
        """Open and import at once what runs take: done with the first one, it would keep everybody waiting for seconds.

        Raises:
            ConfigurationError: no run could begin: there is no such model, reasoner or provider of searches.
            StoreError: a file cannot be used.
        """
        rules_for(self.settings.model_copy(update={"web": True}))  # a session may ask the web whatever others do
        for name in ("engine.run", "sources", "knowledge.knowledge_base", "reasoners.extractive"):
            await in_thread(import_module, f"fathom.{name}")
        async with opened_reasoner(self.settings) as reasoner:
            await self._view_for(reasoner)

    @cached_property
    def queue(self) -> RunQueue:
        """The runs that wait for a worker, or have one."""
        return queue_of(self.store)

    @cached_property
    def tokens(self) -> TokenStore:
        """Who is let in."""
        return tokens_of(self.store)

    @cached_property
    def links(self) -> TokenStore:
        """What opens single reports."""
        return tokens_of(self.store, links=True)

    # ── A question ─────────────────────────────────────────────────────────────────────────────────────────────────

    def stream(self, question: Question, *, on_ingest: OnIngest | None = None) -> RunStream:
        """Research a question, and see what happens on the way (see `RunStream`)."""

        async def begin(stack: AsyncExitStack) -> Begun:
            wanted = await in_thread(checked, question, self.settings)
            return await self._kept(await opened_anew(stack, self.shared, wanted, on_ingest=on_ingest))

        return self._streamed(begin)

    async def research(self, question: Question, *, on_event: OnEvent | None = None) -> Report:
        """Research a question.

        Raises:
            FathomError: its text says what happened and what to do. A limit that binds is no error: the report is
                partial.
        """
        return await _finish(self.stream(question), on_event)

    async def plan(self, question: Question) -> Prospect:
        """The plan for a question and what it will take, without doing it.

        A plan that a model has made was paid for: it is kept as a run, which `resume` goes on with.

        Raises:
            FathomError: as for `research`.
        """
        from fathom.engine.run import plan_only

        asked = time.monotonic()
        async with AsyncExitStack() as stack:
            stack.push_async_exit(self._enter())
            wanted = await in_thread(checked, question, self.settings)
            new = await opened_anew(stack, self.shared, wanted)
            reasoner, settings = new.adapters["reasoner"], wanted.settings
            run = new.run.model_copy(update={"status": "planned"})
            if reasoner.metered:
                await new.store.create_run(run)
            with tracing_allowed(no_web=settings.no_web):
                taken = taken_since(asked, run.limits)
                plan, estimate = await plan_only(run, store=new.store, taken=taken, **new.adapters)
            if embedder := open_embedder(settings):
                stack.push_async_callback(embedder.close)
            at_hand = new.adapters["sources"]
            leaving = destinations(reasoner, embedder, at_hand.web, sources_of(run), at_hand.connectors)
            return Prospect(plan, estimate, leaving, run.run_id if reasoner.metered else None)

    async def submit(self, question: Question, *, key: str = "", digest: str = "") -> tuple[RunRecord, bool]:
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
        wanted = await in_thread(checked, question, self.settings)
        return await self._queued(
            OutOf(wanted.settings, wanted.limits, partial(record_of, wanted)), key=key, digest=digest
        )

    async def check(
        self,
        text: str | Path,
        *,
        documents: Sequence[Path | str] | None = None,
        limits: Mapping[str, Any] | None = None,
        settings: Settings | None = None,
        on_ingest: OnIngest | None = None,
    ) -> CheckedText:
        """Hold each sentence of a text against documents: which they bear out, which they contradict, which they do not
        speak of. Nobody need have cited anything. With a model it judges every sentence that is no quotation.

        Args:
            text: In Markdown; or the path of a file of a type that can be read.
            documents: Files and folders to keep to, read in first; without any, the whole knowledge base.
            limits: What a model may take, by the names of `Limits`: `max_calls`, `max_tokens`, `max_cost`, `max_time`,
                `max_checks`, `max_concurrency`.
            settings: Those of the check, where they differ.

        Raises:
            UsageError: a path is not there, the text is too large, claims nothing or cannot be read, or there is
                nothing to hold it against.
            ConfigurationError: nothing reads files of its type, or a setting or a limit is wrong.
        """
        from fathom.wiring.checking import held_against_documents

        async with AsyncExitStack() as stack:
            stack.push_async_exit(self._enter())
            return await held_against_documents(
                text, documents, limits, settings or self.settings, self.shared, on_ingest=on_ingest
            )

    # ── A run ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def take_up(self, run_id: str, **changes: Unpack[Changes]) -> RunStream:
        """Go on with a run that was stopped, killed or limited (see `RunStream`)."""

        async def begin(stack: AsyncExitStack) -> Begun:
            store = await self.shared.runs()
            run = await store.run(run_id)
            if limits := changes.get("limits"):
                run = run.model_copy(update={"limits": changed_limits(run.limits, limits)})
            begun = await opened_again(stack, self.shared, run, self.settings, changes.get("models"))
            begun = replace(begun, checkpointer=await self._view_for(begun.adapters["reasoner"]))
            if run.is_active:
                await queue_of(store).take_out(run.run_id)  # a service that has not begun leaves it to this process
            if run.stop_requested:
                await store.request_stop(run.run_id, wanted=False)
            return begun

        return self._streamed(begin)

    async def resume(self, run_id: str, *, on_event: OnEvent | None = None, **changes: Unpack[Changes]) -> Report:
        """Go on with a run that was stopped, killed or limited; what is finished is not asked again (see `take_up`).

        Raises:
            NotFound: no run has that id.
            FathomError: as for `research`.
        """
        return await _finish(self.take_up(run_id, **changes), on_event)

    def carry_out(self, run: RunRecord) -> RunStream:
        """Carry out a run that waits in the queue, or whose worker has died (see `RunStream`)."""

        async def begin(stack: AsyncExitStack) -> Begun:
            begun = await opened_again(stack, self.shared, run, self.settings)
            return replace(begun, checkpointer=await self._view_for(begun.adapters["reasoner"]))

        return self._streamed(begin)

    async def approvals(self, run_id: str) -> tuple[Approval, ...]:
        """What a run waits for its person to approve (see the limit `approve`), in the order of being asked.

        Raises:
            NotFound: no run has that id.
        """
        async with self:
            return (await self.store.run(run_id)).waiting_for

    async def answer(self, run_id: str, said: Answer, *, approval_id: str | None = None) -> Approval:
        """Answer what a run waits for, whatever process carries it out; what that was.

        Args:
            approval_id: Which of several things it waits for.

        Raises:
            NotFound: no run has that id, or it has asked nothing of that name.
            Conflict: it waits for no answer any more: it has one, the time for it was up, or the run has ended.
            UsageError: it cannot be carried out so, as a plan whose parts wait for each other; the approval stays open.
        """
        async with self:
            return await answer(self.store, run_id, said, approval_id)

    async def expected(self, run_id: str, said: Answer, *, approval_id: str | None = None) -> Estimate:
        """What a run that waits with its plan would take if that was answered so: edited, say. It goes on waiting.

        Raises:
            NotFound, Conflict: no run has that id, or it waits for nothing, or for nothing of that name.
            UsageError: it cannot be carried out so, or it is not the plan that it waits with.
        """
        from fathom.engine.run import expected

        async with self, AsyncExitStack() as stack:
            run = await self.store.run(run_id)
            asked = asked_of(run, said, approval_id)
            if asked.about != "plan" or said.decision not in ("accept", "edit"):
                raise UsageError("Only what a plan would take is estimated, as it is or edited.")
            begun = await recorded(stack, self.shared, run, self.settings, self.store)
            return await expected(run, asked.id, said, store=self.store, **begun.adapters)

    async def steer(self, run_id: str, command: Command, subtask_id: str | None = None) -> None:
        """Tell a run that is under way, in whatever process, what to do otherwise.

        Args:
            command: `skip` leaves a subtask out, `deeper` looks into it further, whatever is thought of its depth;
                `write` ends the research and has the report written from what was found.
            subtask_id: Which subtask; none of `write`.

        Raises:
            NotFound: no run has that id, or it has no such subtask.
            Conflict: the run, its research or the subtask has ended, or it was told that before.
            UsageError: the command needs a subtask, or takes none.
        """
        async with self:
            await steer(self.store, run_id, command, subtask_id)

    async def replay(self, run_id: str) -> Report:
        """The report of a run, made again from its journal: no call is made, and the bytes are the same.

        It needs no model, no key and no provider's package.

        Raises:
            NotFound: no run has that id.
            MissingAnswer: it has not ended; resume it first.
        """
        async with self, AsyncExitStack() as stack:
            run = await self.store.run(run_id)
            return await (await recorded(stack, self.shared, run, self.settings, self.store)).execute(replay=True)

    async def bundle(self, run_id: str) -> bytes:
        """A run as one ZIP file, which another Fathom opens and replays (see `fathom.wiring.bundling`).

        Raises:
            NotFound, Conflict: no run has that id, or it has not ended with a report.
            UsageError: it cannot be replayed.
        """
        from fathom.wiring.bundling import bundled

        async with self, AsyncExitStack() as stack:
            run = await self.store.run(run_id)
            return await bundled(await recorded(stack, self.shared, run, self.settings, self.store), self.settings)

    async def take_in(self, bundle: Path) -> tuple[RunRecord, bool]:
        """Store the run of a bundle, to be read, exported and replayed (see `fathom.wiring.importing.taken_in`)."""
        from fathom.wiring.importing import taken_in

        async with self:
            return await taken_in(bundle, self.store)

    def branch_off(
        self, run_id: str, *, update: bool = False, on_ingest: OnIngest | None = None, **again: Unpack[Again]
    ) -> RunStream:
        """Research a run again, as a new run with the same settings (see `RunStream`).

        Args:
            update: To be compared with the run, which must have a report: pages and searches of the web are asked for
                again although the archive has them.
        """
        return self._out_of(lambda store: asked_again(run_id, store, self.settings, update=update, **again), on_ingest)

    async def fork(self, run_id: str, *, on_event: OnEvent | None = None, **again: Unpack[Again]) -> Report:
        """Research a run again, as a new run; the arguments are those of `branch_off`.

        Raises:
            NotFound: no run has that id.
            UsageError: nothing of what it has read is kept, and the new run is to be offline.
            FathomError: as for `research`.
        """
        return await _finish(self.branch_off(run_id, **again), on_event)

    async def update(self, run_id: str, *, on_event: OnEvent | None = None, **changes: Unpack[Changes]) -> Update:
        """Ask the question of a run anew, as a new run over what its sources hold today, and see what has changed.
        What a model has answered before is not paid for again.

        Raises:
            NotFound, Conflict: no run has that id, it has no report, or is under way.
            FathomError: as for `research`.
        """
        async with self:
            report = await _finish(self.branch_off(run_id, update=True, **changes), on_event)
            return Update(report, await self.compare(report.run_id))

    async def compare(self, old: str, new: str | None = None) -> Comparison:
        """The reports of two runs side by side; of one alone, beside that of the run that it updates or is forked from.

        Raises:
            NotFound, Conflict: no run has that id, it has no report, or is under way.
            UsageError: both are the same run, or the one alone has no earlier one.
        """
        async with self:
            return await comparison_of(self.store, old, new)

    async def submit_again(
        self, run_id: str, *, key: str = "", digest: str = "", **again: Any
    ) -> tuple[RunRecord, bool]:
        """Store a run again, as a new one that waits for a worker; otherwise as `submit` and `branch_off`."""
        return await self._queued(await asked_again(run_id, self.store, self.settings, **again), key=key, digest=digest)

    def ask_on(
        self,
        run_id: str,
        question: str = "",
        *,
        about: str = "",
        on_ingest: OnIngest | None = None,
        **changes: Unpack[Changes],
    ) -> RunStream:
        """Ask a question that follows a run, as a new run with the same settings, limits and sources (see `RunStream`).

        What the thread has read answers first; only what that does not answer is asked of the sources.

        Args:
            question: It may lean on the thread: "and which of them is cheaper?".
            about: Id of a sentence of the run's report that is to be researched further, `C7`: the sources are asked at
                once. Then there need be no question.
        """

        asked: dict[str, Any] = {"question": question, "about": about, **changes}
        return self._out_of(lambda store: following(run_id, store, self.settings, **asked), on_ingest)

    async def ask(
        self,
        run_id: str,
        question: str = "",
        *,
        about: str = "",
        on_event: OnEvent | None = None,
        **changes: Unpack[Changes],
    ) -> Report:
        """Ask a question that follows a run; the arguments are those of `ask_on`.

        Raises:
            NotFound: no run has that id, or its report has no such sentence.
            Conflict: the run is under way, or has no report.
            FathomError: as for `research`.
        """
        return await _finish(self.ask_on(run_id, question, about=about, **changes), on_event)

    async def submit_follow_up(
        self,
        run_id: str,
        question: str = "",
        *,
        about: str = "",
        key: str = "",
        digest: str = "",
        **changes: Unpack[Changes],
    ) -> tuple[RunRecord, bool]:
        """Store a question that follows a run as a run that waits for a worker; otherwise as `submit` and `ask`."""
        asked = await following(run_id, self.store, self.settings, question=question, about=about, **changes)
        return await self._queued(asked, key=key, digest=digest)

    def _out_of(self, made: Callable[[RunStore], Awaitable[OutOf]], on_ingest: OnIngest | None) -> RunStream:
        """A new run out of an earlier one (see `RunStream`)."""

        async def begin(stack: AsyncExitStack) -> Begun:
            settings, limits, record = await made(await self.shared.runs())
            return await self._kept(await opened(stack, self.shared, settings, limits, record, on_ingest=on_ingest))

        return self._streamed(begin)

    async def _queued(self, new: OutOf, *, key: str = "", digest: str = "") -> tuple[RunRecord, bool]:
        """A new run, stored for a worker, and whether it is one: an earlier request may have had the key."""
        async with opened_reasoner(new.settings) as reasoner:
            run = new.record(reasoner)
        stored = await self.queue.submit(run, key=key, digest=digest)
        return stored, stored.run_id == run.run_id

    # ── Opening ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _streamed(self, begin: Callable[[AsyncExitStack], Awaitable[Begun]]) -> RunStream:
        async def within(stack: AsyncExitStack) -> Begun:
            stack.push_async_exit(self._enter())
            return await begin(stack)

        return RunStream(within)

    def _enter(self) -> Self:
        """As the block begins, without opening anything."""
        if not self._within:
            self.shared = Shared(self._open, self.settings)
            self.__dict__.pop("queue", None)  # of a store that an earlier block has closed
            self.__dict__.pop("tokens", None)
            self.__dict__.pop("links", None)
        self._within += 1
        return self

    async def _kept(self, new: Begun) -> Begun:
        """A new run, stored; that comes last: what cannot begin leaves no run behind."""
        begun = replace(new, checkpointer=await self._view_for(new.adapters["reasoner"]))
        await begun.store.create_run(begun.run)
        return begun

    async def _view_for(self, reasoner: Reasoner) -> BaseCheckpointSaver[Any] | None:
        """Where the states of runs can be looked at; `None` without a model: such a run is over before LangGraph is
        imported."""
        if reasoner.metered and self._saver is None:
            self._saver = await self._open.enter_async_context(opened_checkpoints(self.settings))
        return self._saver if reasoner.metered else None


async def _finish(events: RunStream, on_event: OnEvent | None) -> Report:
    """The report of a run under way."""
    async with events as run:
        async for stored in run:
            if on_event and stored.seq > run.known:
                on_event(stored)
        return await run.report()
