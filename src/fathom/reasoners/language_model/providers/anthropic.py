"""Anthropic's messages."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from fathom.reasoners.language_model.providers import Chat, Options, Provider, ServerInfo
from fathom.services.addresses import checked_address

_VERSION = "2023-06-01"


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Model]


class Anthropic(Provider):
    """`anthropic:NAME`."""

    name = "anthropic"
    extra = "anthropic"
    package = "langchain-anthropic"
    public = "https://api.anthropic.com"
    address_variables = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL")
    methods = ("json_schema", "tool", "text")
    key_variables = ("ANTHROPIC_API_KEY",)
    parameters = frozenset({"temperature", "effort"})  # the newest models take none

    @staticmethod
    def address(url: str, *, setting: str) -> str:
        """Without the /v1 at the end, which the library adds."""
        return checked_address(url, setting=setting, key_setting="model_api_key").removesuffix("/v1")

    def chat(self, *, timeout: float) -> Chat:
        """A chat model over an HTTP client of its own, which no other event loop shares."""
        import anthropic
        from langchain_anthropic import ChatAnthropic

        http = anthropic.DefaultAsyncHttpxClient(timeout=timeout, **self.place.http)
        options: dict[str, Any] = {"base_url": self.place.address, "api_key": self.place.secret, "max_retries": 0}
        client = anthropic.AsyncAnthropic(**options, timeout=timeout, http_client=http)
        chat = ChatAnthropic(model=self.model, timeout=timeout, **options)
        vars(chat)["_async_client"] = client  # its own is shared by all loops of the process
        return Chat(chat, (anthropic.AnthropicError,), client.close)

    def arguments(self, options: Options) -> dict[str, Any]:
        """There is no seed, and no JSON mode."""
        arguments: dict[str, Any] = {"max_tokens": options.max_tokens}
        if "temperature" in options.sampling:
            arguments["temperature"] = options.sampling["temperature"]
        output: dict[str, Any] = {}
        if (effort := options.thinking("effort")) and effort != "none":
            output["effort"] = effort
        if schema := options.schema:
            match options.method:
                case "json_schema":
                    output["format"] = {"type": "json_schema", "schema": schema.body}
                case "tool":
                    one = {"name": schema.name, "description": "Give the answer.", "input_schema": schema.body}
                    arguments["tools"] = [one]
                    arguments["tool_choice"] = {"type": "tool", "name": schema.name}
                case "json_mode" | "text":
                    pass
        return {**arguments, "output_config": output} if output else arguments

    async def look(self, client: httpx.AsyncClient) -> ServerInfo:
        """`GET /v1/models/NAME`, which knows short names too, and the whole list when it is not there."""
        headers = {"Authorization": f"Bearer {self.place.secret}", "anthropic-version": _VERSION}
        one = await client.get(f"{self.place.address}/v1/models/{quote(self.model, safe='')}", headers=headers)
        if one.status_code not in (404, 405, 501):
            _Model.model_validate_json(one.raise_for_status().content)
            return ServerInfo([self.model])
        reply = await client.get(f"{self.place.address}/v1/models", params={"limit": 1000}, headers=headers)
        if reply.status_code in (404, 405, 501):
            return ServerInfo(None)
        models = _Models.model_validate_json(reply.raise_for_status().content).data
        return ServerInfo([each.id for each in models])
