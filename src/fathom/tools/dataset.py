"""The port `Dataset` over one MCP server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fathom.data.fields import DatasetDescription, ToolProfile
from fathom.data.profile import profile_of
from fathom.data.results import ToolResult
from fathom.data.servers import DataSource
from fathom.errors import MalformedReply, ToolFailed
from fathom.settings import Settings
from fathom.tools.access import access_to
from fathom.tools.connection import ServerConnection
from fathom.tools.describing import ServerProfile, described, discover, is_description
from fathom.tools.own import description_of
from fathom.tools.parsing import parsed, texts_of
from fathom.tools.policy import ToolGate
from fathom.tools.searching import SearchAndFetch

_LONGEST_QUERY = 2_000
"""Characters of a question that a server is told."""


class ToolDataset:
    """Structured data behind the tools of one MCP server; it connects when it is first asked."""

    def __init__(self, source: DataSource, settings: Settings) -> None:
        self.name = source.name
        self._source = source
        self._settings = settings
        server = source.server
        self._gate = ToolGate(allowed=server.tools, denied=server.deny) if server else ToolGate(allowed=("*",))
        self._access = access_to(source, settings)
        self._connection: ServerConnection | None = None
        self._finding = asyncio.Lock()
        self._found: ServerProfile | None = None
        self._profiles: dict[str, ToolProfile] = {}
        self._id_field: str | None = None

    async def describe(self, query: str, *, declared: bool = False) -> DatasetDescription:
        """Its tools and fields, and which of its values `query` names.

        Raises:
            ConfigurationError: it cannot be reached as it is configured, or its mapping names a field it does not have.
            ProviderError: it cannot be reached.
        """
        found = await self._discovered(declared=declared)
        if not found.describes:
            description = described(found, self._source, address=self._address, query=query)
        else:
            result = await self._opened().call(found.describes, self._question(found.describes, query))
            value = result.get("structuredContent")
            if result.get("isError"):
                raise self._failed(found.describes, result)
            if not isinstance(value, Mapping) or not is_description(value):
                raise MalformedReply(f"{self._access.who} has described itself in another way than before.")
            description = description_of(value, found, self._source, address=self._address)
        self._id_field = description.mapping.id
        return description

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """What the tool returns, cleaned and in one shape.

        Raises:
            ToolError, ProviderError: as the port says.
        """
        result = await self._called(tool, arguments)
        if tool not in self._profiles:
            self._profiles |= {offer.name: profile_of(offer.input_schema) for offer in self._gate.offers}
        return parsed(result, profile=self._profiles[tool], arguments=arguments, id_field=self._id_field)

    def connector(self) -> SearchAndFetch:
        """Its tools `search` and `fetch`, which it must have, as a source of texts."""
        return SearchAndFetch(self._access, self._called)

    async def close(self) -> None:
        """Let go of the server."""
        if self._connection is not None:
            await self._connection.close()

    @property
    def _address(self) -> str:
        if self._source.server is None and len(self._source.paths) == 1:
            return Path(self._source.paths[0]).absolute().as_uri()
        return self._access.address

    def _opened(self) -> ServerConnection:
        if self._connection is None:
            server = self._source.server
            self._connection = ServerConnection(
                self._access,
                self._gate,
                max_bytes=self._settings.mcp_max_bytes,
                timeout=server.timeout if server and server.timeout else self._settings.mcp_timeout,
            )
        return self._connection

    async def _discovered(self, *, declared: bool) -> ServerProfile:
        async with self._finding:
            if self._found is None:
                self._found = await discover(self._opened(), self._gate, self._source, declared=declared)
            return self._found

    async def _called(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What the tool returns, as it stands in the protocol."""
        connection = self._opened()
        await connection.open()
        self._gate.check(tool)
        result = await connection.call(tool, arguments)
        if result.get("isError"):
            raise self._failed(tool, result)
        if result.get("resultType", "complete") != "complete":
            raise ToolFailed(f"The tool '{tool}' asks for what only a person could answer: choose another one.")
        return result

    def _question(self, tool: str, query: str) -> dict[str, Any]:
        """The question for the tool that describes, if it takes one."""
        schema = next((offer.input_schema for offer in self._gate.offers if offer.name == tool), {})
        given = schema.get("properties")
        name = "question" if isinstance(given, Mapping) and "question" in given else profile_of(schema).text
        return {name: query[:_LONGEST_QUERY]} if name else {}

    def _failed(self, tool: str, result: Mapping[str, Any]) -> ToolFailed:
        access = self._access
        text = texts_of(result) or json.dumps(result.get("structuredContent"), default=str)[:1_000]
        said = access.told(text, width=300).rstrip(".") or "it does not say why"
        return ToolFailed(f"The tool '{tool}' of {access.who[0].lower()}{access.who[1:]} failed: {said}.")
