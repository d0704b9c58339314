"""Datasets over the servers of the tests."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from fathom.data.fields import DatasetDescription
from fathom.data.profile import arguments_for
from fathom.data.requests import DataRequest
from fathom.data.results import Record
from fathom.data.servers import DataSource, Server
from fathom.ports.data import Dataset
from fathom.settings import Settings
from fathom.tools import open_dataset
from tests.support.doubles.data_server import command, records

PLAIN = Path(__file__).with_name("plain.py")


@asynccontextmanager
async def dataset(server: Server, *, mapping: Any = None, **settings: Any) -> AsyncIterator[Dataset]:
    """A dataset that is closed when the block ends."""
    opened = open_dataset(DataSource(name="events", server=server, mapping=mapping or {}), Settings(**settings))
    try:
        yield opened
    finally:
        await opened.close()


class Faulty(Protocol):
    """Makes servers that have a fault."""

    def __call__(self, fault: str, *, size: int = ..., log: Path | None = ..., **server: Any) -> Server: ...


def faulty(fault: str, *, size: int = 10_000_000, log: Path | None = None, **server: Any) -> Server:
    """A server of the SDK with a fault, over standard input and output. `size`: bytes of what is too large."""
    options = ("--fault", fault, "--bytes", size, *(("--log", log) if log else ()))
    return Server(command=command("faulty", *options), **{"timeout": 20, **server})


def plain(fault: str, *, size: int = 10_000_000, log: Path | None = None, **server: Any) -> Server:
    """The same, of plain Python, which is there in no time."""
    words = (fault, size, records.__file__, *((log,) if log else ()))
    started = (sys.executable, "-I", "-S", PLAIN, *words)
    return Server(command=tuple(map(str, started)), **{"timeout": 20, **server})


def called(log: Path) -> list[str]:
    """The tools that were called, in order."""
    return [line.split()[0] for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


async def scanned(data: Dataset, description: DatasetDescription, *, tool: str, size: int = 50) -> list[Record]:
    """All records, page by page, as long as the tool says that there are more."""
    profile = next(each.profile for each in description.tools if each.name == tool)
    request = DataRequest(page_size=size)
    found: list[Record] = []
    for _ in range(20):
        page = await data.call(tool, arguments_for(profile, request))
        found += page.records
        if not page.has_more:
            return found
        request = request.model_copy(update={"search_after": page.search_after})
    raise AssertionError("it never ends")
