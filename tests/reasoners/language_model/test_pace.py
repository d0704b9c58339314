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
from fathom.reasoners.language_model.task import Draft, Read
from fathom_testing.model_server import ModelServer
from tests.reasoners.language_model.asking import PROMPT, Sum, Total, models
from tests.support.doubles.calls import DirectCalls


async def answer(asking: Models, calls: DirectCalls | None = None) -> str:
    """The answer of the model to the prompt of this folder."""
    draft = Draft({}, Total, lambda total: Read(Statement(text=f"{total.total}")))
    ask, calls = Sum(query="How many?", language="en"), calls or DirectCalls()
    given = await exchange(asking, draft, PROMPT, ask=ask, calls=calls, answer_tokens=100)
    return given.answer.text


async def under_way(server: ModelServer, provider: str, *, least: int, **settings: Any) -> int:
    """How many calls the server has under way of six that are ready together, and of which it answers none."""
    url = f"{server.url}/v1" if provider == "openai" else server.url
    asking = models(url, provider, **settings)
    asked = [asyncio.create_task(answer(asking)) for _ in range(6)]
    try:
        async with asyncio.timeout(60):
            while len(server.calls) < least:  # noqa: ASYNC110 - the server runs in a thread of its own
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        return len(server.calls)
    finally:
        for each in asked:
            each.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        await asking.close()


@pytest.mark.parametrize(
    ("provider", "settings", "most"), [("ollama", {}, 2), ("openai", {"model_concurrency": 1}, 1), ("openai", {}, 6)]
)
async def test_a_server_gets_no_more_calls_at_once_than_it_works_on(
    provider: str, settings: dict[str, Any], most: int
) -> None:
    with ModelServer(latency=100, models=["tiny"]) as server:
        assert await under_way(server, provider, least=most, **settings) == most


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
