"""The commands that show what has changed: update, which researches first, and compare."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from fathom import wiring
from fathom.cli.options import limit_options, model_options, run_argument, settings_in_force
from fathom.cli.output import STDOUT, Destinations, output_options, print_text, write_text
from fathom.cli.research import deliver, whole_id
from fathom.cli.terminal import say
from fathom.comparison.records import Comparison
from fathom.report import Report
from fathom.version import __version__


@click.command()
@run_argument
@output_options
@model_options
@limit_options
def update(
    run_id: str,
    destinations: Destinations,
    quiet: bool,
    models: dict[str, Any],
    limits: dict[str, Any],
) -> int:
    """Research the question of RUN over what its sources hold today, and show what has changed since.

    It is a new run with the same settings. Its report goes where that of `research` goes; what has changed follows on
    standard output, unless the JSON of the report does. What a model has answered before is not paid for again.
    """
    settings_in_force({}, {"no_web": models.get("no_web")})
    run_id = asyncio.run(whole_id(run_id))
    if not quiet:
        say(f"Fathom {__version__} researches {run_id} over what its sources hold today")
    from fathom.cli.follow import followed
    from fathom.cli.ingesting import IngestBar

    with IngestBar(quiet=quiet) as bar:
        stream = wiring.branch_off(run_id, update=True, limits=limits, models=models, on_ingest=bar.progress)
        told = partial(_told, earlier=run_id, destinations=destinations, quiet=quiet)
        return followed(stream, told, quiet=quiet, bar=bar)


@click.command()
@run_argument
@click.argument("other", metavar="[RUN]", required=False)
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write it as Markdown to this file and not to standard output.",
)
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Also write it as JSON; `-` writes it to standard output in place of the Markdown.",
)
@click.option(
    "--html", "html_file", metavar="FILE", type=click.Path(path_type=Path), help="Also write it as one HTML file."
)
def compare(run_id: str, other: str | None, out: Path | None, json_file: Path | None, html_file: Path | None) -> None:
    """Show what the report of the second RUN has that the first one has not, and the other way round.

    Sentences are new, gone, changed or cited otherwise; sources are new, gone or changed. One RUN alone is compared
    with the one that it updates or was forked from.
    """
    Destinations(out=out, json_file=json_file, html_file=html_file).check()
    comparison = asyncio.run(wiring.compare(run_id, other)).portable()
    if html_file is not None:
        from fathom.render.html.compared import render  # jinja2 is only needed now

        write_text(html_file, render(comparison))
    if json_file == STDOUT:
        print_text(comparison.model_dump_json(indent=2) + "\n")
    elif json_file is not None:
        write_text(json_file, comparison.model_dump_json(indent=2) + "\n")
    if out is not None and out != STDOUT:
        from fathom.render.comparison import markdown

        write_text(out, markdown.render(comparison))
    elif json_file != STDOUT:
        _show(comparison)


def _told(report: Report, *, earlier: str, destinations: Destinations, quiet: bool) -> int:
    """Deliver the report, then what has changed."""
    code = deliver(report, destinations=destinations, quiet=quiet)
    if destinations.json_file == STDOUT:
        if not quiet:
            say(f"What has changed: fathom compare {earlier} {report.run_id}")
    else:
        if destinations.out in (None, STDOUT):
            print_text("\n")
        _show(asyncio.run(wiring.compare(earlier, report.run_id)).portable())
    return code


def _show(comparison: Comparison) -> None:
    """What has changed, on standard output."""
    from fathom.render.comparison import markdown, terminal

    print_text((terminal if sys.stdout.isatty() else markdown).render(comparison))
