"""What every step may use: the run, its state, and the one door to the reasoner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from fathom.asks import Ask
from fathom.browsing import Reach
from fathom.engine.calls import RunCalls, packed, unpacked
from fathom.engine.gate import Gate, Priority
from fathom.engine.journal import ANSWER, GRACE_SECONDS, Journal, Phase
from fathom.engine.state import RunState, Told
from fathom.errors import LOST, LimitReached, MalformedReply, ProviderError
from fathom.events import CallFailed, Event, LeftOut, StoodIn, Understood
from fathom.evidence import now
from fathom.findings import root_of
from fathom.frozen import FrozenModel, request_digest
from fathom.plan import Subtask
from fathom.ports import Answered, Reasoner, RunRecord, RunStore
from fathom.ports.source import Source, Sources
from fathom.report import Usage

A = TypeVar("A", bound=FrozenModel)
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
    state: RunState = field(default_factory=RunState)
    told: Told = field(default_factory=Told)

    def about(self, kind: type[K], **fields: Any) -> K:
        """An ask of that kind on the question of the run; whoever writes is told how that wishes to be answered."""
        wished = self.state.asked.preferences if kind.writes else None
        if wished:
            fields = {"wishes": " · ".join(wished.wishes), **fields}
        return kind(query=self.run.query, language=self.told_in if wished else self.run.language, **fields)

    async def understand(self, question: str) -> None:
        """From here on the run is about `question`, which is told where it is not the one that was asked."""
        asked, self.run = self.run.query, self.run.model_copy(update={"query": question})
        if wished := self.state.asked.preferences:
            self.state.asked.preferences = wished.model_copy(update={"topic": question})
        if question != asked:
            await self.emit(Understood(question=question))

    @property
    def told_in(self) -> str:
        """ISO 639-1 code of the language of the report: the one that is wished for, else that of the question."""
        wished = self.state.asked.preferences
        return (wished and wished.language) or self.run.language

    @property
    def max_words(self) -> int:
        """Length of the report, at least 50: as long as the limits, and the question, let it be."""
        most, wished = self.run.limits.max_words, self.state.asked.preferences
        own = wished and wished.words
        if own and self.reasoner.metered and self.run.limits.has_usual_length:
            return max(50, own)  # a model writes as much as it is asked for; quotations are as long as the limit
        return max(50, min(most, own or most))

    async def ask(self, path: str, ask: Ask[A], *, phase: Phase = "research") -> A:
        """The reasoner's answer, from the journal when it is there.

        `path` names the place in the run: `task_1/r0/assess`. Equal asks of the same path are one call.

        Raises:
            LimitReached: the run has stopped; never in phase `report`.
            ProviderError: no usable answer.
        """
        subtask = getattr(ask, "subtask", None)
        priority = self.priority(subtask)
        emit = self.emit if self.reasoner.metered else None
        calls = RunCalls(self.journal, path, phase=phase, priority=priority, emit=emit)
        if not self.reasoner.metered:
            answer = await self.journal.call(
                path,
                ask.kind(),
                request_digest(self.run.reasoner, ask.kind(), self.digest(ask)),
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

    def digest(self, ask: Ask[Any]) -> str:
        """What tells an ask from others: its answer is found by that."""
        return ask.digest()

    def _request(self, path: str, ask: Ask[A], phase: Phase) -> str:
        """The digest that the answer of a model is found by, whatever models are in force by now.

        What was answered once is not paid for again. But what an attempt had no model for, the next one asks anew.
        """
        digest = self.digest(ask)
        attempts = (() if number == 1 else (f"attempt {number}",) for number in range(1, self.run.attempt + 1))
        *earlier, now = (request_digest(ANSWER, ask.kind(), digest, *attempt) for attempt in attempts)
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
        self.state.models.invented += answered.invented
        self.state.material.missed |= answered.is_missed
        self.state.models.usable += answered.by_model
        if answered.stood_in:
            self.state.models.stand_in(kind, answered.stood_in)
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

    async def stands_in(self, call: str, error: ProviderError) -> None:
        """Say, and keep for the report, that what a model did not do is done by rule."""
        reason = " ".join(str(error).split())
        self.state.models.stand_in(call, reason)
        self.state.material.missed |= isinstance(error, LOST)
        await self.emit(StoodIn(call=call, reason=reason))

    async def tell_failure(self, call: str, error: ProviderError, subtask: Subtask | None = None) -> None:
        """Say that a call has failed."""
        await self.emit(CallFailed(subtask_id=subtask and subtask.subtask_id, call=call, error=str(error)))

    @property
    def reaches(self) -> dict[str, Reach]:
        """The sources that ask others, by name: they are asked for what nobody has at hand."""
        return {name: source.reach for name, source in self.sources.items() if source.reach is not None}

    @property
    def divides(self) -> bool:
        """Whether there are several sources, so that each query is allocated to those that it belongs to."""
        return len(self.state.material.sources) > 1

    async def decide(self, path: str, value: Any) -> Any:
        """What was decided at `path`: `value`, unless it was decided before. For all that depends on timing or chance.

        JSON goes in and out: a tuple comes back as a list.
        """
        return await self.journal.decide(path, value)

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
        subtask = self.state.subtasks[subtask.subtask_id].current
        match self.run.limits.order:
            case "breadth_first":
                tie: Priority = (subtask.depth, subtask.priority)
            case "depth_first":
                root = self.state.subtasks[root_of(subtask.subtask_id)].current
                own = (-subtask.depth, -subtask.estimated_importance, subtask.priority)
                return (-root.estimated_importance, root.priority, *own)
            case "hybrid":
                tie = (subtask.priority, subtask.depth)
        return (-subtask.estimated_importance, *tie)
