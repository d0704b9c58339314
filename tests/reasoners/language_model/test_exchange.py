"""One exchange with a model: what is asked, in which form, how often, and what it counts as."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fathom.errors import (
    ContentRefused,
    ContextTooLong,
    MalformedReply,
    ProviderFault,
    RateLimited,
    TimedOut,
    Unauthorized,
)
from fathom.findings import Statement
from fathom.ports import ModelCall, ModelReply
from fathom.prompts import Rendered
from fathom.reasoners.language_model.completion import Message
from fathom.reasoners.language_model.exchange import exchange
from fathom.reasoners.language_model.failures import BrokenOff, NoSuchModel
from fathom.reasoners.language_model.model import ROOM_FOR_THOUGHT
from fathom.reasoners.language_model.models import Models, models_from
from fathom.reasoners.language_model.policy import Backoff
from fathom.reasoners.language_model.schema import schema_of
from fathom.reasoners.language_model.task import Read, Wire
from fathom.settings import Settings
from tests.reasoners.language_model.asking import QUICK, SECRET, Total, asked, models
from tests.reasoners.language_model.wire import Asked, Fails, Says, WireServer, wire_server
from tests.support.doubles.calls import DirectCalls


class Totals(Wire):
    totals: list[Total]
    """Several."""


PROVIDERS = ["openai", "ollama", "anthropic", "google_genai"]
FIVE = Says('{"total": 5, "text": "five"}')
REFUSES_SCHEMA = Fails(400, {"error": {"message": "response_format json_schema is not supported", "code": 400}})
REFUSES_TOOLS = Fails(400, {"error": {"message": "tools are not supported by this template"}})
REFUSES_JSON = Fails(400, {"error": {"message": "response_format json_object is not supported"}})


def form(request: Asked) -> str:
    """In which form a request asks for its answer."""
    if "tools" in request.body:
        return "tool"
    return str((request.body.get("response_format") or {"type": "text"})["type"])


def forms(server: WireServer) -> list[str]:
    """Of all requests."""
    return [form(request) for request in server.asked]


def openai(server: WireServer, **settings: Any) -> Models:
    """A model that speaks OpenAI's format."""
    return models(f"{server.url}/v1", **settings)


async def test_forms_that_a_provider_refuses_are_stepped_down_and_not_tried_again(server: WireServer) -> None:
    made = openai(server)
    server.says(REFUSES_SCHEMA, REFUSES_TOOLS, REFUSES_JSON, FIVE)

    assert await asked(made) == "5 five"
    assert forms(server) == ["json_schema", "tool", "json_object", "text"]

    server.says(FIVE)
    await asked(made)
    assert forms(server) == ["text"]


