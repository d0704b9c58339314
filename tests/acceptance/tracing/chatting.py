"""A reasoner that makes a call to a model before each answer, and then answers like the simulated one."""

from __future__ import annotations

from typing import TypeVar

from fathom.asks import Ask
from fathom.errors import Unavailable
from fathom.frozen import FrozenModel
from fathom.ports import Answered, Calls, CallUsage, ModelCall, ModelReply
from tests.support.doubles.reasoner import SimulatedReasoner

A = TypeVar("A", bound=FrozenModel)
SECRET = "a prompt about deep seas"


class ChattingReasoner(SimulatedReasoner):
    """Each ask is one call to a model."""

    metered = True
    looks_beside = False
    unreachable: tuple[str, ...] = ()
    """Kinds of asks for which the model cannot be reached."""

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:
        """The answer, after a chat."""

        async def perform() -> ModelReply:
            if ask.kind() in self.unreachable:
                raise Unavailable(f"the model said: {SECRET}")
            return ModelReply(text="ok", usage=usage)

        usage = CallUsage(model="openai:gpt-small", tier="fast", prompt_tokens=7, completion_tokens=1)
        prompt = (("user", f"{SECRET}: {ask.kind()}"),)
        call = ModelCall(ask=ask.kind(), request=ask.digest(), expected=usage, prompt=prompt)
        await calls.make(call, perform)
        return await super().answer(ask, calls)
