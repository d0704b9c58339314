"""A reasoner's door to the run: its calls go through the journal, and what it writes is shown while it comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from fathom.asks import Ask
from fathom.engine.gate import Priority
from fathom.engine.journal import Journal, Phase
from fathom.events import CallFailed, Event, SectionDrafted
from fathom.noun import Noun
from fathom.ports import Answered, ModelCall, ModelReply

A = TypeVar("A", bound=Noun)

PIECE = 120
"""Characters of a draft that are told at once, up to the end of a word: every event is stored."""


class RunCalls:
    """The calls of one ask of a run (see `fathom.ports.Calls`)."""

    def __init__(
        self,
        journal: Journal,
        path: str,
        *,
        phase: Phase = "research",
        priority: Priority = (),
        emit: Callable[[Event], Awaitable[None]] | None = None,
        say: Callable[[Event], Awaitable[None]] | None = None,
        heading: str = "",
    ) -> None:
        """`emit` is told what is written, `say` what goes wrong."""
        self._journal = journal
        self._path = path
        self._phase = phase
        self._priority = priority
        self._emit = emit
        self._say = say
        self._heading = heading
        self._drafted = ""
        self._telling: list[asyncio.Future[None]] = []

    async def make(
        self,
        call: ModelCall,
        perform: Callable[[], Awaitable[ModelReply]],
        *,
        usable: Callable[[ModelReply], bool] | None = None,
    ) -> ModelReply:
        """The reply, from a journal or from `perform`."""
        return await self._journal.pay(
            self._path, call, perform, phase=self._phase, priority=self._priority, usable=usable
        )

    async def wait(self, seconds: float, *, gone: str | None = None) -> None:
        """Wait, as long as the run has time."""
        if gone and self._say:
            await self._say(CallFailed(call="model", error=gone))
        await self._journal.wait(seconds, phase=self._phase, is_gone=gone is not None)

    def tell(self, text: str) -> None:
        """Show what was written, in pieces."""
        if self._emit is None:
            return
        self._drafted += text
        if len(self._drafted) >= PIECE and not self._drafted[-1].isalnum():
            self._tell()

    def _tell(self) -> None:
        if self._emit is not None and self._drafted.strip():
            event = SectionDrafted(heading=self._heading, text=self._drafted)
            self._telling.append(asyncio.ensure_future(self._emit(event)))
        self._drafted = ""

    async def close(self) -> None:
        """Show the rest; an event that could not be stored raises its error here."""
        self._tell()
        await asyncio.gather(*self._telling)


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
