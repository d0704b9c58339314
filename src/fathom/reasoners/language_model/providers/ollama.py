"""Ollama: models that run on this machine, or on another one of yours."""

from __future__ import annotations

from typing import Any

import httpx
from pydantic import BaseModel

from fathom.reasoners.language_model.addresses import ollama_address
from fathom.reasoners.language_model.providers import Chat, Method, Options, Provider, ServerInfo, tool
from fathom.services.addresses import checked_address

WIDEST = 16_384
"""Tokens that a model is loaded for at most, unless the operator says so: memory grows with the window."""


class _Tag(BaseModel):
    name: str


class _Tags(BaseModel):
    models: list[_Tag]


class _Shown(BaseModel):
    model_info: dict[str, Any] = {}


class Ollama(Provider):
    """`ollama:NAME`."""

    name = "ollama"
    extra = "ollama"
    package = "langchain-ollama"
    public = "http://127.0.0.1:11434"
    address_variables = ("OLLAMA_HOST",)
    key_variables = ("OLLAMA_API_KEY",)
    parameters = frozenset({"think"})  # older servers and some models know no thinking
    needs_key = False
    own_server = True
    at_once = 2

    @staticmethod
    def address(url: str, *, setting: str) -> str:
        """Without the /v1 at the end, which belongs to its other format."""
        if setting == "OLLAMA_HOST":
            return ollama_address(url, setting=setting)
        return checked_address(url, setting=setting, key_setting="model_api_key").removesuffix("/v1")

    def chat(self, *, timeout: float) -> Chat:
        """A chat model with clients of its own."""
        import ollama
        from langchain_ollama import ChatOllama

        chat: Any = ChatOllama(
            model=self.model,
            base_url=self.place.address,
            client_kwargs={
                "timeout": timeout,
                **self.place.http,
                "headers": {"Authorization": "Bearer"},  # else it takes a key from the environment
            },
        )
        clients = (chat._client, chat._async_client)
        headers = chat._async_client._client.headers
        if self.place.key is None:
            del headers["authorization"]
        else:  # not above: a trace shows what a chat model was made with
            headers["authorization"] = f"Bearer {self.place.secret}"

        async def close() -> None:
            clients[0].close()
            await clients[1].close()

        return Chat(chat, (ollama.ResponseError, ollama.RequestError), close)

    def arguments(self, options: Options) -> dict[str, Any]:
        """Thinking is off unless it is asked for: it would eat the room for the answer."""
        settings = {**options.sampling, "num_predict": options.max_tokens, "num_ctx": options.window}
        arguments: dict[str, Any] = {"options": settings, "stream": options.streamed}
        if "think" not in options.without:
            wanted = options.effort not in (None, "none")
            arguments["reasoning"] = options.effort if wanted and self.model.startswith("gpt-oss") else wanted
        if schema := options.schema:
            match options.method:
                case "json_schema":
                    arguments["format"] = schema.body
                case "tool":
                    arguments["tools"] = [tool(schema)]
                case "json_mode":
                    arguments["format"] = "json"
                case "text":
                    pass
        return arguments

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

    async def look(self, client: httpx.AsyncClient) -> ServerInfo:
        """`GET /api/tags`, and `POST /api/show` for the window."""
        headers = {"Authorization": f"Bearer {self.place.secret}"} if self.place.key else {}
        tags = await client.get(f"{self.place.address}/api/tags", headers=headers)
        names = [tag.name for tag in _Tags.model_validate_json(tags.raise_for_status().content).models]
        whole = self.model if ":" in self.model else f"{self.model}:latest"
        if whole not in names:
            return ServerInfo([name.removesuffix(":latest") for name in names])
        shown = await client.post(f"{self.place.address}/api/show", json={"model": self.model}, headers=headers)
        info = _Shown.model_validate_json(shown.content).model_info if shown.is_success else {}
        lengths = [value for key, value in info.items() if key.endswith(".context_length") and isinstance(value, int)]
        return ServerInfo([self.model, *names], min(lengths[0], WIDEST) if lengths else None)
