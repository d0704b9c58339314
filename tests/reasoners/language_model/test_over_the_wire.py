"""The asks of research over data over the wire, in the format of every provider, and with models that fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fathom.asks import Ask
from fathom.ports import Answered
from fathom.reasoners.extractive import ExtractiveReasoner
from fathom.reasoners.language_model import from_settings
from fathom.settings import Settings
from fathom_testing.model_server import ModelServer
from tests.contracts.bounds import hold
from tests.contracts.dataset import COUNTED, QUESTIONS, counted, direct_ask
from tests.reasoners.language_model.records import records_ask
from tests.reasoners.language_model.wire import Says, WireServer
from tests.support.doubles.calls import DirectCalls, answer_of
from tests.support.whole_asks import gaps_ask, look_ask, validate_ask

ASKS: tuple[Ask[Any], ...] = (
    direct_ask(),
    direct_ask(state=counted(), results=(COUNTED,)),
    records_ask(),
    validate_ask(),
    gaps_ask(questions=QUESTIONS, results=(COUNTED,)),
    look_ask(),
)
every_ask = pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.kind())


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


async def answered(ask: Ask[Any], url: str, provider: str, **settings: Any) -> Answered[Any]:
    """What a model of the provider makes of the ask."""
    address = f"{url}/v1" if provider == "openai" else url
    made = Settings(model=f"{provider}:tiny", base_url=address, model_api_key="key", model_window=16_384, **settings)
    reasoner = from_settings(made)
    reasoner.models.backoff = reasoner.models.backoff._replace(first=0.0)
    try:
        return await reasoner.answer(ask, DirectCalls())
    finally:
        await reasoner.close()


@every_ask
@pytest.mark.parametrize("provider", ["openai", "ollama", "anthropic"])
async def test_every_provider_is_asked_and_understood(provider: str, ask: Ask[Any], running: ModelServer) -> None:
    answer = await answered(ask, running.url, provider)

    assert answer.stood_in == ""
    hold(ask, answer.answer)


async def test_a_turn_is_read_from_a_provider_whose_protocol_the_model_server_does_not_speak(
    server: WireServer,
) -> None:
    agents = [{"agent": "aggregator", "filters": [{"field": "country", "value": "India"}], "group_by": ["event_theme"]}]
    server.says(Says(json.dumps({"agents": [{"agent": "decomposer"}, *agents], "tool_calls": []})))

    answer = await answered(direct_ask(), server.url, "google_genai")

    assert answer.stood_in == ""
    assert [call.agent for call in answer.answer.sub_agent_calls] == ["decomposer", "aggregator"]


@every_ask
@pytest.mark.parametrize("fault", ["malformed_json", "wrong_schema", "empty", "refusal"])
async def test_where_no_model_gives_a_usable_answer_the_extractive_reasoner_stands_in(
    fault: str, ask: Ask[Any]
) -> None:
    with ModelServer(faults=[{"fault": fault}]) as server:
        answer = await answered(ask, server.url, "openai")

    assert "openai:tiny" in answer.stood_in
    assert answer.answer == await answer_of(ExtractiveReasoner(), ask)


@every_ask
@pytest.mark.parametrize("fault", ["invented_ids", "obeys_page", "endless"])
async def test_what_a_model_makes_up_is_not_taken_over(fault: str, ask: Ask[Any]) -> None:
    with ModelServer(faults=[{"fault": fault}]) as server:
        answer = await answered(ask, server.url, "openai")

    hold(ask, answer.answer)
    assert "evil.example" not in answer.answer.model_dump_json()


async def test_a_turn_without_sense_is_shown_to_the_model_once_and_mended(server: WireServer) -> None:
    senseless = {"agents": [{"agent": "aggregator", "group_by": ["weather"]}], "tool_calls": []}
    mended = {"agents": [{"agent": "aggregator", "group_by": ["country"]}], "tool_calls": []}
    server.says(Says(json.dumps(senseless)), Says(json.dumps(mended)))

    answer = await answered(direct_ask(), server.url, "openai")

    assert answer.answer.sub_agent_calls[0].group_by == ("country",)
    assert "a field is named that is not shown" in json.dumps(server.asked[1].body)
