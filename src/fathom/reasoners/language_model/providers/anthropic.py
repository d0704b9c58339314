"""Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from pydantic import AliasChoices, AliasPath, BaseModel, Field

from fathom.reasoners.language_model.completion import Message, Piece
from fathom.reasoners.language_model.providers import ABSENT, Options, Provider, Reply, ServerInfo

_VERSION = "2023-06-01"
"""What a version takes and gives stays as it is. The one of 2026 takes no temperature, of older models neither."""


class _Block(BaseModel):
    text: str = ""
    thinking: str = ""
    partial_json: str = ""
    input: dict[str, Any] | None = None


class _Usage(BaseModel):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None


class _Event(Reply):
    """A whole message, or an event of a stream."""

    type: str
    content: list[_Block] = []
    delta: _Block = _Block()
    stop_reason: str | None = Field(
        default=None, validation_alias=AliasChoices("stop_reason", AliasPath("delta", "stop_reason"))
    )
    usage: _Usage = Field(default=_Usage(), validation_alias=AliasChoices("usage", AliasPath("message", "usage")))


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Model]


class Anthropic(Provider):
    """`anthropic:NAME`."""

    name = "anthropic"
    public = "https://api.anthropic.com"
    added = "/v1"
    address_variables = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL")
    methods = ("json_schema", "tool", "text")
    key_variables = ("ANTHROPIC_API_KEY",)
    headers = {"anthropic-version": _VERSION, "x-api-key": "{key}"}
    parameters = frozenset({"temperature", "effort"})  # the newest models take none

    def request(self, messages: Sequence[Message], options: Options) -> tuple[str, dict[str, Any]]:
        """`POST /v1/messages`. There is no seed, and no JSON mode."""
        told = [{"role": role, "content": text} for role, text in messages if role != "system"]
        body: dict[str, Any] = {"model": self.model, "messages": told, "stream": options.streamed}
        body["max_tokens"] = options.max_tokens
        if system := "\n\n".join(text for role, text in messages if role == "system"):
            body["system"] = system
        body |= {name: value for name, value in options.sampling.items() if name == "temperature"}
        output: dict[str, Any] = {}
        if (effort := options.thinking("effort")) and effort != "none":
            output["effort"] = effort
        if (schema := options.schema) and options.method == "json_schema":
            output["format"] = {"type": "json_schema", "schema": schema.body}
        elif schema and options.method == "tool":
            body["tools"] = [{"name": schema.name, "description": "Give the answer.", "input_schema": schema.body}]
            body["tool_choice"] = {"type": "tool", "name": schema.name}
        return "/v1/messages", {**body, "output_config": output} if output else body

    def read(self, data: bytes) -> Piece:
        """A message, or an event of a stream. Thoughts and pings bring nothing."""
        event = _Event.of(data)
        blocks, usage = (*event.content, event.delta), event.usage
        sent = (usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
        return Piece(
            "".join(block.text for block in blocks),
            "".join(block.partial_json if block.input is None else json.dumps(block.input) for block in blocks),
            event.stop_reason or "",
            sent=sum(filter(None, sent)),
            received=usage.output_tokens,
            thinks=any(block.thinking for block in blocks),
        )

    async def look(self) -> ServerInfo:
        """`GET /v1/models/NAME`, which knows short names too, and the whole list when it is not there."""
        one = await self.http.get(f"/v1/models/{quote(self.model, safe='')}")
        if one.status_code not in ABSENT:
            _Model.model_validate_json(one.raise_for_status().content)
            return ServerInfo([self.model])
        reply = await self.http.get("/v1/models", params={"limit": 1000})
        if reply.status_code in ABSENT:
            return ServerInfo(None)
        return ServerInfo([each.id for each in _Models.model_validate_json(reply.raise_for_status().content).data])
