"""Google's Gemini, with a key of its developer interface."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import AliasPath, BaseModel, Field

from fathom.limits import ReasoningEffort
from fathom.reasoners.language_model.completion import Message, Piece
from fathom.reasoners.language_model.providers import ABSENT, Options, Provider, Reply, ServerInfo

_THINKING = re.compile(r"gemini-(2\.5|[3-9])")
_BUDGETS: dict[ReasoningEffort, int] = {"none": 0, "low": 1_024, "medium": 4_096, "high": 8_192}
"""Tokens of thought for models that know no levels."""


def _at(first: str, *path: str | int) -> Any:
    return Field(default=None, validation_alias=AliasPath(first, *path))


class _Part(BaseModel):
    text: str = ""
    thought: bool = False
    args: dict[str, Any] | None = _at("functionCall", "args")


class _Answer(Reply):
    parts: list[_Part] | None = _at("candidates", 0, "content", "parts")
    finish_reason: str | None = _at("candidates", 0, "finishReason")
    block_reason: str | None = _at("promptFeedback", "blockReason")
    sent: int | None = _at("usageMetadata", "promptTokenCount")
    written: int | None = _at("usageMetadata", "candidatesTokenCount")
    thought: int | None = _at("usageMetadata", "thoughtsTokenCount")


class _Model(BaseModel):
    name: str
    inputTokenLimit: int | None = None


class _Models(BaseModel):
    models: list[_Model] = []


class Google(Provider):
    """`google_genai:NAME`."""

    name = "google_genai"
    public = "https://generativelanguage.googleapis.com"
    added = "/v1(beta)?"
    address_variables = ("GOOGLE_GEMINI_BASE_URL",)
    key_variables = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    headers = {"x-goog-api-key": "{key}"}
    parameters = frozenset({"temperature", "seed", "thinking"})  # what some models refuse

    def request(self, messages: Sequence[Message], options: Options) -> tuple[str, dict[str, Any]]:
        """`POST /v1beta/models/NAME:generateContent`, whose answer has the shape of a piece of a streamed one."""
        config: dict[str, Any] = {**options.sampling, "maxOutputTokens": options.max_tokens}
        body: dict[str, Any] = {"generationConfig": config, "contents": []}
        for role, text in messages:
            if role == "system":
                body["systemInstruction"] = {"parts": [{"text": text}]}
            else:
                body["contents"].append({"role": "user" if role == "user" else "model", "parts": [{"text": text}]})
        if effort := options.thinking("thinking"):
            if "2.5" in self.model:
                config["thinkingConfig"] = {"thinkingBudget": _BUDGETS[effort]}
            elif effort != "none":
                config["thinkingConfig"] = {"thinkingLevel": effort.upper()}
        if (schema := options.schema) and options.method == "tool":
            one = {"name": schema.name, "description": "Give the answer.", "parametersJsonSchema": schema.body}
            body["tools"] = [{"functionDeclarations": [one]}]
            body["toolConfig"] = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [schema.name]}}
        elif schema and options.method != "text":
            config["responseMimeType"] = "application/json"
            config |= {"responseJsonSchema": schema.body} if options.method == "json_schema" else {}
        verb = "streamGenerateContent?alt=sse" if options.streamed else "generateContent"
        return f"/v1beta/models/{self._bare}:{verb}", body

    def read(self, data: bytes) -> Piece:
        """An answer, or a piece of one. Its thoughts are counted apart, and left out."""
        answer = _Answer.of(data)
        parts = [part for part in answer.parts or () if not part.thought]
        return Piece(
            "".join(part.text for part in parts),
            "".join(json.dumps(part.args) for part in parts if part.args is not None),
            (answer.finish_reason or "").lower(),
            declined=bool(answer.block_reason),
            sent=answer.sent,
            received=sum(filter(None, (answer.written, answer.thought))),
            thinks=any(part.thought for part in answer.parts or ()),
        )

    @property
    def thinks(self) -> bool:
        """Gemini 2.5 and later."""
        return bool(_THINKING.match(self.model))

    @property
    def _bare(self) -> str:
        return self.model.removeprefix("models/")

    async def look(self) -> ServerInfo:
        """`GET /v1beta/models/NAME`, and the whole list when it is not there."""
        reply = await self.http.get(f"/v1beta/models/{self._bare}")
        if reply.status_code != 404:
            one = _Model.model_validate_json(reply.raise_for_status().content)
            return ServerInfo([self.model], one.inputTokenLimit)
        whole = await self.http.get("/v1beta/models", params={"pageSize": 1000})
        if whole.status_code in ABSENT:
            return ServerInfo(None)
        found = _Models.model_validate_json(whole.raise_for_status().content).models
        return ServerInfo([each.name.removeprefix("models/") for each in found])
