"""A reasoner's calls outside of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from fathom.asks import Ask
from fathom.noun import Noun
from fathom.ports import ModelCall, ModelReply, Reasoner

A = TypeVar("A", bound=Noun)


class DirectCalls:
    """Makes every call at once. `made` lists them in order, `told` what was shown on the way."""

    def __init__(self) -> None:
        self.made: list[ModelCall] = []
        self.replies: list[ModelReply] = []
        self.told: list[str] = []
        self.gone: list[str] = []

    async def make(
        self,
        call: ModelCall,
        perform: Callable[[], Awaitable[ModelReply]],
        *,
        usable: Callable[[ModelReply], bool] | None = None,  # noqa: ARG002 - there is no earlier reply
    ) -> ModelReply:
        """What `perform` returns."""
        self.made.append(call)
        reply = await perform()
        self.replies.append(reply)
        return reply

    async def wait(self, seconds: float, *, gone: str | None = None) -> None:
        """Wait so long."""
        self.gone += [gone] if gone else []
        await asyncio.sleep(seconds)

    def tell(self, text: str) -> None:
        """Take it down."""
        self.told.append(text)


async def answer_of(reasoner: Reasoner, ask: Ask[A]) -> A:
    """The reasoner's answer, outside of a run."""
    return (await reasoner.answer(ask, DirectCalls())).answer
