"""Real clients of a model server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import httpx
from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from fathom_testing.model_server import ModelServer

CLIENTS = ("openai", "responses", "ollama", "anthropic")
PATHS = {
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "ollama": "/api/chat",
    "anthropic": "/v1/messages",
}
QUESTION = (
    "How deep is the sea? The sea is 3,688 metres deep on average, as soundings have shown. "
    "The Mariana Trench is the deepest part of the sea that is known so far."
)


def chat(protocol: str, server: ModelServer, **more: Any) -> BaseChatModel:
    """LangChain's client of the protocol, which tries only once."""
    if protocol == "ollama":
        from langchain_ollama import ChatOllama

        return ChatOllama(model="test", base_url=server.url, **more)
    if protocol == "anthropic":
        from langchain_anthropic import ChatAnthropic

        return cast(
            BaseChatModel,
            ChatAnthropic(model_name="test", base_url=server.url, api_key=SecretStr("key"), max_retries=0, **more),
        )
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        model="test",
        base_url=f"{server.url}/v1",
        api_key=SecretStr("key"),
        max_retries=0,
        stream_usage=True,
        use_responses_api=protocol == "responses",
        **more,
    )


def body(protocol: str, asked: str = QUESTION, *, streamed: bool = False, **more: Any) -> dict[str, Any]:
    """A call without a library."""
    messages = {"input" if protocol == "responses" else "messages": [{"role": "user", "content": asked}]}
    limit = {"max_tokens": 1000} if protocol == "anthropic" else {}
    usage = {"stream_options": {"include_usage": True}} if protocol == "openai" and streamed else {}
    return {"model": "test", "stream": streamed, **messages, **limit, **usage, **more}


def post(server: ModelServer, protocol: str = "openai", **more: Any) -> httpx.Response:
    """The answer to a call without a library."""
    with httpx.Client(timeout=30) as client:
        return client.post(server.url + PATHS[protocol], json=body(protocol, **more))


def said(protocol: str, answer: dict[str, Any]) -> str:
    """The text, or the arguments of the first tool call, of an answer in one piece."""
    match protocol:
        case "openai":
            message = answer["choices"][0]["message"]
            calls = message.get("tool_calls")
            return str(calls[0]["function"]["arguments"] if calls else message["content"] or "")
        case "responses":
            return "".join(part["text"] for item in answer["output"] for part in item.get("content", []))
        case "ollama":
            return str(answer["message"]["content"])
        case _:
            return "".join(part["text"] for part in answer["content"])


def with_schema(protocol: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The fields of a call that hold its answer to a schema."""
    match protocol:
        case "openai":
            named = {"name": "answer", "schema": schema}
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        case "responses":
            return {"text": {"format": {"type": "json_schema", "name": "answer", "schema": schema}}}
        case "ollama":
            return {"format": schema}
        case _:
            return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


def events(text: str) -> Iterator[dict[str, Any]]:
    """The events of a stream."""
    for line in text.splitlines():
        data = line.removeprefix("data: ")
        if data.startswith("{"):
            yield json.loads(data)
