"""What every step may use: the run, its board, and the one door to reasoner, sources and store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import ValidationError

from fathom.asks import Ask
from fathom.browsing import Reach
from fathom.composing.research import ReportMaterial
from fathom.engine.board import Board
from fathom.engine.calls import PlacedCalls, RunCalls, packed, unpacked
from fathom.engine.gate import Gate, Priority
from fathom.engine.journal import ANSWER, GRACE_SECONDS, Journal, Phase
from fathom.errors import LimitReached, MalformedReply, NotFound, ProviderError
from fathom.events import CallFailed, Event, LeftOut, StoodIn
from fathom.evidence import Query, SourceDescription, now, text_digest
from fathom.findings import root_of
from fathom.noun import Noun, request_digest
from fathom.outcomes import together
from fathom.plan import Subtask
from fathom.ports import Answered, Reasoner, RunRecord, RunStore
from fathom.ports.source import Source, SourceAnswer, Sources
from fathom.report import Outline, Report, Usage

if TYPE_CHECKING:
    from fathom.composing.numbering import Written
    from fathom.engine.scheduler import Scheduler

A = TypeVar("A", bound=Noun)
K = TypeVar("K", bound=Ask[Any])


@dataclass(eq=False)
class Context:
    """The only way from a step to anything outside of it. One per process that works on a run; never serialised."""

    run: RunRecord
    _: KW_ONLY
    store: RunStore
    journal: Journal
    reasoner: Reasoner
    at_hand: Sources
    """What this process can ask."""
    emit: Callable[[Event], Awaitable[None]]
    """Number and store an event; `await context.emit(Outlined(...))`."""
    fence: int = 0
    replay: bool = False
    """Whether nothing may be asked and nothing stored."""
    is_watched: bool = False
    """Whether somebody looks on: LangGraph walks then, which tells each step (see `fathom.engine.flow`)."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """What this attempt may ask, by name; set before anything is asked."""
    lanes: dict[str, Gate] = field(default_factory=dict)
    """One for each provider of searches: a quarter of all calls may be under way there."""
    board: Board = field(default_factory=Board)
    scheduler: Scheduler = field(init=False)
    """Starts subtasks; set by whoever walks the graph."""
    research: ReportMaterial = field(init=False)
    outline: Outline = field(init=False)
    written: tuple[Written, ...] = field(init=False)
    report: Report = field(init=False)
    """What the last steps hand on, in this order."""

    def about(self, kind: type[K], **fields: Any) -> K:
        """An ask of that kind on the question of the run."""
        return kind(query=self.run.query, language=self.run.language, **fields)

    async def ask(self, path: str, ask: Ask[A], *, phase: Phase = "research", heading: str = "") -> A:
        """The reasoner's answer, from the journal when it is there.

        `path` names the place in the run: `task_1/r0/assess`. Equal asks of the same path are one call. With `heading`,
        a section of that name is shown while it is written.

        Raises:
            LimitReached: the run has stopped; never in phase `report`.
            ProviderError: no usable answer.
        """
        subtask = getattr(ask, "subtask", None)
        priority = self.priority(subtask)
        emit = self.emit if self.reasoner.metered else None
        calls = RunCalls(self.journal, path, phase=phase, priority=priority, emit=emit, heading=heading)
        if not self.reasoner.metered:
            answer = await self.journal.call(
                path,
                ask.kind(),
                request_digest(self.run.reasoner, ask.kind(), ask.digest()),
                lambda: self._answer(ask, calls),
                phase=phase,
                shared=self.reasoner.deterministic,
                priority=priority,
            )
            return cast(A, ask.answer.model_validate_json(answer))
        request = self._request(path, ask, phase)
        stored = await self.journal.call(path, ANSWER, request, lambda: self._answer(ask, calls), phase=phase)
        answered = unpacked(stored, ask)
        await self._tell_how(answered, ask, subtask)
        return answered.answer

    def _request(self, path: str, ask: Ask[A], phase: Phase) -> str:
        """The digest that the answer of a model is found by, whatever models are in force by now.

        What was answered once is not paid for again. But what an attempt had no model for, the next one asks anew.
        """
        attempts = (() if number == 1 else (f"attempt {number}",) for number in range(1, self.run.attempt + 1))
        *earlier, now = (request_digest(ANSWER, ask.kind(), ask.digest(), *attempt) for attempt in attempts)
        for request in earlier:
            stored = self.journal.answered(path, request, phase=phase)
            if stored is not None and not unpacked(stored, ask).stood_in:
                return request
        return now

    async def _answer(self, ask: Ask[A], calls: RunCalls) -> str:
        answered = await self.reasoner.answer(ask, calls)
        await calls.close()
        answer = answered.answer.model_dump_json()
        try:  # what was made without its rules must not be stored: nobody could read it again
            ask.answer.model_validate_json(answer)
        except ValidationError as error:
            raise MalformedReply(f"The answer to {ask.kind()} breaks its rules: {error.errors()[0]['msg']}.") from error
        return packed(answered) if self.reasoner.metered else answer

    async def _tell_how(self, answered: Answered[A], ask: Ask[A], subtask: Subtask | None) -> None:
        """Say, and keep for the report, what a reader must know of how the answer came about."""
        kind, id = ask.kind(), subtask and subtask.subtask_id
        self.board.invented += answered.invented
        self.board.missed |= answered.is_missed
        if answered.stood_in:
            self.board.stand_ins[kind] += 1
            await self.emit(StoodIn(subtask_id=id, call=kind, reason=answered.stood_in))
        if answered.left_out:
            await self.emit(LeftOut(subtask_id=id, call=kind, count=answered.left_out))

    async def try_ask(
        self, path: str, ask: Ask[A], *, phase: Phase = "research", if_there_is_time: bool = False
    ) -> A | None:
        """As `ask`, but a failure is told as an event and answered with `None`; so is, if that is wanted, a limit."""
        try:
            return await self.ask(path, ask, phase=phase)
        except LimitReached:
            if not if_there_is_time:
                raise
            return None
        except ProviderError as error:
            await self.tell_failure(ask.kind(), error, getattr(ask, "subtask", None))
            return None

    async def tell_failure(self, call: str, error: ProviderError, subtask: Subtask | None = None) -> None:
        """Say that a call has failed."""
        await self.emit(CallFailed(subtask_id=subtask and subtask.subtask_id, call=call, error=str(error)))

    async def begin(self) -> None:
        """See what this attempt may ask."""
        self.sources = {source.name: source for source in await self.at_hand.begin(self.calls())}
        self.board.trails = {name: source.trail for name, source in self.sources.items()}

    @property
    def reaches(self) -> dict[str, Reach]:
        """The sources that ask others, by name: they are asked for what nobody has at hand."""
        return {name: source.reach for name, source in self.sources.items() if source.reach is not None}

    def calls(self, path: str = "", subtask: Subtask | None = None) -> PlacedCalls:
        """What a source is asked with, at a place of the run."""
        return PlacedCalls(self, path, subtask)

    async def described(
        self, sources: Iterable[SourceDescription], words: str, path: str, subtask: Subtask
    ) -> tuple[SourceDescription, ...]:
        """What sources hold near some words; one that cannot say it now is as it has described itself before."""

        async def described(source: SourceDescription) -> SourceDescription:
            try:
                return await self.sources[source.name].describe(words, self.calls(path, subtask))
            except ProviderError:
                return source

        return tuple(await together(*map(described, sources)))

    async def search(
        self,
        name: str,
        path: str,
        queries: Sequence[Query],
        *,
        subtask: Subtask | None = None,
        limit: int | None = None,
        recall: bool = False,
    ) -> SourceAnswer:
        """What a source finds for a round of queries, or knows from the question as a whole; it goes on the board.

        `limit` is the number of passages of a query; without it, that of the run.
        """
        source = self.sources[name]
        ask = source.recall if recall else source.search
        found = await ask(queries, limit=limit or self.run.limits.max_passages, calls=self.calls(path, subtask))
        pages = self.board.pages_of(subtask.subtask_id if subtask else "")
        for answer in filter(None, found.answers):
            self.board.lacks.update(answer.lacks)
            for document in answer.documents:
                self.board.holders.setdefault(document.sha256, name)
                if document.sha256 not in pages:
                    self.board.documents.setdefault(document.sha256, document)
        return found

    async def text_of(self, sha256: str) -> str:
        """The whole text of a document that is kept with the run; empty when none is: nothing can be quoted from it."""
        try:
            return await self.store.snapshot(sha256)
        except NotFound:
            return ""

    async def keep_snapshot(self, sha256: str) -> bool:
        """Store the text of a document with the run, so that evidence can always be checked against it.

        `False` when the source no longer has it as it was; decided once, since a source may change.
        """
        path = f"snapshot/{sha256}"
        if self.replay or self.journal.decision(path) is not None:
            return bool(await self.decide(path, False))
        try:
            text = await self.store.snapshot(sha256)
        except NotFound:
            try:
                text = await self.sources[self.board.holders[sha256]].snapshot(sha256)
            except (NotFound, ProviderError):
                return bool(await self.decide(path, False))
        kept = text_digest(text) == sha256
        if kept:
            await self.store.add_snapshot(self.run.run_id, sha256, text, fence=self.fence)
        return bool(await self.decide(path, kept))

    async def decide(self, path: str, value: Any) -> Any:
        """What was decided at `path`: `value`, unless it was decided before. For all that depends on timing or chance.

        JSON goes in and out: a tuple comes back as a list.
        """
        return await self.journal.decide(path, value)

    async def does(self, path: str, *, is_begun: bool = False) -> bool:
        """Whether a run does what runs that earlier versions have stored could not.

        A replay of those must not, nor a run that has gone past that place (`is_begun`).
        """
        decided = self.journal.decision(path)
        if decided is None and not (self.replay or is_begun):
            decided = await self.decide(path, True)
        return bool(decided)

    async def end(self) -> tuple[str, Usage]:
        """When the report was written, in UTC, and what the run took. Comes last: no ask may follow it."""
        await self.journal.close(grace=GRACE_SECONDS)
        return await self.journal.end(created_at=now())

    def priority(self, subtask: Subtask | None) -> Priority:
        """Calls of the run as a whole go first, then by importance; `Limits.order` settles ties.

        Depth first the importance is that of the root, so that one branch is finished before the next.
        """
        if subtask is None:
            return ()
        subtask = self.board.current(subtask.subtask_id)
        match self.run.limits.order:
            case "breadth_first":
                tie: Priority = (subtask.depth, subtask.priority)
            case "depth_first":
                root = self.board.current(root_of(subtask.subtask_id))
                own = (-subtask.depth, -subtask.estimated_importance, subtask.priority)
                return (-root.estimated_importance, root.priority, *own)
            case "hybrid":
                tie = (subtask.priority, subtask.depth)
        return (-subtask.estimated_importance, *tie)
