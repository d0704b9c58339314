"""The command that scores reports."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from fathom.cli.options import Format, effort_option, format_option, model_options
from fathom.cli.terminal import print_json, say


@click.command(name="eval")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--corpora",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    default=Path("eval-corpora"),
    help="Where the corpora of the questions are. [eval-corpora]",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Ask only the first N questions.")
@effort_option
@model_options
@format_option
def evaluate_command(
    file: Path, corpora: Path, limit: int | None, effort: str | None, models: dict[str, Any], format: Format
) -> None:
    """Ask every question of FILE, and score the reports against its gold facts and pages."""
    from fathom.evals.result import rows, table
    from fathom.evals.run import evaluate
    from fathom.settings import load_settings

    settings = load_settings(effort=effort, **models)
    result = asyncio.run(evaluate(file, corpora=corpora, settings=settings, limit=limit, progress=say))
    if format == "json":
        print_json(rows(result))
    else:
        click.echo(table(result), nl=False)
