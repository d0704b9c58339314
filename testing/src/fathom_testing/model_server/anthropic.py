"""The wire format of Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fathom_testing.model_server.openai import text_of
from fathom_testing.model_server.talk import Message, Reply, Request, Tool, pieces

name = "anthropic"
content_type = "text/event-stream"
_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_STOPS = {"stop": "end_turn", "length": "max_tokens", "tools": "tool_use", "content_filter": "refusal"}


def parse(body: dict[str, Any]) -> Request:
    """The call in a body."""
    choice = body.get("tool_choice") or {"type": "auto"}
    shape = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    system = [Message("system", text_of(body["system"]))] if body.get("system") else []
    return Request(
        model=str(body.get("model", "")),
        messages=(*system, *(part for message in body["messages"] for part in _messages(message))),
        tools=tuple(
            Tool(tool["name"], tool.get("description") or "", tool.get("input_schema") or {})
            for tool in body.get("tools") or ()
        ),
        choice=choice["name"] if choice["type"] == "tool" else choice["type"],
        parallel=not choice.get("disable_parallel_tool_use"),
        native=shape.get("schema"),
        streamed=bool(body.get("stream")),
        max_tokens=body["max_tokens"],
    )


def whole(request: Request, reply: Reply) -> dict[str, Any]:
    """The answer in one piece."""
    broken = "".join(call.arguments for call in reply.calls if call.values is None)
    content: list[dict[str, Any]] = []
    if reply.thoughts:
        content.append({"type": "thinking", "thinking": reply.thoughts, "signature": ""})
    if text := reply.text + broken:
        content.append({"type": "text", "text": text})
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.values}
        for call in reply.calls
        if call.values is not None
    ]
    return _head(request, reply) | {"content": content, "stop_reason": _stop(reply), "usage": _usage(reply)}


def stream(request: Request, reply: Reply) -> Iterator[bytes]:
    """The answer as events."""
    usage = {**_usage(reply), "output_tokens": 1 if reply.usage else 0}
    yield _event("message_start", message=_head(request, reply) | {"content": [], "stop_reason": None, "usage": usage})
    blocks: list[tuple[dict[str, Any], str, str, str]] = []
    if reply.thoughts:
        blocks.append(({"type": "thinking", "thinking": ""}, "thinking_delta", "thinking", reply.thoughts))
    if reply.text:
        blocks.append(({"type": "text", "text": ""}, "text_delta", "text", reply.text))
    for call in reply.calls:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        blocks.append((block, "input_json_delta", "partial_json", call.arguments))
    for index, (block, kind, key, text) in enumerate(blocks):
        yield _event("content_block_start", index=index, content_block=block)
        for piece in pieces(text):
            yield _event("content_block_delta", index=index, delta={"type": kind, key: piece})
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": _stop(reply), "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage=_usage(reply))
    yield _event("message_stop")


def error(status: int, message: str, code: str = "") -> dict[str, Any]:  # noqa: ARG001 - it tells no more
    """The body of a failure."""
    return {"type": "error", "error": {"type": _ERRORS.get(status, "api_error"), "message": message}}


def _messages(message: dict[str, Any]) -> Iterator[Message]:
    """A message; each result of a tool in it is one of its own."""
    if isinstance(message["content"], str):
        yield Message(message["role"], message["content"])
        return
    texts, calls = list[str](), list[str]()
    for block in message["content"]:
        match block["type"]:
            case "tool_result":
                yield Message("tool", text_of(block.get("content")))
            case "tool_use":
                calls.append(block["name"])
            case _:
                texts.append(str(block.get("text", "")))
    if texts or calls:
        yield Message(message["role"], "\n".join(texts), tuple(calls))


def _head(request: Request, reply: Reply) -> dict[str, Any]:
    return {
        "id": f"msg_{reply.id}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "stop_sequence": None,
    }


def _stop(reply: Reply) -> str:
    return _STOPS.get(reply.finish, reply.finish)


def _usage(reply: Reply) -> dict[str, int]:
    told = reply.usage
    return {
        "input_tokens": reply.prompt_tokens if told else 0,
        "output_tokens": reply.completion_tokens if told else 0,
    }


def _event(kind: str, **data: Any) -> bytes:
    body = json.dumps({"type": kind, **data}, ensure_ascii=False, separators=(",", ":")).encode()
    return b"event: " + kind.encode() + b"\ndata: " + body + b"\n\n"
