"""Completion in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog="For good: fathom completion bash > ~/.local/share/bash-completion/completions/fathom. "
    'For this shell: eval "$(fathom completion bash)".'
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes commands, options and run ids in SHELL."""
    from fathom.cli import commands

    made = get_completion_class(shell)
    assert made is not None  # click has one for each of `SHELLS`
    click.echo(made(commands, {}, "fathom", "_FATHOM_COMPLETE").source())
