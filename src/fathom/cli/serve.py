"""The command that starts the service: the page, the API, and the worker behind them."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import click

from fathom import __version__, wiring
from fathom.cli.data_options import DataOptions, data_options
from fathom.cli.options import kb_option, model_options, search_option
from fathom.cli.terminal import say
from fathom.wiring.seal import sealed


@click.command()
@click.option("--host", metavar="ADDRESS", help="Address to listen on; any but this machine's own needs a token.")
@click.option("--port", metavar="N", type=click.IntRange(0, 65_535), help="Port to listen on; 0 takes a free one.")
@data_options
@kb_option
@click.option("--sessions", metavar="N", type=click.IntRange(1, 1_000), help="Sessions that are under way at once.")
@click.option("--require-token", is_flag=True, default=None, help="Let nobody in without a token, here neither.")
@click.option("--allow-host", "names", metavar="NAME", multiple=True, help="Another name that the service goes by.")
@click.option("--origin", "origins", metavar="URL", multiple=True, help="Another page that may use the API.")
@click.option("--log", "log_format", type=click.Choice(["text", "json"]), help="How the log is written. [text]")
@search_option
@model_options
def serve(
    host: str | None,
    port: int | None,
    data: DataOptions,
    kb: str | None,
    sessions: int | None,
    require_token: bool | None,
    names: tuple[str, ...],
    origins: tuple[str, ...],
    log_format: str | None,
    search: str | None,
    models: dict[str, Any],
) -> None:
    """Serve the page, the API and its description, and carry out what is asked there.

    The page is at /, the API at /api, its description at /docs. Ctrl-C ends the service; sessions that are under way
    go on when it is started again.
    """
    settings = wiring.load_settings(
        serve_host=host,
        serve_port=port,
        serve_sessions=sessions,
        serve_require_token=require_token,
        serve_names=names or None,
        serve_origins=origins or None,
        serve_log=log_format,
        kb=kb,
        search=search,
        data_mapping=data.mapping,
        **models,
    )
    from fathom.api.listening import place_of

    place = place_of(settings.serve_host)
    datasets = data.offered(settings)
    if settings.no_web:
        sealed()
    from fathom.api import logs, serving  # what is heavy comes after what may be wrong

    logs.set_up(settings)

    def ready(url: str) -> None:
        line = f"Fathom {__version__} serves {url} (Ctrl-C ends it; sessions go on when it is started again)"
        if settings.serve_log == "json":
            logging.getLogger("fathom").info(line)
        else:
            say(line)

    asyncio.run(serving.serve(settings, place, datasets=datasets, ready=ready))
