"""Fathom's own server over files, in this process: to start it as one takes longer than all that it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from fathom.data.mapping import read_mappings
from fathom.datasets.database import open_database
from fathom.datasets.server import server_of
from fathom.errors import FathomError
from fathom.settings.data import DataSettings
from fathom.tools.stdio import StdioServer

Said = SessionMessage | Exception


class ServerHere(StdioServer):
    """The same server, asked by the same protocol, without a process; servers of others stay processes."""

    _refusal = ""

    @property
    def refusal(self) -> str:
        return self._refusal

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Any]:
        if not self._access.is_own:
            async with super().connected() as streams:
                yield streams
            return
        incoming, read = anyio.create_memory_object_stream[Said](0)
        write, outgoing = anyio.create_memory_object_stream[Said](0)
        task = asyncio.create_task(self._serve(outgoing, incoming))
        try:
            yield read, write
        finally:
            read.close()
            write.close()
            await asyncio.wait({task})

    async def _serve(self, asked: MemoryObjectReceiveStream[Said], answers: MemoryObjectSendStream[Said]) -> None:
        paths = map(Path, self._access.command[self._access.command.index("serve") + 1 :])
        given = {name.removeprefix("FATHOM_").lower(): value for name, value in self._access.env.items()}
        settings = DataSettings.model_validate({name: given[name] for name in given if name.startswith("data_")})
        mappings = read_mappings(settings.data_mapping) if settings.data_mapping else {}
        async with asked, answers:
            try:
                database = await asyncio.to_thread(open_database, list(paths), settings, mappings)
            except FathomError as error:
                self._refusal = str(error)
                return
            try:
                server = server_of(database, settings)
                await server.run(asked, answers, server.create_initialization_options())
            finally:
                await asyncio.to_thread(database.close)
