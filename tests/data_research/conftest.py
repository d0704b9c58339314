"""Servers that stay for all runs of a module: to start one takes longer than what it is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from fathom import tools
from fathom.data.fields import DatasetDescription
from fathom.data.results import ToolResult
from fathom.data.servers import DataSource
from fathom.ports.data import Dataset
from fathom.settings import Settings


class _Staying:
    """A dataset that the next run asks too."""

    def __init__(self, dataset: Dataset) -> None:
        self.name = dataset.name
        self._dataset = dataset

    async def describe(self, query: str, *, declared: bool = False) -> DatasetDescription:
        return await self._dataset.describe(query, declared=declared)

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        return await self._dataset.call(tool, arguments)

    async def close(self) -> None:
        """It is closed after the last run."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def staying() -> AsyncIterator[None]:
    """Runs that ask the same files ask the same server: a real one, as a process of its own."""
    opened: dict[tuple[str, ...], Dataset] = {}
    really = tools.open_dataset
    async with AsyncExitStack() as stack:

        def open_dataset(source: DataSource, settings: Settings) -> Dataset:
            if source.paths not in opened:
                dataset = opened[source.paths] = really(source, settings)
                stack.push_async_callback(dataset.close)
            return _Staying(opened[source.paths])

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tools, "open_dataset", open_dataset)
            yield
