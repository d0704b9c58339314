"""How many calls a server of models gets at once, and how long it is given."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fathom.errors import LimitReached
from fathom.findings import Statement
from fathom.ports import ModelCall, ModelReply
from fathom.reasoners.language_model.exchange import exchange
from fathom.reasoners.language_model.models import Models
from fathom.reasoners.language_model.task import Read
from fathom.testing.model_server import ModelServer
from tests.doubles.calls import DirectCalls
from tests.reasoners.language_model.asking import PROMPT, Total, models


async def answer(asking: Models, calls: DirectCalls | None = None) -> str:
    """The answer of the model to the prompt of this folder."""
    given = await exchange(
        asking,
        "balanced",
        PROMPT,
        Total,
        read=lambda total: Read(Statement(text=f"{total.total}")),
        ask="Sum",
        calls=calls or DirectCalls(),
        answer_tokens=100,
    )
    return given.answer.text


async def most_at_once(server: ModelServer, provider: str, **settings: Any) -> int:
    """The largest number of calls that the server had under way, of six that were ready together."""
    url = f"{server.url}/v1" if provider == "openai" else server.url
    asking = models(url, provider, **settings)
    try:
        await asyncio.gather(*(answer(asking) for _ in range(6)))
    finally:
        await asking.close()
    calls = [call for call in server.calls if call.model]
    # a call's end is taken down a moment after its answer has gone out
    return max(sum(other.start <= call.start < other.end - 0.1 for other in calls) for call in calls)


@pytest.mark.parametrize(
    ("provider", "settings", "most"), [("ollama", {}, 2), ("openai", {"model_concurrency": 1}, 1), ("openai", {}, 6)]
)
async def test_a_server_gets_no_more_calls_at_once_than_it_works_on(
    provider: str, settings: dict[str, Any], most: int
) -> None:
    with ModelServer(latency=0.2, models=["tiny"]) as server:
        assert await most_at_once(server, provider, **settings) == most


async def test_waiting_for_a_place_takes_nothing_of_the_time_for_an_answer() -> None:
    with ModelServer(latency=0.3, models=["tiny"]) as server:
        asking = models(f"{server.url}/v1", model_concurrency=1, model_timeout=1.0)
        try:
            answers = await asyncio.gather(*(answer(asking) for _ in range(5)))
        finally:
            await asking.close()
    assert all(answers)


class OutOfTime(DirectCalls):
    """Refuses every call from the second one on, as a run does whose time is up."""

    async def make(self, call: ModelCall, *others: Any, **named: Any) -> ModelReply:
        if self.made:
            raise LimitReached("max_time")
        return await super().make(call, *others, **named)


async def test_a_call_that_waited_for_a_place_is_not_made_when_the_time_is_up_by_then() -> None:
    calls = OutOfTime()
    with ModelServer(latency=0.1, models=["tiny"]) as server:
        asking = models(f"{server.url}/v1", model_concurrency=1)
        try:
            results = await asyncio.gather(*(answer(asking, calls) for _ in range(4)), return_exceptions=True)
        finally:
            await asking.close()
        assert len([call for call in server.calls if call.model]) == 1
    assert [str(each) for each in results[1:]] == ["max_time"] * 3
