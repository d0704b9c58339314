"""The options that name structured data: files, MCP servers, and what of these may be called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fathom import wiring
from fathom.data.servers import Server
from fathom.errors import UsageError

if TYPE_CHECKING:
    from fathom.sessions.datasets import ServedDataset

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class DataOptions:
    """What was given on the command line."""

    paths: tuple[Path, ...] = ()
    mcp: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    mapping: Path | None = None

    def files(self, settings: wiring.Settings) -> list[Path]:
        """The files and folders; what is none here may be the name of data uploaded to the knowledge base."""
        from fathom.sessions.uploads import UploadFolder

        uploads = UploadFolder(settings.home / "uploads", kb=wiring.load_settings().kb, most_bytes=0, most_room=0)
        known = {name: path for name, (path, kb) in uploads.data_files().items() if kb == settings.kb}
        return [known[path.name] if str(path) in known and not path.exists() else path for path in self.paths]

    def servers(self, settings: wiring.Settings) -> tuple[str | Server, ...]:
        """The servers, with the tools and headers that were given beside them.

        Raises:
            UsageError: a header that is none, or nobody knows which server a header or a tool is meant for.
        """
        if not (self.tools or self.headers):
            return self.mcp
        flag = "--mcp-tool" if self.tools else "--mcp-header"
        if len(self.mcp) != 1:
            raise UsageError(
                f"{flag} needs exactly one --mcp to belong to. Servers with settings of their own are named in "
                "fathom.toml: [mcp.NAME]."
            )
        if self.mcp[0] in settings.mcp:
            raise UsageError(
                f"What '{self.mcp[0]}' may be asked stands in the settings: change it there, not by {flag}."
            )
        return (wiring.server_of(self.mcp[0], tools=self.tools, headers=dict(map(_header, self.headers))),)

    def offered(self, settings: wiring.Settings) -> list[ServedDataset]:
        """What the sessions of a service may ask by name.

        Raises:
            UsageError: a file is not there, or what stands for a server is none.
        """
        from fathom.sessions.datasets import ServedDataset

        return [
            ServedDataset(name=source.name, path=source.paths[0] if source.paths else "", server=source.server)
            for source in wiring.data_sources(self.paths, self.servers(settings), settings)
        ]


def _header(given: str) -> tuple[str, str]:
    name, colon, value = given.partition(":")
    if not colon or not name.strip() or not value.strip():
        raise UsageError("--mcp-header is written 'NAME: VALUE', like 'Authorization: Bearer $TOKEN'.")
    return name.strip(), value.strip()


def data_options(function: F) -> F:
    """`--data`, `--mcp`, `--mcp-tool`, `--mcp-header` and `--mapping`, together as `data`."""

    @functools.wraps(function)
    def with_data(
        data_paths: tuple[str, ...],
        mcp: tuple[str, ...],
        mcp_tools: tuple[str, ...],
        mcp_headers: tuple[str, ...],
        mapping: Path | None,
        **parameters: Any,
    ) -> Any:
        if not all(path.strip() for path in data_paths):
            raise UsageError("--data is empty: name a file or a folder.")
        paths = tuple(map(Path, data_paths))
        return function(**parameters, data=DataOptions(paths, mcp, mcp_tools, mcp_headers, mapping))

    command: Callable[..., Any] = with_data
    for option in (
        click.option(
            "--mapping",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="TOML file that corrects which field of a dataset plays which part.",
        ),
        click.option(
            "--mcp-header",
            "mcp_headers",
            metavar="'NAME: VALUE'",
            multiple=True,
            help="Header for the server of --mcp; $NAME in it stands for a variable. May be given several times.",
        ),
        click.option(
            "--mcp-tool",
            "mcp_tools",
            metavar="NAME",
            multiple=True,
            help="Tool of the server of --mcp that may be called, `*` for anything. [all that only read]",
        ),
        click.option(
            "--mcp",
            "--source",
            "mcp",
            metavar="URL|COMMAND|NAME",
            multiple=True,
            help="MCP server to ask: its address, the command that starts it, or its name in the settings; or a source "
            "of your own: its name, or `module:attribute`.",
        ),
        click.option(
            "--data",
            "data_paths",
            metavar="PATH",
            multiple=True,
            help="Structured data to ask: CSV, Parquet, JSON lines, SQLite, DuckDB, or a folder of them.",
        ),
    ):
        command = option(command)
    return command  # type: ignore[return-value]
