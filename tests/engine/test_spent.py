"""A run whose money was spent, taken up again with more: what was finished without a model is asked of one."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest

from fathom.asks import Ask
from fathom.errors import BudgetSpent
from fathom.frozen import FrozenModel
from fathom.ports import Answered, Calls, CallUsage, ModelCall, ModelReply
from tests.support.doubles.reasoner import Shape, SimulatedReasoner
from tests.support.lab import Lab, same

A = TypeVar("A", bound=FrozenModel)
SHAPE = Shape(subtasks=2)


class Paid(SimulatedReasoner):
    """Pays for every answer; one that it cannot pay for is a stand-in. `paid` lists the requests in order."""

    metered = True
    deterministic = False

    def __init__(self) -> None:
        super().__init__(SHAPE)
        self.paid: list[str] = []

    async def answer(self, ask: Ask[A], calls: Calls) -> Answered[A]:
        usage = CallUsage(model="openai:small", tier=ask.tier, prompt_tokens=100)
        call = ModelCall(ask=ask.kind(), request=ask.digest(), expected=usage)

        async def perform() -> ModelReply:
            self.paid.append(call.request)
            return ModelReply(text="", usage=usage)

        stood_in = ""
        try:
            await calls.make(call, perform)
        except BudgetSpent as error:
            stood_in = str(error)
        answered = await super().answer(ask, calls)
        return Answered(answered.answer, stood_in=stood_in)


class Paying(Lab):
    """A lab whose reasoner pays."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.reasoner = self.payer = Paid()


@pytest.mark.parametrize("most", [600, 700, 900])
async def test_a_run_with_more_to_spend_keeps_no_stand_in_of_the_attempt_that_had_less(
    most: int, tmp_path: Path
) -> None:
    async with (first := Paying(tmp_path)):
        partial = await first.start(max_tokens=most)
    assert partial.partial and partial.stand_ins, "the limit must bind in the report"

    async with (again := Paying(tmp_path)):
        whole = await again.resume(max_tokens=100_000)
    assert whole.partial is None and whole.stand_ins == {}
    paid = [*first.payer.paid, *again.payer.paid]
    assert len(paid) == len(set(paid)), "what was paid for is not paid for again"

    async with (replayed := Paying(tmp_path)):
        assert same(await replayed.replay()) == same(whole)
    assert not replayed.payer.paid
