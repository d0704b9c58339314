"""A reasoner that asks a chat model of LangChain before each answer, and then answers like the simulated one."""

from __future__ import annotations

from typing import TypeVar

from langchain_core.language_models.fake_chat_models import FakeListChatModel

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
            message = await FakeListChatModel(responses=["ok"]).ainvoke(f"{SECRET}: {ask.kind()}")
            usage = CallUsage(model="openai:gpt-small", tier="fast", prompt_tokens=7, completion_tokens=1)
            return ModelReply(text=str(message.content), usage=usage)

        expected = CallUsage(model="openai:gpt-small", tier="fast", prompt_tokens=7, completion_tokens=1)
        await calls.make(ModelCall(ask=ask.kind(), request=ask.digest(), expected=expected), perform)
        return await super().answer(ask, calls)
