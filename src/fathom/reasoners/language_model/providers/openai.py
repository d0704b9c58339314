"""OpenAI, and the many servers that speak its chat completions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import AliasChoices, AliasPath, BaseModel, Field

from fathom.reasoners.language_model.completion import Message, Piece
from fathom.reasoners.language_model.failures import NoSuchModel
from fathom.reasoners.language_model.providers import ABSENT, Method, Options, Provider, Reply, ServerInfo

_THINKING = re.compile(r"o\d|gpt-(5(?!.*chat)|[6-9])")
_EFFORT = "low"


def _of_choice(*path: str | int) -> Any:
    """What stands in the first choice: of a whole answer in its `message`, of a piece in its `delta`."""
    places = (AliasPath("choices", 0, name, *path) for name in ("message", "delta"))
    return Field(default=None, validation_alias=AliasChoices(*places))


class _Part(BaseModel):
    text: str = ""


class _Answer(Reply):
    choices: list[Any]
    content: str | list[_Part] | None = _of_choice("content")
    refusal: str | None = _of_choice("refusal")
    reasoning: Any = _of_choice("reasoning")
    reasoning_content: Any = _of_choice("reasoning_content")
    call: int | None = _of_choice("tool_calls", 0, "index")
    arguments: str | None = _of_choice("tool_calls", 0, "function", "arguments")
    finish_reason: str | None = Field(default=None, validation_alias=AliasPath("choices", 0, "finish_reason"))
    sent: int | None = Field(default=None, validation_alias=AliasPath("usage", "prompt_tokens"))
    received: int | None = Field(default=None, validation_alias=AliasPath("usage", "completion_tokens"))


class _Meta(BaseModel):
    n_ctx: int | None = None
    n_ctx_train: int | None = None


class _Model(BaseModel):
    id: str
    owned_by: str | None = None
    max_model_len: int | None = None  # vLLM
    context_length: int | None = None  # OpenRouter
    meta: _Meta | None = None  # llama.cpp


class _Models(BaseModel):
    data: list[_Model]


class OpenAI(Provider):
    """`openai:NAME`."""

    name = "openai"
    public = "https://api.openai.com/v1"
    address_variables = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
    key_variables = ("OPENAI_API_KEY",)
    # what some models and many servers refuse
    parameters = frozenset({"temperature", "seed", "reasoning_effort", "max_completion_tokens", "stream_options"})
    own_server = True

    def request(self, messages: Sequence[Message], options: Options) -> tuple[str, dict[str, Any]]:
        """`POST /chat/completions`."""
        told = [{"role": role, "content": text} for role, text in messages]
        body: dict[str, Any] = {"model": self.model, "messages": told, "stream": options.streamed}
        if not (self.thinks and self.place.public):
            body |= options.sampling
        elif "reasoning_effort" not in options.without:
            body["reasoning_effort"] = _EFFORT
        if effort := options.thinking("reasoning_effort"):
            body["reasoning_effort"] = effort
        new = self.place.public and "max_completion_tokens" not in options.without
        body["max_completion_tokens" if new else "max_tokens"] = options.max_tokens  # the latter every server knows
        if options.streamed and "stream_options" not in options.without:
            body["stream_options"] = {"include_usage": True}
        if schema := options.schema:
            named = {"name": schema.name, "schema": schema.body, "strict": True}
            forced = {"type": "function", "function": {"name": schema.name}}
            shapes: dict[str, dict[str, Any]] = {
                "json_schema": {"response_format": {"type": "json_schema", "json_schema": named}},
                "tool": {"tools": [schema.tool], "tool_choice": forced},
                "json_mode": {"response_format": {"type": "json_object"}},
                "text": {},
            }
            body |= shapes[options.method]
        return "/chat/completions", body

    def read(self, data: bytes) -> Piece:
        """A chat completion, or a piece of one."""
        answer = _Answer.of(data)
        text = answer.content or ""
        return Piece(
            text if isinstance(text, str) else "".join(part.text for part in text),
            "" if answer.call else answer.arguments or "",  # of several calls the first counts
            answer.finish_reason or "",
            declined=bool(answer.refusal),
            sent=answer.sent,
            received=answer.received,
            thinks=bool(answer.reasoning or answer.reasoning_content),
        )

    def tells_schema(self, method: Method) -> bool:
        """OpenAI shows it; other servers only hold the answer to it, unless it is a tool's."""
        return method == "tool" or (method == "json_schema" and self.place.public)

    @property
    def thinks(self) -> bool:
        """The o series, and GPT-5 and later."""
        return bool(_THINKING.match(self.model))

    async def look(self) -> ServerInfo:
        """`GET /models`; servers without it are taken as they are, unless their models are found below `/v1`.

        Raises:
            NoSuchModel: the address lacks its `/v1`.
        """
        reply, address = await self.http.get("/models"), self.place.address
        if reply.status_code in ABSENT:
            if not address.endswith("/v1") and (await self.http.get("/v1/models")).is_success:
                raise NoSuchModel(f"Nothing answers at {address}, but models do at {address}/v1: set base_url to that.")
            return ServerInfo(None)
        models = _Models.model_validate_json(reply.raise_for_status().content).data
        llama = any(each.owned_by == "llamacpp" for each in models)
        one = next((each for each in models if each.id == self.model), models[0] if llama and models else None)
        meta = one.meta if one and one.meta else _Meta()
        window = (one.max_model_len or one.context_length or meta.n_ctx or meta.n_ctx_train) if one else None
        return ServerInfo([each.id for each in models], window, any_name=llama)
