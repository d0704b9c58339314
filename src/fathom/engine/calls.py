"""The doors to the run of reasoner and sources: their calls go through the journal, and what is written is shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fathom.asks import Ask
from fathom.engine.gate import Gate, Priority
from fathom.engine.journal import Journal, Phase
from fathom.errors import BudgetSpent, ProviderError
from fathom.events import CallFailed, Event, SectionDrafted
from fathom.noun import Noun
from fathom.plan import Subtask
from fathom.ports import Answered, ModelCall, ModelReply

if TYPE_CHECKING:
    from fathom.engine.context import Context

A = TypeVar("A", bound=Noun)

PIECE = 120
"""Characters of a draft that are told at once, up to the end of a word: every event is stored."""


@dataclass(eq=False)
class RunCalls:
    """The calls of one ask of a run (see `fathom.ports.Calls`)."""

    journal: Journal
    path: str
    _: KW_ONLY
    phase: Phase = "research"
    priority: Priority = ()
    emit: Callable[[Event], Awaitable[None]] | None = None
    """Is told what goes wrong, and under a heading what is written."""
    heading: str = ""
    _drafted: str = ""
    _telling: list[asyncio.Future[None]] = field(default_factory=list)

    async def make(
        self,
        call: ModelCall,
        perform: Callable[[], Awaitable[ModelReply]],
        *,
        usable: Callable[[ModelReply], bool] | None = None,
    ) -> ModelReply:
        """The reply, from a journal or from `perform`."""
        return await self.journal.pay(self.path, call, perform, phase=self.phase, priority=self.priority, usable=usable)

    async def wait(self, seconds: float, *, gone: str | None = None) -> None:
        """Wait, as long as the run has time."""
        if gone and self.emit:
            await self.emit(CallFailed(call="model", error=gone))
        await self.journal.wait(seconds, phase=self.phase, is_gone=gone is not None)

    def tell(self, text: str) -> None:
        """Show what was written, in pieces."""
        if not self.heading:
            return
        self._drafted += text
        if len(self._drafted) >= PIECE and not self._drafted[-1].isalnum():
            self._tell()

    def _tell(self) -> None:
        if self.emit is not None and self._drafted.strip():
            event = SectionDrafted(heading=self.heading, text=self._drafted)
            self._telling.append(asyncio.ensure_future(self.emit(event)))
        self._drafted = ""

    async def close(self) -> None:
        """Show the rest; an event that could not be stored raises its error here."""
        self._tell()
        await asyncio.gather(*self._telling)


class PlacedCalls:
    """The calls of a source at one place of a run (see `fathom.ports.source.SourceCalls`)."""

    def __init__(self, context: Context, path: str, subtask: Subtask | None) -> None:
        self.run, self.replay, self.subtask = context.run, context.replay, subtask
        self.decide, self.decision = context.journal.decide, context.journal.decision
        self.buy, self.has_read = context.journal.buy, context.journal.budget.has_read
        self._context, self._path = context, path

    def at(self, place: str) -> str:
        """The path of a place below this one."""
        return "/".join(filter(None, (self._path, place)))

    async def emit(self, event: Event) -> None:
        """Have it told."""
        await self._context.emit(event)

    def revision(self, name: str) -> str:
        """Of what a source has described."""
        return next((each.revision for each in self._context.board.sources if each.name == name), "")

    async def call(
        self,
        path: str,
        kind: str,
        request: str,
        perform: Callable[[], Awaitable[str]],
        *,
        shared: bool = True,
        phase: Phase = "research",
        lane: str = "",
        first: bool = False,
    ) -> str:
        """The answer, from the journal or from `perform`."""
        context, priority = self._context, () if first else self._context.priority(self.subtask)
        gate = context.lanes.setdefault(lane, Gate(max(1, self.run.limits.max_concurrency // 4))) if lane else None
        if gate:
            await gate.enter(priority)
        try:
            return await context.journal.call(
                path, kind, request, perform, phase=phase, shared=shared, priority=priority
            )
        finally:
            if gate:
                gate.leave()

    async def failed(self, name: str, error: ProviderError, *, stands_alone: bool = True) -> None:
        """Take the failure down, and tell it."""
        if not isinstance(error, BudgetSpent):  # which is told as the reason why the report is incomplete
            self._context.board.fail(name, error, stands_alone=stands_alone)
        await self._context.tell_failure(f"search {name}", error, self.subtask)

    def missed(self) -> None:
        """Take it down for the report."""
        self._context.board.missed = True

    async def keep_snapshot(self, sha256: str, text: str) -> None:
        """Store a text with the run."""
        await self._context.store.add_snapshot(self.run.run_id, sha256, text, fence=self._context.fence)


def packed(answered: Answered[Any]) -> str:
    """An answer and how it came about, as the journal keeps it."""
    notes = {"stood_in": answered.stood_in, "left_out": answered.left_out, "invented": answered.invented}
    notes |= {"is_missed": True} if answered.is_missed else {}
    return json.dumps({"answer": answered.answer.model_dump(mode="json"), **notes}, ensure_ascii=False)


def unpacked(stored: str, ask: Ask[A]) -> Answered[A]:
    """What `packed` has packed."""
    notes = json.loads(stored)
    answer = cast(A, ask.answer.model_validate(notes.pop("answer")))
    return Answered(answer, **notes)
