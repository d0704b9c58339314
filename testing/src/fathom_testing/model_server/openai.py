"""The wire format of OpenAI's chat completions, and of the many servers that speak it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from fathom_testing.model_server.talk import Message, Reply, Request, Tool, pieces

name = "openai"
content_type = "text/event-stream"
REFUSAL = "I'm sorry, but I cannot help with that."
_ERRORS = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}


def parse(body: dict[str, Any]) -> Request:
    """The call in a body."""
    shape = body.get("response_format") or {}
    choice = body.get("tool_choice") or "auto"
    if isinstance(choice, dict):
        choice = choice.get("function", choice).get("name", "any")
    return Request(
        model=str(body.get("model", "")),
        messages=tuple(map(_message, body["messages"])),
        tools=tuple(_tool(tool.get("function", tool)) for tool in body.get("tools") or ()),
        choice="any" if choice == "required" else choice,
        parallel=body.get("parallel_tool_calls") is not False,
        native=schema_of(shape.get("json_schema") or {}) if shape.get("type") == "json_schema" else None,
        json_mode=shape.get("type") == "json_object",
        streamed=bool(body.get("stream")),
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens"),
        wants_usage=not body.get("stream") or bool((body.get("stream_options") or {}).get("include_usage")),
    )


def schema_of(named: dict[str, Any]) -> dict[str, Any]:
    """The schema in `{"name": …, "schema": …}`, with the name for a title when it has none."""
    return {"title": named.get("name", ""), **(named.get("schema") or {})}


def text_of(content: Any) -> str:
    """The text of a message's content, which may stand in parts."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in content)
    return str(content or "")


def whole(request: Request, reply: Reply) -> dict[str, Any]:
    """The answer in one piece."""
    refused = reply.finish == "refusal"
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if refused or (reply.calls and not reply.text) else reply.text,
        "refusal": REFUSAL if refused else None,
    }
    if reply.thoughts:
        message["reasoning_content"] = reply.thoughts
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
    answer = {**_head(request, reply, "chat.completion"), "choices": [choice]}
    return answer | ({"usage": _usage(reply)} if reply.usage else {})


def stream(request: Request, reply: Reply) -> Iterator[bytes]:
    """The answer as events."""
    head = _head(request, reply, "chat.completion.chunk")

    def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield event({"role": "assistant", "content": ""})
    if reply.finish == "refusal":
        yield event({"refusal": REFUSAL})
    for piece in pieces(reply.thoughts):
        yield event({"reasoning_content": piece})
    for piece in pieces(reply.text):
        yield event({"content": piece})
    for index, call in enumerate(reply.calls):
        opened = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        yield event({"tool_calls": [{"index": index, **opened}]})
        for piece in pieces(call.arguments):
            yield event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield event({}, _finish(reply))
    if request.wants_usage and reply.usage:
        yield _event({**head, "choices": [], "usage": _usage(reply)})
    yield b"data: [DONE]\n\n"


def error(status: int, message: str, code: str = "") -> dict[str, Any]:
    """The body of a failure."""
    kind, usual = _ERRORS.get(status, ("server_error", None))
    param = "messages" if code == "context_length_exceeded" else None
    return {"error": {"message": message, "type": kind, "param": param, "code": code or usual}}


def _message(message: dict[str, Any]) -> Message:
    role = {"developer": "system", "function": "tool"}.get(message["role"], message["role"])
    calls = tuple(call["function"]["name"] for call in message.get("tool_calls") or ())
    return Message(role, text_of(message.get("content")), calls)


def _tool(function: dict[str, Any]) -> Tool:
    return Tool(function["name"], function.get("description") or "", function.get("parameters") or {})


def _head(request: Request, reply: Reply, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{reply.id}", "object": kind, "created": int(time.time()), "model": request.model}


def _finish(reply: Reply) -> str:
    return {"tools": "tool_calls", "refusal": "stop"}.get(reply.finish, reply.finish)


def _usage(reply: Reply) -> dict[str, int]:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
    }


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"
