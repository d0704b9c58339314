"""How many calls a server of models gets at once, and how long it is given."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fathom.reasoners.language_model.completion import Message
from fathom.testing.model_server import ModelServer
from tests.reasoners.language_model.asking import models

QUESTION = (Message("human", "How many?"),)


async def most_at_once(server: ModelServer, provider: str, **settings: Any) -> int:
    """The largest number of calls that the server had under way, of six that were ready together."""
    url = f"{server.url}/v1" if provider == "openai" else server.url
    asking = models(url, provider, **settings)
    try:
        model = asking.for_tier("balanced")
        await asyncio.gather(*(model.complete(QUESTION, max_tokens=20) for _ in range(6)))
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
            model = asking.for_tier("balanced")
            answers = await asyncio.gather(*(model.complete(QUESTION, max_tokens=20) for _ in range(5)))
        finally:
            await asking.close()
    assert all(answer.text for answer in answers)
