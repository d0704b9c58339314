"""The wire format of Ollama's chat."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fathom_testing.model_server.talk import Message, Reply, Request, Tool, ToolCall, pieces

name = "ollama"
content_type = "application/x-ndjson"
_REFUSAL = "I'm sorry, but I cannot help with that."
_NANO = 1_000_000


def parse(body: dict[str, Any]) -> Request:
    """The call in a body."""
    shape = body.get("format")
    most = (body.get("options") or {}).get("num_predict")
    return Request(
        model=str(body.get("model", "")),
        messages=tuple(map(_message, body["messages"])),
        tools=tuple(_tool(tool["function"]) for tool in body.get("tools") or ()),
        native=shape if isinstance(shape, dict) else None,
        json_mode=shape == "json",
        streamed=body.get("stream") is not False,
        max_tokens=most if isinstance(most, int) and most > 0 else None,
    )


def whole(request: Request, reply: Reply) -> dict[str, Any]:
    """The answer in one piece."""
    calls = [call for call in reply.calls if call.values is not None]
    message = _said(_text(reply), calls) | ({"thinking": reply.thoughts} if reply.thoughts else {})
    return {**_head(request), "message": message, **_end(reply)}


def stream(request: Request, reply: Reply) -> Iterator[bytes]:
    """The answer as lines."""
    for piece in pieces(reply.thoughts):
        yield _line({**_head(request), "message": _said("") | {"thinking": piece}, "done": False})
    for piece in pieces(_text(reply)):
        yield _line({**_head(request), "message": _said(piece), "done": False})
    for call in reply.calls:
        if call.values is not None:
            yield _line({**_head(request), "message": _said("", [call]), "done": False})
    yield _line({**_head(request), "message": _said(""), **_end(reply)})


def error(status: int, message: str, code: str = "") -> dict[str, Any]:  # noqa: ARG001 - it tells no more
    """The body of a failure."""
    return {"error": message}


def _message(message: dict[str, Any]) -> Message:
    calls = tuple(call["function"]["name"] for call in message.get("tool_calls") or ())
    return Message(message["role"], str(message.get("content") or ""), calls)


def _tool(function: dict[str, Any]) -> Tool:
    return Tool(function["name"], function.get("description") or "", function.get("parameters") or {})


def _text(reply: Reply) -> str:
    """What is said; a tool call whose arguments cannot be read is text, as it is to Ollama."""
    broken = [call.arguments for call in reply.calls if call.values is None]
    return _REFUSAL if reply.finish == "refusal" else "".join([reply.text, *broken])


def _said(text: str, calls: list[ToolCall] | None = None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [{"function": {"name": call.name, "arguments": call.values}} for call in calls]
    return message


def _head(request: Request) -> dict[str, Any]:
    return {"model": request.model, "created_at": "2025-01-01T00:00:00Z"}


def _end(reply: Reply) -> dict[str, Any]:
    end = {"done": True, "done_reason": "length" if reply.finish == "length" else "stop"}
    times = {"total_duration": _NANO, "load_duration": 0, "prompt_eval_duration": _NANO, "eval_duration": _NANO}
    counts = {"prompt_eval_count": reply.prompt_tokens, "eval_count": reply.completion_tokens}
    return end | times | (counts if reply.usage else {})


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
