"""The promise between the engine and whatever holds structured data."""

from __future__ import annotations

from typing import Any, Protocol

from fathom.data.fields import DatasetDescription
from fathom.data.results import ToolResult
from fathom.ports.connector import Connector


class Dataset(Protocol):
    """Structured data behind tools: a file, a folder, an MCP server. It connects when it is first asked."""

    name: str
    """Its name in allocations: `events`."""

    async def describe(self, query: str, *, declared: bool = False) -> DatasetDescription:
        """Its tools and fields, and which of its values `query` names.

        Fields are found by trying tools: those that declare that they only read, and unless `declared` those whose
        names tell so.

        Raises:
            ProviderError: it cannot be reached.
        """
        ...

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """What the tool returns, cleaned and in one shape.

        Cancelling it tells the server to stop.

        Raises:
            ToolRefused: it is not among the tools that may be called.
            ToolFailed: it says that it failed, and why.
            ResultTooLarge: ask for less.
            ProviderError: no usable answer.
        """
        ...

    def connector(self) -> Connector:
        """Its texts as a source of them, where it has the tools `search` and `fetch`."""
        ...

    async def close(self) -> None:
        """Let go of what it holds open, a server of its own included."""
        ...
