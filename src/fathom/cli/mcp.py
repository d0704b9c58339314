"""The command that makes Fathom an MCP server, for agents and editors to have it research."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from fathom import wiring
from fathom.cli.data_options import DataOptions, data_options
from fathom.cli.options import kb_option, model_options, search_option, service_options
from fathom.cli.sections import Sectioned
from fathom.cli.terminal import say
from fathom.errors import UsageError
from fathom.version import __version__
from fathom.wiring.seal import sealed

_ANYWHERE = {"serve_sessions", "serve_log"}
"""Settings of the service that mean something without HTTP."""


@click.command(cls=Sectioned)
@click.option("--http", is_flag=True, help="Serve over HTTP and not over standard input and output.")
@service_options
@data_options
@kb_option
@click.option("--web", is_flag=True, default=None, help="Search and read the web unless a question says otherwise.")
@search_option
@model_options
def mcp(
    http: bool,
    service: dict[str, Any],
    data: DataOptions,
    kb: str | None,
    web: bool | None,
    search: str | None,
    models: dict[str, Any],
) -> None:
    """Serve research as an MCP server: any agent or editor can have Fathom research, and cite what it finds.

    It speaks over standard input and output, or with --http over HTTP, which takes the options of the service. Sessions
    are runs like any other: `fathom runs` and the page of `fathom serve` show them. What is under way when the client
    leaves goes on when Fathom is started again.
    """
    if not http and service.keys() - _ANYWHERE:
        raise UsageError("Where it listens, and who is let in, is for --http: leave it out, or give --http.")
    settings = wiring.load_settings(kb=kb, web=web, search=search, data_mapping=data.mapping, **service, **models)
    datasets = data.offered(settings)
    if settings.no_web:
        sealed()

    def ready(where: str) -> None:
        say(f"Fathom {__version__} serves MCP {where}; sessions continue when it is started again")

    from fathom.api import logs  # what is heavy comes after what may be wrong
    from fathom.api.listening import place_of
    from fathom.mcp_server import serving

    logs.set_up(settings)
    if http:
        place = place_of(settings.serve_host)
        serve = serving.over_http(settings, place, datasets=datasets, ready=lambda url: ready(f"at {url}"))
    else:
        serve = serving.over_stdio(
            settings, datasets=datasets, ready=lambda: ready("over standard input and output until the input ends")
        )
    asyncio.run(serve)
