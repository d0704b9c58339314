"""The command that shows two reports side by side."""

from __future__ import annotations

import click

from fathom import wiring
from fathom.cli.options import run_argument
from fathom.cli.output import STDOUT, Destinations, compared_text, file_options, print_text, write_file
from fathom.cli.terminal import awaited


@click.command()
@run_argument
@click.argument("other", metavar="[RUN]", required=False)
@file_options
def compare(run_id: str, other: str | None, destinations: Destinations) -> None:
    """Show what the report of the second RUN has that the first one has not, and the other way round.

    Sentences are new, gone, changed or cited otherwise; sources are new, gone or changed. One RUN alone is compared
    with the one that it updates or was forked from.
    """
    out, json_file, html_file = destinations.out, destinations.json_file, destinations.html_file
    comparison = awaited(wiring.compare(run_id, other))
    data = comparison.model_dump_json(indent=2) + "\n"
    if html_file is not None:
        from fathom.render.html.compared import render  # jinja2 is only needed now

        write_file(html_file, render(comparison))
    if json_file is not None and json_file != STDOUT:
        write_file(json_file, data)
    if out is not None and out != STDOUT:
        from fathom.render.comparison import markdown

        write_file(out, markdown.render(comparison))
    elif json_file != STDOUT:
        print_text(compared_text(comparison))
    if json_file == STDOUT:
        print_text(data)
