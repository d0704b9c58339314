"""Google's Gemini, with a key of its developer interface."""

from __future__ import annotations

import re
from typing import Any

import httpx
from pydantic import BaseModel

from fathom.limits import ReasoningEffort
from fathom.reasoners.language_model.providers import Chat, Options, Provider, ServerInfo, tool
from fathom.services.addresses import checked_address

_THINKING = re.compile(r"gemini-(2\.5|[3-9])")
_BUDGETS: dict[ReasoningEffort, int] = {"none": 0, "low": 1_024, "medium": 4_096, "high": 8_192}
"""Tokens of thought for models that know no levels."""


class _Model(BaseModel):
    name: str
    inputTokenLimit: int | None = None


class _Models(BaseModel):
    models: list[_Model] = []


class Google(Provider):
    """`google_genai:NAME`."""

    name = "google_genai"
    extra = "google"
    package = "langchain-google-genai"
    public = "https://generativelanguage.googleapis.com"
    address_variables = ("GOOGLE_GEMINI_BASE_URL",)
    key_variables = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    parameters = frozenset({"temperature", "seed", "thinking"})  # what some models refuse

    @staticmethod
    def address(url: str, *, setting: str) -> str:
        """Without the version at the end, which the library adds."""
        return re.sub(r"/v1(beta)?$", "", checked_address(url, setting=setting, key_setting="model_api_key"))

    def chat(self, *, timeout: float) -> Chat:
        """A chat model with a client of its own."""
        from google.genai.errors import APIError
        from langchain_google_genai import ChatGoogleGenerativeAI

        chat: Any = ChatGoogleGenerativeAI(
            model=self.model,
            base_url=self.place.address,
            api_key=self.place.secret,
            vertexai=False,
            timeout=timeout,
            max_retries=1,  # counts the first try
            client_args={"follow_redirects": False, "allow_redirects": False},  # else the key would go along
        )
        return Chat(chat, (APIError,), chat.aclose)

    def arguments(self, options: Options) -> dict[str, Any]:
        """The shape is a parameter of its own."""
        arguments: dict[str, Any] = {**options.sampling, "max_output_tokens": options.max_tokens}
        if effort := options.thinking("thinking"):
            if "2.5" in self.model:
                arguments["thinking_budget"] = _BUDGETS[effort]
            elif effort != "none":
                arguments["thinking_level"] = effort
        if schema := options.schema:
            match options.method:
                case "json_schema":
                    arguments["response_mime_type"] = "application/json"
                    arguments["response_json_schema"] = schema.body
                case "tool":
                    arguments["tools"] = [tool(schema)]
                    arguments["tool_choice"] = schema.name
                case "json_mode":
                    arguments["response_mime_type"] = "application/json"
                case "text":
                    pass
        return arguments

    @property
    def thinks(self) -> bool:
        """Gemini 2.5 and later."""
        return bool(_THINKING.match(self.model))

    async def look(self, client: httpx.AsyncClient) -> ServerInfo:
        """`GET /v1beta/models/NAME`, and the whole list when it is not there."""
        headers = {"x-goog-api-key": self.place.secret}
        name = self.model.removeprefix("models/")
        reply = await client.get(f"{self.place.address}/v1beta/models/{name}", headers=headers)
        if reply.status_code != 404:
            one = _Model.model_validate_json(reply.raise_for_status().content)
            return ServerInfo([self.model], one.inputTokenLimit)
        whole = await client.get(f"{self.place.address}/v1beta/models", params={"pageSize": 1000}, headers=headers)
        if whole.status_code in (404, 405, 501):
            return ServerInfo(None)
        models = _Models.model_validate_json(whole.raise_for_status().content).models
        return ServerInfo([each.name.removeprefix("models/") for each in models])
