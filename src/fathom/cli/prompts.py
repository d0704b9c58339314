"""The commands that show what language models are told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from fathom import wiring
from fathom.cli.options import Format, format_option
from fathom.cli.sections import Told
from fathom.cli.terminal import print_json, print_rows
from fathom.errors import NotFound
from fathom.prompts import Prompts
from fathom.registry import did_you_mean

_FOLDER = click.option(
    "--prompts",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of prompts of your own: a file named like one of Fathom's replaces it.",
)


@click.group(cls=Told)
def prompts() -> None:
    """Show the prompts that language models are given."""


@prompts.command(name="list")
@_FOLDER
@format_option
def list_(folder: Path | None, format: Format) -> None:
    """List the prompts in force: name, ask, and whether it is Fathom's own or replaced."""
    inforce = _inforce(folder)
    rows: list[dict[str, Any]] = [
        {"name": name, "ask": _ask(name), "own": inforce.is_own(name)} for name in inforce.names
    ]
    if format == "json":
        print_json(rows)
    elif rows:
        told = ((row["name"], row["ask"], "own" if row["own"] else "replaced") for row in rows)
        print_rows(told, headings=("NAME", "ASK", "PROMPT"))


def _names(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in Prompts().names if name.startswith(incomplete)]


@prompts.command()
@click.argument("ask", shell_complete=_names)
@_FOLDER
def show(ask: str, folder: Path | None) -> None:
    """Print the prompt of ASK as it is in force, its variables not filled in.

    ASK is a name of the list, such as `plan_research`, or that of the ask, such as `PlanResearch`.
    """
    inforce = _inforce(folder)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", ask).lower()
    if name not in inforce.names:
        raise NotFound(
            f"There is no prompt '{ask}'.{did_you_mean(name, list(inforce.names))} `fathom prompts list` shows all."
        )
    click.echo(inforce.source(name), nl=not inforce.source(name).endswith("\n"))


def _inforce(folder: Path | None) -> Prompts:
    return Prompts(wiring.load_settings(prompts=folder).prompts)


def _ask(name: str) -> str:
    """`plan_research` → `PlanResearch`."""
    return "".join(word.capitalize() for word in name.split("_"))
