"""The command that makes Fathom an MCP server, for agents and editors to have it research."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from fathom import __version__, wiring
from fathom.cli.data_options import DataOptions, data_options
from fathom.cli.options import kb_option, model_options, search_option
from fathom.cli.terminal import say
from fathom.errors import ConfigurationError, UsageError
from fathom.wiring.seal import sealed

if TYPE_CHECKING:
    from fathom.sessions.service import Dataset


@click.command()
@click.option("--http", is_flag=True, help="Serve over HTTP and not over standard input and output.")
@click.option("--host", metavar="ADDRESS", help="Address for --http; any but this machine's own needs a token.")
@click.option("--port", metavar="N", type=click.IntRange(0, 65_535), help="Port for --http; 0 takes a free one.")
@data_options
@kb_option
@click.option("--sessions", metavar="N", type=click.IntRange(1, 1_000), help="Sessions that are under way at once.")
@click.option("--web", is_flag=True, default=None, help="Search and read the web unless a question says otherwise.")
@search_option
@model_options
def mcp(
    http: bool,
    host: str | None,
    port: int | None,
    data: DataOptions,
    kb: str | None,
    sessions: int | None,
    web: bool | None,
    search: str | None,
    models: dict[str, Any],
) -> None:
    """Serve research as an MCP server: any agent or editor can have Fathom research, and cite what it finds.

    It speaks over standard input and output, or with --http over HTTP. Sessions are runs like any other: `fathom runs`
    and the page of `fathom serve` show them. What is under way when the client leaves goes on when Fathom is started
    again.
    """
    if not http and (host is not None or port is not None):
        raise UsageError("--host and --port are for --http.")
    settings = wiring.load_settings(
        serve_host=host,
        serve_port=port,
        serve_sessions=sessions,
        kb=kb,
        web=web,
        search=search,
        data_mapping=data.mapping,
        **models,
    )
    datasets = data.offered(settings)
    if http:
        _over_http(settings, datasets)
        return
    if settings.no_web:
        sealed()
    say(f"Fathom {__version__} serves MCP over standard input and output: end the input to end it.")
    from fathom.mcp_server import serving  # what is heavy comes after what may be wrong

    asyncio.run(serving.over_stdio(settings, datasets=datasets))


def _over_http(settings: wiring.Settings, datasets: Sequence[Dataset]) -> None:
    from fathom.api.listening import listen, place_of

    place = place_of(settings.serve_host)
    if not place.is_loopback:
        raise ConfigurationError(f"{settings.serve_host} is not this machine's own address: leave --host out.")
    sockets = listen(place, settings.serve_port)
    if settings.no_web:
        sealed()
    from fathom.mcp_server import serving

    url = place.url(sockets[0].getsockname()[1]) + serving.PATH

    def ready() -> None:
        say(f"Fathom {__version__} serves MCP at {url} (Ctrl-C ends it; sessions go on when it is started again)")

    asyncio.run(serving.over_http(settings, sockets=sockets, datasets=datasets, ready=ready))
