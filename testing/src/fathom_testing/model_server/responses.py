"""The wire format of OpenAI's responses."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from fathom_testing.model_server import openai
from fathom_testing.model_server.talk import Message, Reply, Request, Tool, pieces

name = "responses"
content_type = openai.content_type
error = openai.error


def parse(body: dict[str, Any]) -> Request:
    """The call in a body."""
    shape = (body.get("text") or {}).get("format") or {}
    choice = body.get("tool_choice") or "auto"
    if isinstance(choice, dict):
        choice = choice.get("name", "any")
    given = body["input"]
    turns = [{"role": "user", "content": given}] if isinstance(given, str) else given
    instructions = [Message("system", body["instructions"])] if body.get("instructions") else []
    return Request(
        model=str(body.get("model", "")),
        messages=(*instructions, *map(_message, turns)),
        tools=tuple(
            Tool(tool["name"], tool.get("description") or "", tool.get("parameters") or {})
            for tool in body.get("tools") or ()
            if tool.get("type") == "function"
        ),
        choice="any" if choice == "required" else choice,
        parallel=body.get("parallel_tool_calls") is not False,
        native=openai.schema_of(shape) if shape.get("type") == "json_schema" else None,
        json_mode=shape.get("type") == "json_object",
        streamed=bool(body.get("stream")),
        max_tokens=body.get("max_output_tokens"),
    )


def whole(request: Request, reply: Reply) -> dict[str, Any]:
    """The answer in one piece."""
    output = [*_messages(reply), *_calls(reply)]
    cut = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(reply.finish)
    return {
        **_head(request, reply),
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": cut} if cut else None,
        "output": output,
        "usage": _usage(reply) if reply.usage else None,
    }


def stream(request: Request, reply: Reply) -> Iterator[bytes]:
    """The answer as events."""
    number = 0

    def event(kind: str, **data: Any) -> bytes:
        nonlocal number
        number += 1
        body = json.dumps({"type": kind, "sequence_number": number - 1, **data}, ensure_ascii=False)
        return f"event: {kind}\ndata: {body}\n\n".encode()

    yield event("response.created", response={**_head(request, reply), "status": "in_progress", "output": []})
    for index, item in enumerate([*_messages(reply), *_calls(reply)]):
        place = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            yield event("response.output_item.added", output_index=index, item={**item, "content": []})
            part = item["content"][0]
            place["content_index"] = 0
            kind, key = ("output_text", "text") if part["type"] == "output_text" else ("refusal", "refusal")
            yield event("response.content_part.added", **place, part={**part, key: ""})
            for piece in pieces(part[key]):
                yield event(f"response.{kind}.delta", **place, delta=piece)
            yield event(f"response.{kind}.done", **place, **{key: part[key]})
            yield event("response.content_part.done", **place, part=part)
        else:
            yield event("response.output_item.added", output_index=index, item={**item, "arguments": ""})
            for piece in pieces(item["arguments"]):
                yield event("response.function_call_arguments.delta", **place, delta=piece)
            yield event("response.function_call_arguments.done", **place, arguments=item["arguments"])
        yield event("response.output_item.done", output_index=index, item=item)
    ended = whole(request, reply)
    yield event(f"response.{ended['status']}", response=ended)


def _message(turn: dict[str, Any]) -> Message:
    match turn.get("type", "message"):
        case "function_call":
            return Message("assistant", "", (turn["name"],))
        case "function_call_output":
            return Message("tool", openai.text_of(turn["output"]))
        case _:
            role = {"developer": "system"}.get(turn["role"], turn["role"])
            return Message(role, openai.text_of(turn.get("content")))


def _messages(reply: Reply) -> list[dict[str, Any]]:
    content: dict[str, Any] = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
    if reply.finish == "refusal":
        content = {"type": "refusal", "refusal": openai.REFUSAL}
    elif not reply.text:
        return []
    return [
        {"type": "message", "id": f"msg_{reply.id}", "role": "assistant", "status": "completed", "content": [content]}
    ]


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "type": "function_call",
            "id": f"fc_{index}_{reply.id}",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
            "status": "completed",
        }
        for index, call in enumerate(reply.calls)
    ]


def _head(request: Request, reply: Reply) -> dict[str, Any]:
    return {
        "id": f"resp_{reply.id}",
        "object": "response",
        "created_at": int(time.time()),
        "model": request.model,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": request.parallel,
        "tool_choice": "auto",
        "tools": [],
    }


def _usage(reply: Reply) -> dict[str, Any]:
    return {
        "input_tokens": reply.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": reply.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
    }
