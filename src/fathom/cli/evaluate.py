"""The command that scores reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.cli.options import Format, effort_option, format_option, model_options
from fathom.cli.sections import Sectioned
from fathom.cli.terminal import awaited, print_json, say


@click.command(name="eval", cls=Sectioned)
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
    file: Path,
    corpora: Path,
    limit: int | None,
    effort: str | None,
    models: dict[str, Any],
    format: Format,
) -> None:
    """Ask every question of FILE, and score the reports against its gold facts and pages."""
    from fathom.evals.result import rows, table
    from fathom.evals.run import evaluate
    from fathom.settings import load_settings

    settings = load_settings(effort=effort, **models)
    result = awaited(evaluate(file, corpora=corpora, settings=settings, limit=limit, progress=say))
    return print_json(rows(result)) if format == "json" else click.echo(table(result), nl=False)