async def test_a_request_that_is_refused_in_every_form_teaches_nothing_about_forms(server: WireServer) -> None:
    made = openai(server)
    server.says(Fails(400, {"error": {"message": "no"}}))
    with pytest.raises(Exception, match="refuses the request"):
        await asked(made)

    server.says(FIVE)
    await asked(made)
    assert forms(server) == ["json_schema"]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"total": 5, "text": "five"}\n```',
        'Sure: {"total": 5, "text": "five"}',
        '<think>{}</think>{"total":5}',
    ],
)
async def test_an_object_is_found_whatever_stands_around_it(text: str, server: WireServer) -> None:
    server.says(Says(text))

    assert (await asked(openai(server))).startswith("5")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("It is five.", "no JSON"),
        ("", "is empty"),
        ('{"total": "many"}', "total: Input should be a valid integer"),
        ('{"sum": 5}', "total: Field required"),
        ('{"total": -1}', "total is below zero"),
        ("[1, 2]", "no JSON object"),
    ],
)
async def test_a_useless_answer_is_shown_to_the_model_with_what_is_wrong(
    first: str, told: str, server: WireServer
) -> None:
    server.says(Says(first), FIVE)
    calls = DirectCalls()

    assert await asked(openai(server), calls=calls) == "5 five"

    system, material, own, wrong = server.asked[1].body["messages"]
    assert (own["role"], wrong["role"]) == ("assistant", "user")
    assert own["content"] == (first or "(nothing)")
    assert told in wrong["content"]
    assert "Two and three" in material["content"] and "Say how many" in system["content"]
    assert len({call.request for call in calls.made}) == 2
    assert [call.attempt for call in calls.made] == [1, 1]


async def test_a_cut_answer_is_told_so_and_asked_for_in_the_same_form(server: WireServer) -> None:
    server.says(Says('{"total": 5, "te', finish="length"), FIVE)

    assert await asked(openai(server)) == "5 five"
    assert "cut after 300 tokens" in server.asked[1].body["messages"][-1]["content"]
    assert forms(server) == ["json_schema", "json_schema"]


async def test_a_cut_answer_keeps_its_finished_items_and_is_not_paid_for_again(server: WireServer) -> None:
    server.says(Says('{"totals": [{"total": 5, "text": "five"}, {"total": 6, "te', finish="length"))
    made = openai(server)

    found = await exchange(
        made,
        "fast",
        Rendered("Add.", "Two and three?"),
        Totals,
        read=lambda wire: Read(Statement(text=" ".join(each.text for each in wire.totals))),
        ask="Totals",
        calls=DirectCalls(),
        answer_tokens=300,
    )
    await made.close()

    assert found.answer.text == "five"
    assert len(server.asked) == 1


async def test_a_server_that_ignores_the_form_is_soon_asked_in_plain_words(server: WireServer) -> None:
    made = openai(server)
    for _ in range(2):
        server.says(Says("Five."), FIVE)
        assert await asked(made) == "5 five"
        assert forms(server) == ["json_schema", "text"]

    server.says(FIVE)
    await asked(made)
    assert forms(server) == ["tool"]


async def test_after_one_repair_it_is_a_failure_of_the_model(server: WireServer) -> None:
    server.says(Says("Five."), Says('{"total": -2}'))

    with pytest.raises(MalformedReply, match=r"'openai:tiny' at 127.0.0.1:.* twice: total is below zero"):
        await asked(openai(server))
    assert len(server.asked) == 2


async def test_the_fallback_model_is_asked_when_the_first_gives_no_usable_answer(server: WireServer) -> None:
    server.says(Says("no"), Says("no"), FIVE)

    assert await asked(openai(server, fallback_model="openai:other")) == "5 five"
    assert [request.body["model"] for request in server.asked] == ["tiny", "tiny", "other"]


async def test_a_busy_provider_is_asked_again_after_the_time_that_it_names(server: WireServer) -> None:
    server.says(Fails(429, {"error": {"message": "slow down"}}, {"Retry-After": "0.02"}), FIVE)
    calls = DirectCalls()

    assert await asked(openai(server), calls=calls) == "5 five"
    assert [call.attempt for call in calls.made] == [1, 2]
    assert len({call.request for call in calls.made}) == 1


@pytest.mark.parametrize(
    ("headers", "waits"),
    [
        ({"Retry-After": "9"}, 9.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "9" * 400}, 86_400.0),
        ({"retry-after-ms": "1e999"}, 86.4),
        ({"Retry-After": "Fri, 31 Dec 99999999999999999999 23:59:59 GMT"}, None),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 -2359"}, 86_400.0),
        ({"Retry-After": "nan"}, None),
    ],
)
async def test_the_time_to_wait_is_told(headers: dict[str, str], waits: float | None, server: WireServer) -> None:
    server.says(Fails(429, {"error": {"message": "slow down"}}, headers))
    made = models_from(
        Settings(model="openai:tiny", base_url=f"{server.url}/v1"), backoff=Backoff(first=0.001, longest=0.01)
    )

    with pytest.raises(RateLimited) as raised:
        await asked(made)
    assert raised.value.retry_after == waits


async def test_the_time_to_wait_is_told_by_every_library(server: WireServer) -> None:
    server.says(Fails(429, {"error": "slow down"}, {"Retry-After": "900"}))
    for provider in ("ollama", "anthropic", "google_genai"):
        with pytest.raises(RateLimited) as raised:
            await asked(models(server.url, provider))
        assert raised.value.retry_after == 900


async def test_a_date_to_wait_for_is_understood(server: WireServer) -> None:
    server.says(Fails(429, {}, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}))

    with pytest.raises(RateLimited) as raised:
        await asked(openai(server))
    assert raised.value.retry_after == 86_400


async def test_a_host_that_asks_for_a_long_pause_is_left_alone(server: WireServer) -> None:
    made = openai(server)
    server.says(Fails(429, {}, {"Retry-After": "900"}))
    for _ in range(3):
        with pytest.raises(RateLimited):
            await asked(made)

    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("failure", "error", "tries"),
    [
        (Fails(500, {"error": {"message": "oops"}}), ProviderFault, 3),
        (Fails(503, "busy"), ProviderFault, 3),
        (Fails(529, {"error": {"message": "overloaded"}}), ProviderFault, 3),
        (Fails(504, ""), TimedOut, 2),
        (Fails(401, {"error": {"message": f"wrong key {SECRET}"}}), Unauthorized, 1),
        (Fails(403, {"error": {"message": "no"}}), Unauthorized, 1),
        (Fails(402, {"error": {"message": "insufficient credits"}}), Unauthorized, 1),
        (Fails(429, {"error": {"message": "quota", "code": "insufficient_quota"}}), Unauthorized, 1),
        (Fails(404, {"error": {"message": "The model `tiny` does not exist"}}), NoSuchModel, 1),
        (Fails(404, "<html>"), NoSuchModel, 1),
        (Fails(307, "", {"Location": "http://elsewhere.example/v1/chat/completions"}), NoSuchModel, 1),
        (Fails(400, {"error": {"message": "m", "code": "context_length_exceeded"}}), ContextTooLong, 1),
        (Fails(413, ""), ContextTooLong, 1),
        (Fails(500, {"error": "input length exceeds the context length"}), ContextTooLong, 1),
        (Fails(400, {"error": {"message": "m", "code": "content_filter"}}), ContentRefused, 1),
        (Says("", finish="content_filter"), ContentRefused, 1),
        (Says("", refusal="I cannot help with that."), ContentRefused, 1),
        (Fails(403, {"error": {"message": "input was flagged by moderation"}}), ContentRefused, 1),
        (Fails(200, {"error": {"message": "busy", "code": 502}}), ProviderFault, 3),
        (Fails(200, "<html>"), MalformedReply, 1),
        (Fails(200, '{"error": "none"}'), MalformedReply, 1),
        (Fails(200, "[]"), MalformedReply, 1),
    ],
)
async def test_every_failure_has_its_kind_and_its_number_of_tries(
    failure: Fails | Says, error: type[Exception], tries: int, server: WireServer
) -> None:
    server.says(failure)

    with pytest.raises(error) as raised:
        await asked(openai(server, model_api_key=SECRET))
    assert type(raised.value) is error
    assert len(server.asked) == tries
    told = str(raised.value)
    assert "openai:tiny" in told and "127.0.0.1" in told
    assert "\n" not in told and SECRET not in told and "Two and three" not in told


@pytest.mark.parametrize("provider", PROVIDERS[1:])
@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (Fails(401, {"error": {"message": f"wrong key {SECRET}"}}), Unauthorized),
        (Fails(429, {"error": {"message": "slow down"}}), RateLimited),
        (Fails(500, {"error": {"message": "oops"}}), ProviderFault),
        (Fails(529, {"error": {"message": "overloaded"}}), ProviderFault),
        (Fails(404, {"error": "model 'tiny' not found"}), NoSuchModel),
        (Fails(400, {"error": {"message": "prompt is too long: 9 tokens > 8"}}), ContextTooLong),
        (Fails(200, "<html>"), MalformedReply),
        (Fails(200, "[]"), MalformedReply),
    ],
)
async def test_the_kinds_are_the_same_for_other_providers(
    provider: str, failure: Fails, error: type[Exception], server: WireServer
) -> None:
    server.says(failure)

    with pytest.raises(error) as raised:
        await asked(models(server.url, provider, model_api_key=SECRET))
    assert type(raised.value) is error
    assert "\n" not in str(raised.value) and SECRET not in str(raised.value)


async def test_a_message_that_quotes_the_prompt_is_not_told(server: WireServer) -> None:
    server.says(Fails(400, {"error": {"message": "bad input: <material>Two and three are five.</material>"}}))

    with pytest.raises(Exception, match="it quotes the request"):
        await asked(openai(server))


async def test_a_model_of_anthropic_that_declines_is_not_asked_again(server: WireServer) -> None:
    server.says(Says("", finish="refusal"))

    with pytest.raises(ContentRefused):
        await asked(models(server.url, "anthropic"))
    assert len(server.asked) == 1


async def test_a_model_with_a_wrong_key_is_out_of_order(server: WireServer) -> None:
    made = openai(server)
    server.says(Fails(401, {"error": {"message": "no"}}))
    calls = DirectCalls()
    for _ in range(3):
        with pytest.raises(Unauthorized):
            await asked(made, calls=calls)

    assert len(server.asked) == len(calls.made) == 1


async def test_a_missing_model_of_ollama_says_how_to_get_it(server: WireServer) -> None:
    server.says(Fails(404, {"error": "model 'tiny' not found"}))

    with pytest.raises(NoSuchModel, match="run `ollama pull tiny`"):
        await asked(models(server.url, "ollama"))


async def test_nothing_that_listens_is_waited_for_and_told_with_a_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.reasoners.language_model.model.NEVER_SECONDS", 0.01)
    made, calls = models("http://127.0.0.1:9", "ollama"), DirectCalls()

    with pytest.raises(Exception, match="cannot be reached: start it with `ollama serve`"):
        await asked(made, calls=calls)
    assert len(calls.gone) == 1 and "It is waited for, 0 seconds at most." in calls.gone[0]


@pytest.mark.parametrize("streamed", [False, True])
async def test_an_answer_that_takes_too_long_is_given_up(streamed: bool, server: WireServer) -> None:
    server.says(Fails(200, silent=True))

    with pytest.raises(TimedOut, match=r"no answer within 0\.2 seconds"):
        await asked(openai(server, model_timeout=0.2), streamed=streamed)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_stalled_stream_is_noticed(provider: str, server: WireServer) -> None:
    url = f"{server.url}/v1" if provider == "openai" else server.url
    server.says(Says(FIVE.text, stalls=True))

    with pytest.raises(TimedOut, match=r"stopped in the middle of its answer for 0\.2 seconds"):
        await asked(models(url, provider, model_stall=0.2), streamed=True)


async def test_a_model_that_reads_its_prompt_for_long_has_not_stalled(server: WireServer) -> None:
    server.says(Says(FIVE.text, late=0.6))

    assert await asked(openai(server, model_stall=0.2), streamed=True) == "5 five"


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_what_parts_lines_elsewhere_parts_no_event_of_a_stream(provider: str, server: WireServer) -> None:
    url = f"{server.url}/v1" if provider == "openai" else server.url
    server.says(Says('{"total": 5, "text": "fi\u2028ve"}'))

    assert await asked(models(url, provider), streamed=True) == "5 fi\u2028ve"


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_stream_that_breaks_off_is_asked_for_again(provider: str, server: WireServer) -> None:
    url = f"{server.url}/v1" if provider == "openai" else server.url
    server.says(Says(FIVE.text, cut=True), FIVE)
    assert await asked(models(url, provider), streamed=True) == "5 five"

    server.says(Says(FIVE.text, cut=True))
    with pytest.raises(BrokenOff):
        await asked(models(url, provider), streamed=True)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_connection_that_ends_without_a_word_is_tried_again(
    provider: str, streamed: bool, server: WireServer
) -> None:
    url = f"{server.url}/v1" if provider == "openai" else server.url
    server.says(Fails(0, resets=True))

    with pytest.raises(BrokenOff):
        await asked(models(url, provider), streamed=streamed)
    assert len(server.asked) == 3


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_stream_that_tells_of_trouble_is_a_fault_of_the_provider(provider: str, server: WireServer) -> None:
    url = f"{server.url}/v1" if provider == "openai" else server.url
    server.says(Says(FIVE.text, fails=True))

    with pytest.raises(ProviderFault):
        await asked(models(url, provider), streamed=True)
    assert len(server.asked) == 3


async def test_models_that_learn_side_by_side_do_not_get_in_each_others_way(server: WireServer) -> None:
    server.says(FIVE)
    server.refuses = "temperature"
    made = openai(server)
    model = made.for_tier("fast")

    answers = await asyncio.gather(*(model.complete([Message("user", "?")], max_tokens=9) for _ in range(4)))
    await made.close()

    assert {answer.text for answer in answers} == {FIVE.text}
    assert len(server.looked) == 1


SAID = [f'Five, and "no" {name}.' for name in "abc"]
REPORT = {
    "lead": ["It is deep [3]."],
    "sections": [{"heading": "Depth", "blocks": [{"kind": "paragraph", "text": text}]} for text in SAID],
    "total": 5,
}
"""A report that is long enough to be read while it comes, and that has a total."""


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_report_is_shown_block_by_block_while_it_is_written(provider: str, server: WireServer) -> None:
    url = f"{server.url}/v1" if provider == "openai" else server.url
    server.says(Says(json.dumps(REPORT)))
    calls = DirectCalls()

    await asked(models(url, provider), calls=calls, streamed=True)

    every = [("Summary", "It is deep [3]."), *(("Depth", text) for text in SAID)]
    assert calls.told == every[: len(calls.told)] and calls.told


async def test_a_second_try_is_not_shown_on_top_of_the_first(server: WireServer) -> None:
    text = json.dumps(REPORT)
    server.says(Says(text, cut=True), Says(text))
    calls = DirectCalls()

    await asked(openai(server), calls=calls, streamed=True)

    assert len(calls.told) == len(set(calls.told)) > 0


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_what_a_call_took_is_what_the_provider_says(provider: str, streamed: bool, server: WireServer) -> None:
    url = f"{server.url}/v1" if provider == "openai" else server.url
    server.says(Says(FIVE.text, usage=(60, 7)))
    calls = DirectCalls()

    await asked(models(url, provider), calls=calls, streamed=streamed)

    usage, own = calls.replies[0].usage, calls.made[0].expected.prompt_tokens
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (60, 7, False)
    assert own > 60 and usage.held_tokens >= own + 7, "the caps are held against no less than one's own count"


@pytest.mark.parametrize("usage", [None, (0, 0), (-3, 7), (9, 7), (60, 1)])
@pytest.mark.parametrize("provider", ["openai", "ollama"])
async def test_what_no_provider_counts_is_estimated(
    provider: str, usage: tuple[int, int] | None, server: WireServer
) -> None:
    url = f"{server.url}/v1" if provider == "openai" else server.url
    server.says(Says(FIVE.text, usage=usage))
    calls = DirectCalls()

    await asked(models(url, provider), calls=calls)

    taken = calls.replies[0].usage
    assert taken.estimated and taken.prompt_tokens == calls.made[0].expected.prompt_tokens > 50
    assert taken.completion_tokens > 3


@pytest.mark.parametrize("streamed", [False, True])
async def test_half_a_character_is_no_reason_to_fail(streamed: bool, server: WireServer) -> None:
    server.says(Says('{"total": 5, "text": "five \ud800 or so"}'))
    calls = DirectCalls()

    assert await asked(openai(server), calls=calls, streamed=streamed) == "5 five ? or so"
    assert "".join([*(part for _, part in calls.told), calls.replies[0].text]).encode()


@pytest.mark.parametrize("parameter", ["temperature", "seed", "stream_options"])
async def test_a_parameter_that_a_model_does_not_take_is_left_out_from_then_on(
    parameter: str, server: WireServer
) -> None:
    made = openai(server)
    server.says(Fails(400, {"error": {"message": f"Unsupported value: '{parameter}' is not supported"}}), FIVE)
    calls = DirectCalls()
    await asked(made, calls=calls, streamed=True)
    await asked(made, streamed=True)

    assert [parameter in request.body for request in server.asked] == [True, False, False]
    assert len(calls.made) == 1


async def test_a_model_whose_thoughts_eat_its_answer_gets_more_room(server: WireServer) -> None:
    server.says(Says("<think>Two and three", finish="length"), FIVE)

    assert await asked(openai(server)) == "5 five"
    assert [request.body["max_tokens"] for request in server.asked] == [300, 300 + ROOM_FOR_THOUGHT]


async def test_equal_requests_are_equal_calls_and_others_are_not(server: WireServer) -> None:
    server.says(FIVE)
    calls = DirectCalls()
    await asked(openai(server), calls=calls)
    await asked(openai(server), calls=calls)
    await asked(openai(server), calls=calls, answer_tokens=301)
    await asked(openai(server, model="openai:other"), calls=calls)

    first, second, longer, other = [call.request for call in calls.made]
    assert first == second
    assert len({first, longer, other}) == 3


async def test_models_of_one_name_on_two_servers_do_not_share_their_answers(server: WireServer) -> None:
    calls = DirectCalls()
    with wire_server() as other:
        for each in (server, other):
            each.says(FIVE)
            await asked(openai(each), calls=calls)
    first, second = calls.made
    assert first.request != second.request


async def test_an_answer_that_was_no_use_twice_in_an_earlier_run_is_asked_for_again(server: WireServer) -> None:
    calls = Earlier(Says("Five.").text, '{"total": -2}')
    server.says(FIVE)
    assert await asked(openai(server), calls=calls) == "5 five"
    assert len(server.asked) == 1 and server.asked[0].body["messages"][2]["content"] == "Five."


class Earlier(DirectCalls):
    """Knows the answers of an earlier run, in the order of its calls."""

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts = list(texts)

    async def make(
        self,
        call: ModelCall,
        perform: Callable[[], Awaitable[ModelReply]],
        *,
        usable: Callable[[ModelReply], bool] | None = None,
    ) -> ModelReply:
        earlier = ModelReply(text=self._texts.pop(0), usage=call.expected)
        return earlier if usable is None or usable(earlier) else await perform()


async def test_a_tool_is_forced_and_its_arguments_are_the_answer(server: WireServer) -> None:
    made = openai(server)
    server.says(REFUSES_SCHEMA, FIVE)

    assert await asked(made) == "5 five"
    body = server.asked[1].body
    assert body["tool_choice"]["function"]["name"] == body["tools"][0]["function"]["name"] == "Total"
    assert not any("JSON schema" in message["content"] for message in body["messages"])


async def test_who_is_held_to_a_schema_without_being_shown_it_finds_it_in_the_prompt_in_few_words(
    server: WireServer,
) -> None:
    server.says(FIVE)
    await asked(models(server.url, "ollama"))

    body = server.asked[0].body
    assert body["format"]["properties"]["total"] == {"type": "integer"}, "what is told is not told twice"
    assert body["messages"][1]["content"].endswith(
        "of this shape:\n{\n total: integer // The number.\n text: string // In words.\n}"
    )


async def test_who_is_held_to_nothing_finds_the_whole_schema_in_the_prompt(server: WireServer) -> None:
    server.says(REFUSES_SCHEMA, REFUSES_TOOLS, FIVE)
    await asked(openai(server))

    shown = server.asked[-1].body["messages"][1]["content"]
    assert json.loads(shown.partition("```json\n")[2].partition("\n```")[0]) == schema_of(Total).body


async def test_waiting_for_one_answer_is_bounded(server: WireServer) -> None:
    server.says(Fails(500, {}))
    made = models_from(Settings(model="openai:tiny", base_url=f"{server.url}/v1"), backoff=QUICK._replace(total=0.001))

    with pytest.raises(ProviderFault):
        await asked(made)
    assert len(server.asked) == 1


@pytest.mark.parametrize("streamed", [False, True])
async def test_an_answer_nested_without_end_is_of_no_use_and_no_crash(streamed: bool, server: WireServer) -> None:
    for refusals in ([], [REFUSES_SCHEMA]):  # as text, and as the arguments of a tool
        server.says(*refusals, Says('{"total": ' + "[" * 10_000), FIVE)
        with contextlib.suppress(MalformedReply):
            assert await asked(openai(server), streamed=streamed) == "5 five"
