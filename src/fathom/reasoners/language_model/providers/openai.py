"""OpenAI, and the many servers that speak its chat completions."""

from __future__ import annotations

import re
from typing import Any

import httpx
from pydantic import BaseModel

from fathom.reasoners.language_model.failures import NoSuchModel
from fathom.reasoners.language_model.providers import Chat, Method, Options, Provider, ServerInfo, tool
from fathom.services.addresses import checked_address

_THINKING = re.compile(r"o\d|gpt-(5(?!.*chat)|[6-9])")
_EFFORT = "low"


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
    extra = "openai"
    package = "langchain-openai"
    public = "https://api.openai.com/v1"
    address_variables = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
    key_variables = ("OPENAI_API_KEY",)
    # what some models and many servers refuse
    parameters = frozenset({"temperature", "seed", "reasoning_effort", "max_completion_tokens", "stream_options"})
    own_server = True

    @staticmethod
    def address(url: str, *, setting: str) -> str:
        """As it is: it often ends in /v1."""
        return checked_address(url, setting=setting, key_setting="model_api_key")

    def chat(self, *, timeout: float) -> Chat:
        """A chat model over an HTTP client of its own, which no other event loop shares."""
        import openai
        from langchain_openai import ChatOpenAI

        async def key() -> str:
            return self.place.secret

        async def nameless(request: Any) -> None:
            for header in ("openai-organization", "openai-project"):  # from the environment, meant for OpenAI alone
                request.headers.pop(header, None)

        client = openai.DefaultAsyncHttpxClient(
            event_hooks={"request": [] if self.place.public else [nameless]},
            timeout=timeout,
            **self.place.http,
        )
        chat = ChatOpenAI(
            model=self.model,
            base_url=self.place.address,
            api_key=key,  # an async one spares the client for blocking calls
            timeout=timeout,
            max_retries=0,
            http_async_client=client,
            use_responses_api=False,
            stream_usage=True,
            stream_chunk_timeout=None,  # stalled streams are noticed by the caller
        )
        return Chat(chat, (openai.OpenAIError,), client.aclose)

    def arguments(self, options: Options) -> dict[str, Any]:
        """The shape goes by `extra_body`, past a parser that loses cut answers and what they took."""
        if self.thinks and self.place.public:
            arguments: dict[str, Any] = {} if "reasoning_effort" in options.without else {"reasoning_effort": _EFFORT}
        else:
            arguments = options.sampling
        if effort := options.thinking("reasoning_effort"):
            arguments["reasoning_effort"] = effort
        body: dict[str, Any] = {}
        if self.place.public and "max_completion_tokens" not in options.without:
            arguments["max_tokens"] = options.max_tokens  # sent as max_completion_tokens
        else:
            body["max_tokens"] = options.max_tokens  # what every other server knows
        if "stream_options" in options.without:
            arguments["stream_usage"] = False
        if schema := options.schema:
            match options.method:
                case "json_schema":
                    shape = {"name": schema.name, "schema": schema.body, "strict": True}
                    body["response_format"] = {"type": "json_schema", "json_schema": shape}
                case "tool":
                    arguments["tools"] = [tool(schema)]
                    arguments["tool_choice"] = {"type": "function", "function": {"name": schema.name}}
                case "json_mode":
                    body["response_format"] = {"type": "json_object"}
                case "text":
                    pass
        return {**arguments, "extra_body": body} if body else arguments

    def tells_schema(self, method: Method) -> bool:
        """OpenAI shows it; other servers only hold the answer to it, unless it is a tool's."""
        return method == "tool" or (method == "json_schema" and self.place.public)

    @property
    def thinks(self) -> bool:
        """The o series, and GPT-5 and later."""
        return bool(_THINKING.match(self.model))

    @property
    def unreachable(self) -> str:
        """A server of one's own may not run."""
        return "check the network" if self.place.public else "start the server, or check base_url"

    async def look(self, client: httpx.AsyncClient) -> ServerInfo:
        """`GET /models`; servers without it are taken as they are, unless their models are found below `/v1`.

        Raises:
            NoSuchModel: the address lacks its `/v1`.
        """
        address, headers = self.place.address, {"Authorization": f"Bearer {self.place.secret}"}
        reply = await client.get(f"{address}/models", headers=headers)
        if reply.status_code in (404, 405, 501):
            if not address.endswith("/v1") and (await client.get(f"{address}/v1/models", headers=headers)).is_success:
                raise NoSuchModel(f"Nothing answers at {address}, but models do at {address}/v1: set base_url to that.")
            return ServerInfo(None)
        models = _Models.model_validate_json(reply.raise_for_status().content).data
        llama = any(each.owned_by == "llamacpp" for each in models)
        one = next((each for each in models if each.id == self.model), models[0] if llama and models else None)
        meta = one.meta if one and one.meta else _Meta()
        window = (one.max_model_len or one.context_length or meta.n_ctx or meta.n_ctx_train) if one else None
        return ServerInfo([each.id for each in models], window, any_name=llama)
