"""Ollama: models that run on this machine, or on another one of yours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import httpx
from pydantic import AliasPath, BaseModel, Field

from fathom.reasoners.language_model.completion import Message, Piece
from fathom.reasoners.language_model.providers import Method, Options, Provider, Reply, ServerInfo

WIDEST = 16_384
"""Tokens that a model is loaded for at most, unless the operator says so: memory grows with the window."""


class _Answer(Reply):
    message: Any
    content: str = Field(default="", validation_alias=AliasPath("message", "content"))
    thoughts: str | None = Field(default=None, validation_alias=AliasPath("message", "thinking"))
    arguments: dict[str, Any] | None = Field(
        default=None, validation_alias=AliasPath("message", "tool_calls", 0, "function", "arguments")
    )
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class _Tag(BaseModel):
    name: str


class _Tags(BaseModel):
    models: list[_Tag]


class _Shown(BaseModel):
    model_info: dict[str, Any] = {}


class Ollama(Provider):
    """`ollama:NAME`."""

    name = "ollama"
    public = "http://127.0.0.1:11434"
    added = "/v1"  # of its other format
    address_variables = ("OLLAMA_HOST",)
    key_variables = ("OLLAMA_API_KEY",)
    parameters = frozenset({"think"})  # older servers and some models know no thinking
    needs_key = False
    own_server = True
    at_once = 2

    @classmethod
    def address(cls, url: str, *, setting: str) -> str:
        """In Ollama's own variable, scheme and port may be missing.

        >>> hosts = ("0.0.0.0", ":8000", "https://box.example/ollama")
        >>> [Ollama.address(host, setting="OLLAMA_HOST") for host in hosts]
        ['http://127.0.0.1:11434', 'http://127.0.0.1:8000', 'https://box.example/ollama']
        """
        bare = setting == "OLLAMA_HOST" and "://" not in url
        if bare:
            url = f"http://127.0.0.1{url}" if url.startswith(":") else f"http://{url}"
        address = httpx.URL(super().address(url, setting=setting))
        if address.host in ("0.0.0.0", "::"):  # where a server listens; this machine is where it is asked
            address = address.copy_with(host="127.0.0.1")
        if address.port is None and bare:
            address = address.copy_with(port=11434)
        return str(address).rstrip("/")

    def request(self, messages: Sequence[Message], options: Options) -> tuple[str, dict[str, Any]]:
        """`POST /api/chat`. Thinking is off unless it is asked for: it would eat the room for the answer."""
        settings = {**options.sampling, "num_predict": options.max_tokens, "num_ctx": options.window}
        told = [{"role": role, "content": text} for role, text in messages]
        body: dict[str, Any] = {"model": self.model, "messages": told, "options": settings}
        body["stream"] = options.streamed
        if "think" not in options.without:
            wanted = options.effort not in (None, "none")
            body["think"] = options.effort if wanted and self.model.startswith("gpt-oss") else wanted
        if schema := options.schema:
            shapes: dict[str, dict[str, Any]] = {
                "json_schema": {"format": schema.body},
                "tool": {"tools": [schema.tool]},
                "json_mode": {"format": "json"},
                "text": {},
            }
            body |= shapes[options.method]
        return "/api/chat", body

    def read(self, data: bytes) -> Piece:
        """An answer, or a piece of one."""
        answer = _Answer.of(data)
        return Piece(
            answer.content,
            "" if answer.arguments is None else json.dumps(answer.arguments),
            (answer.done_reason or "stop") if answer.done else "",
            sent=answer.prompt_eval_count,
            received=answer.eval_count,
            thinks=bool(answer.thoughts),
        )

    def tells_schema(self, method: Method) -> bool:
        """It only holds the answer to a schema, unless it is a tool's."""
        return method == "tool"

    @property
    def thinks(self) -> bool:
        """Some do so whatever they are told."""
        return self.model.startswith(("gpt-oss", "deepseek-r1", "qwq"))

    @property
    def missing(self) -> str:
        """Download it."""
        return f"run `ollama pull {self.model}`"

    @property
    def unreachable(self) -> str:
        """Start it."""
        return "start it with `ollama serve`, or check base_url"

    async def look(self) -> ServerInfo:
        """`GET /api/tags`, and `POST /api/show` for the window."""
        tags = await self.http.get("/api/tags")
        names = [tag.name for tag in _Tags.model_validate_json(tags.raise_for_status().content).models]
        whole = self.model if ":" in self.model else f"{self.model}:latest"
        if whole not in names:
            return ServerInfo([name.removesuffix(":latest") for name in names])
        shown = await self.http.post("/api/show", json={"model": self.model})
        info = _Shown.model_validate_json(shown.content).model_info if shown.is_success else {}
        lengths = [value for key, value in info.items() if key.endswith(".context_length") and isinstance(value, int)]
        return ServerInfo([self.model, *names], min(lengths[0], WIDEST) if lengths else None)
