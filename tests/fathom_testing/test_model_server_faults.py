"""The model server fails on a script, as providers and models do."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from fathom.errors import ConfigurationError
from fathom_testing.model_server import ModelServer
from fathom_testing.model_server.answers import ANSWERS
from fathom_testing.model_server.faults import Rule, Script
from fathom_testing.model_server.talk import Message, Request
from tests.fathom_testing.chat import CLIENTS, PATHS, body, chat, events, post, said, with_schema

every_client = pytest.mark.parametrize("protocol", CLIENTS)
SCHEMA: dict[str, Any] = {
    "title": "Claims",
    "type": "object",
    "properties": {
        "claims": {"type": "array", "items": {"$ref": "#/$defs/Claim"}},
        "level": {"enum": ["deep", "shallow"]},
    },
    "required": ["claims", "level"],
    "additionalProperties": False,
    "$defs": {
        "Claim": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "cites": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 3}},
            },
            "required": ["text", "cites"],
        }
    },
}


def faulty(fault: str, **more: Any) -> ModelServer:
    return ModelServer(faults=[{"fault": fault, **more}])


def structured(server: ModelServer, protocol: str) -> Any:
    """What came as the answer to `SCHEMA`."""
    answer = post(server, protocol, **with_schema(protocol, SCHEMA))
    return json.loads(said(protocol, answer.json()))


@every_client
@pytest.mark.parametrize("status", ["401", "429", "500", "503", "529"])
def test_a_status_comes_with_an_error_in_the_words_of_the_protocol(protocol: str, status: str) -> None:
    with faulty(status) as server:
        answer = post(server, protocol)

    assert answer.status_code == int(status)
    error = answer.json()["error"]
    assert error if protocol == "ollama" else error["message"]
    assert (server.calls[0].fault, server.calls[0].status) == (status, int(status))


def test_a_rate_limit_says_how_long_to_wait_only_if_told_to() -> None:
    with faulty("429", retry_after=1.5, at=[1]) as server, faulty("429") as silent:
        assert post(server).headers["retry-after"] == "1.5"
        assert post(server).status_code == 200
        assert "retry-after" not in post(silent).headers


@every_client
def test_a_timeout_gives_nothing_and_a_reset_breaks_the_connection(protocol: str) -> None:
    with faulty("timeout") as server, pytest.raises(httpx.ReadTimeout):
        httpx.post(server.url + PATHS[protocol], json=body(protocol), timeout=httpx.Timeout(30, read=0.2))
    with faulty("timeout", seconds=0.05) as server, pytest.raises(httpx.RemoteProtocolError):
        post(server, protocol)
    with faulty("reset") as server, pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        post(server, protocol)
    assert server.calls[0].status == 0


@every_client
@pytest.mark.parametrize("streamed", [True, False])
def test_a_cut_stream_ends_in_the_middle(protocol: str, streamed: bool) -> None:
    with faulty("cut_stream") as server, pytest.raises(httpx.RemoteProtocolError):
        post(server, protocol, streamed=streamed)


@every_client
def test_a_stalled_stream_begins_and_stops(protocol: str) -> None:
    came = b""
    with faulty("stall_stream") as server, pytest.raises(httpx.ReadTimeout):
        options: dict[str, Any] = {"json": body(protocol, streamed=True), "timeout": 0.5}
        with httpx.stream("POST", server.url + PATHS[protocol], **options) as answer:
            for part in answer.iter_bytes():
                came += part

    assert came


@every_client
def test_malformed_json_cannot_be_read(protocol: str) -> None:
    with faulty("malformed_json") as server, pytest.raises(json.JSONDecodeError):
        structured(server, protocol)


@every_client
@pytest.mark.parametrize("streamed", [True, False])
def test_malformed_arguments_of_a_tool_are_no_valid_call(protocol: str, streamed: bool) -> None:
    shape = {"title": "Claims", "description": "Claims.", "parameters": SCHEMA}
    with faulty("malformed_json") as server:
        model = chat(protocol, server)
        bound = model.bind_tools([{"type": "function", "function": {"name": "Claims", **shape}}])
        answer: Any = None
        for part in bound.stream("The sea is deep.") if streamed else [bound.invoke("The sea is deep.")]:
            answer = part if answer is None else answer + part

    assert not answer.tool_calls or answer.tool_calls[0]["args"].keys() < {"claims", "level"}


@every_client
def test_a_wrong_schema_is_json_of_another_shape(protocol: str) -> None:
    with faulty("wrong_schema") as server:
        answer = structured(server, protocol)

    assert not isinstance(answer["claims"], list)
    assert answer["level"] not in ("deep", "shallow")


@every_client
def test_an_empty_answer_has_no_text_and_no_calls(protocol: str) -> None:
    with faulty("empty") as server:
        answer = chat(protocol, server).invoke("How deep is the sea?")

    assert answer.text == ""
    assert server.calls[0].completion_tokens == 0


def test_a_refusal_is_told_as_each_provider_tells_it() -> None:
    with faulty("refusal") as server:
        assert post(server, "openai").json()["choices"][0]["message"]["refusal"]
        assert post(server, "responses").json()["output"][0]["content"][0]["type"] == "refusal"
        assert post(server, "ollama").json()["message"]["content"].startswith("I'm sorry")
        assert post(server, "anthropic").json()["stop_reason"] == "refusal"
        parts = list(events(post(server, "openai", streamed=True).text))
    assert any(part["choices"][0]["delta"].get("refusal") for part in parts if part["choices"])
    with faulty("refusal", filtered=True) as server:
        assert post(server, "openai").json()["choices"][0]["finish_reason"] == "content_filter"
        assert post(server, "responses").json()["incomplete_details"] == {"reason": "content_filter"}


@every_client
def test_invented_ids_are_none_that_were_given(protocol: str) -> None:
    with faulty("invented_ids") as server:
        answer = structured(server, protocol)

    assert min(answer["claims"][0]["cites"]) > 3
    assert answer["level"] == "deep"


def test_invented_ids_are_found_as_words_and_as_marks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"text": "Deep [2], dark [S1].", "cites": ["S1", "f_2"], "pairs": [[1, 2]], "part": 3, "priority": 7}
    monkeypatch.setitem(ANSWERS, "Claims", lambda _: said)
    with faulty("invented_ids") as server:
        answer = structured(server, "openai")

    assert answer == {
        "text": "Deep [9002], dark [S9001].",
        "cites": ["S9001", "f_9002"],
        "pairs": [[9001, 9002]],
        "part": 9003,
        "priority": 7,
    }


@every_client
def test_a_model_that_obeys_a_page_puts_its_orders_into_every_text(protocol: str) -> None:
    with faulty("obeys_page") as server:
        answer = structured(server, protocol)
        text = said(protocol, post(server, protocol).json())

    for written in (answer["claims"][0]["text"], text):
        assert "https://evil.example" in written
        assert "<script>" in written
        assert "[99]" in written
    assert answer["level"] == "deep"


@every_client
def test_an_endless_answer_ends_at_the_limit(protocol: str) -> None:
    finish = {
        "openai": lambda answer: answer["choices"][0]["finish_reason"],
        "responses": lambda answer: answer["incomplete_details"]["reason"],
        "ollama": lambda answer: answer["done_reason"],
        "anthropic": lambda answer: answer["stop_reason"],
    }
    limits: dict[str, dict[str, Any]] = {
        "openai": {"max_tokens": 200},
        "responses": {"max_output_tokens": 200},
        "ollama": {"options": {"num_predict": 200}},
        "anthropic": {"max_tokens": 200},
    }
    with faulty("endless") as server:
        answer = post(server, protocol, **with_schema(protocol, SCHEMA), **limits[protocol]).json()

    assert finish[protocol](answer) in ("length", "max_output_tokens", "max_tokens")
    assert server.calls[0].completion_tokens == 200
    assert len(said(protocol, answer)) > 500
    with pytest.raises(json.JSONDecodeError):
        json.loads(said(protocol, answer))


@every_client
@pytest.mark.parametrize("streamed", [True, False])
def test_a_provider_may_tell_no_usage(protocol: str, streamed: bool) -> None:
    with faulty("no_usage") as server:
        model = chat(protocol, server)
        answer: Any = None
        for part in model.stream("Deep?") if streamed else [model.invoke("Deep?")]:
            answer = part if answer is None else answer + part

    assert answer.text
    assert not answer.usage_metadata or answer.usage_metadata["total_tokens"] == 0


@every_client
def test_what_a_model_cannot_do_fails_only_when_it_is_asked_for(protocol: str) -> None:
    tools: Any = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
    if protocol == "anthropic":
        tools = [{"name": "search", "input_schema": {"type": "object"}}]
    with ModelServer(faults=[{"fault": "no_json_schema"}, {"fault": "no_tools"}]) as server:
        schema = post(server, protocol, **with_schema(protocol, SCHEMA))
        called = post(server, protocol, tools=tools)
        plain = post(server, protocol)

    assert [answer.status_code for answer in (schema, called, plain)] == [400, 400, 200]


def test_json_mode_may_be_unknown() -> None:
    with faulty("no_json_mode") as server:
        assert post(server, response_format={"type": "json_object"}).status_code == 400
        assert post(server, "ollama", format="json").status_code == 400
        assert post(server, **with_schema("openai", SCHEMA)).status_code == 200


@every_client
def test_a_prompt_beyond_the_window_is_refused_in_the_words_of_the_provider(protocol: str) -> None:
    with faulty("context_too_long", window=50) as server:
        short, long = post(server, protocol, asked="Deep?"), post(server, protocol, asked="How deep? " * 50)

    assert (short.status_code, long.status_code) == (200, 400)
    assert "prompt is too long" in long.text
    assert ("context_length_exceeded" in long.text) == (protocol in ("openai", "responses"))


def test_a_slow_answer_comes_all_the_same() -> None:
    with faulty("slow", seconds=0.1) as server:
        assert post(server).status_code == 200

    assert server.calls[0].end - server.calls[0].start >= 0.1


def test_a_client_that_does_not_wait_is_noticed() -> None:
    with ModelServer(latency=30) as server:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(server.url + PATHS["openai"], json=body("openai"), timeout=httpx.Timeout(30, read=0.1))
        until = time.monotonic() + 20
        while not (server.calls and server.calls[0].status) and time.monotonic() < until:
            time.sleep(0.05)

    assert server.calls[0].status == 499


def test_a_listing_fails_only_by_a_rule_about_listings() -> None:
    with ModelServer(faults=[{"fault": "401", "ask": "models"}, {"fault": "503", "times": 1}]) as server:
        assert httpx.get(f"{server.url}/v1/models").status_code == 401
        assert httpx.get(f"{server.url}/api/tags").status_code == 401
        assert post(server, "ollama").status_code == 503
        assert post(server, "ollama").status_code == 200


CALL = Request("test", (Message("user", "Deep?"),))


def struck(rules: list[dict[str, Any]], calls: list[tuple[str, str]]) -> list[str]:
    """The faults of calls by (protocol, ask)."""
    script = Script(rules)
    found = [script.strike(protocol, ask, CALL) for protocol, ask in calls]
    return [rule.fault if rule else "" for rule in found]


def test_a_rule_counts_only_the_calls_that_it_is_about() -> None:
    rules: list[dict[str, Any]] = [
        {"fault": "500", "ask": "WriteSection", "at": [2]},
        {"fault": "503", "protocol": "ollama", "every": 2},
    ]
    calls = [("openai", "WriteSection"), ("ollama", "PlanResearch"), ("openai", "WriteSection"), ("ollama", "text")]

    assert struck(rules, calls) == ["", "", "500", "503"]


def test_the_first_rule_that_strikes_counts_and_no_more_often_than_it_may() -> None:
    rules: list[dict[str, Any]] = [{"fault": "429", "times": 2}, {"fault": "500", "at": [3]}]

    assert struck(rules, [("openai", "text")] * 4) == ["429", "429", "500", ""]


def test_a_share_of_the_calls_is_the_same_in_every_run_with_a_seed() -> None:
    calls = [("openai", "text")] * 500
    first = struck([{"fault": "500", "share": 0.1, "seed": 7}], calls)

    assert first == struck([{"fault": "500", "share": 0.1, "seed": 7}], calls)
    assert first != struck([{"fault": "500", "share": 0.1, "seed": 8}], calls)
    assert 25 <= first.count("500") <= 85


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rules.json", '[{"fault": "429", "at": [2]}]'),
        ("rules.json", '{"rules": [{"fault": "429", "at": [2]}]}'),
        ("rules.toml", '[[rules]]\nfault = "429"\nat = [2]\n'),
    ],
)
def test_rules_are_read_from_json_and_toml(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    script = Script.read(tmp_path / name)

    assert [script.strike("openai", "text", CALL) for _ in range(2)] == [None, Rule(fault="429", at=(2,))]


@pytest.mark.parametrize("text", ["{", "5", '{"rules": 5}', '[{"fault": "explode"}]', '[{"fault": "429", "att": 1}]'])
def test_a_file_that_holds_no_rules_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "rules.json").write_text(text)

    with pytest.raises(ConfigurationError):
        Script.read(tmp_path / "rules.json")
