"""The command that starts the service: the page, the API, and the worker behind them."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import click

from fathom import wiring
from fathom.cli.data_options import DataOptions, data_options
from fathom.cli.options import kb_option, model_options, search_option, service_options
from fathom.cli.sections import Sectioned
from fathom.cli.terminal import say
from fathom.version import __version__
from fathom.wiring.seal import sealed


@click.command(cls=Sectioned)
@service_options
@data_options
@kb_option
@search_option
@model_options
def serve(
    service: dict[str, Any], data: DataOptions, kb: str | None, search: str | None, models: dict[str, Any]
) -> None:
    """Serve the page, the API and its description, and carry out what is asked there.

    The page is at /, the API at /api, its description at /docs. Ctrl-C ends the service; sessions that are under way
    go on when it is started again.
    """
    settings = wiring.load_settings(kb=kb, search=search, data_mapping=data.mapping, **service, **models)
    from fathom.api.listening import place_of

    place = place_of(settings.serve_host)
    datasets = data.offered(settings)
    if settings.no_web:
        sealed()
    from fathom.api import logs, serving  # what is heavy comes after what may be wrong

    logs.set_up(settings)

    def ready(url: str) -> None:
        line = f"Fathom {__version__} serves {url} (Ctrl-C ends it; sessions continue when it is started again)"
        if settings.serve_log == "json":
            logging.getLogger("fathom").info(line)
        else:
            say(line)

    asyncio.run(serving.serve(settings, place, datasets=datasets, ready=ready))
