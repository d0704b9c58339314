"""How research over structured data stands: what reads files, what draws pictures, and which servers answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from importlib.metadata import PackageNotFoundError, version

from fathom import wiring
from fathom.cli.checks import DoctorCheck
from fathom.cli.terminal import counted
from fathom.data.servers import DataSource
from fathom.errors import FathomError
from fathom.text.harmless import inert

_HOW = "docs/how-to/mcp.md"


async def data_checks(settings: wiring.Settings) -> list[DoctorCheck]:
    """What reads files of data, what draws pictures, and whether each MCP server of the settings answers."""
    sources = [DataSource(name=name, server=server) for name, server in sorted(settings.mcp.items())]
    return [*_packages(), *await asyncio.gather(*(_server(source, settings) for source in sources))]


def _packages() -> Iterator[DoctorCheck]:
    told = ", ".join(f"{name} {found}" for name in ("duckdb", "mcp") if (found := _version(name)))
    yield DoctorCheck(name="data", status="ok", found=f"{told}: `--data PATH` and `--mcp SERVER` work")
    drawn = _version("vl-convert-python")
    if drawn:
        yield DoctorCheck(
            name="charts", status="ok", found=f"vl-convert {drawn}: a report in a file shows counts as charts"
        )
    else:
        cure = "To have charts drawn: pip install 'fathom-research[charts]'"
        yield DoctorCheck(name="charts", status="ok", found="not installed: counts are shown as tables only", cure=cure)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


async def _server(source: DataSource, settings: wiring.Settings) -> DoctorCheck:
    """The tools of a server that a run may call."""
    name = f"mcp {source.name}"
    try:
        async with AsyncExitStack() as stack:
            (dataset,) = await wiring.opened_datasets(stack, [source], settings)
            described = await dataset.describe("", declared=True)
    except FathomError as error:
        cure = f"Correct [mcp.{source.name}] in the settings, or start the server: {_HOW}."
        return DoctorCheck(name=name, status="error", found=str(error), cure=cure)
    told = counted(len(described.tools), "tool")
    if described.tools:
        told += f" ({', '.join(inert(tool.name, width=40) for tool in described.tools)})"
    if described.refused:
        told += f", {len(described.refused)} refused ({', '.join(inert(name, width=40) for name in described.refused)})"
    if described.total is not None:
        told += f", {counted(described.total, 'record')}"
    if not described.tools:
        cure = f'Name the tools that may be called: tools = ["…"] under [mcp.{source.name}]. {_HOW}'
        return DoctorCheck(name=name, status="warning", found=told, cure=cure)
    return DoctorCheck(name=name, status="ok", found=told)
