"""The door of a reasoner to the run: its calls go through the journal, and what it writes is shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeVar, cast

from fathom.asks import Ask
from fathom.engine.gate import Priority
from fathom.engine.journal import Journal, Phase
from fathom.events import CallFailed, Event, SectionDrafted
from fathom.frozen import FrozenModel
from fathom.ports import Answered, ModelCall, ModelReply
from fathom.written import MARK

A = TypeVar("A", bound=FrozenModel)


@dataclass(eq=False)
class RunCalls:
    """The calls of one ask of a run (see `fathom.ports.Calls`)."""

    journal: Journal
    path: str
    _: KW_ONLY
    phase: Phase = "research"
    priority: Priority = ()
    emit: Callable[[Event], Awaitable[None]] | None = None
    """Is told what goes wrong, and what is written."""
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

    def tell(self, heading: str, text: str) -> None:
        """Show a block of the report, without its citation marks: what they name is not checked yet."""
        if self.emit is not None and (shown := MARK.sub("", text).strip()):
            self._telling.append(asyncio.ensure_future(self.emit(SectionDrafted(heading=heading, text=shown))))

    async def close(self) -> None:
        """Wait for what is shown; an event that could not be stored raises its error here."""
        await asyncio.gather(*self._telling)


def packed(answered: Answered[Any]) -> str:
    """An answer and how it came about, as the journal keeps it."""
    notes = {"stood_in": answered.stood_in, "left_out": answered.left_out, "invented": answered.invented}
    notes |= {name: True for name in ("is_missed", "by_model") if getattr(answered, name)}
    return json.dumps({"answer": answered.answer.model_dump(mode="json"), **notes}, ensure_ascii=False)


def unpacked(stored: str, ask: Ask[A]) -> Answered[A]:
    """What `packed` has packed."""
    notes = json.loads(stored)
    answer = cast(A, ask.answer.model_validate(notes.pop("answer")))
    return Answered(answer, **notes)
