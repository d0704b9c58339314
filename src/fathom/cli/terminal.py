"""What a command says to the person at the terminal."""

from __future__ import annotations

import click

from fathom.text.harmless import inert


def say(message: str) -> None:
    """One line on standard error, with nothing in it that could steer the terminal."""
    click.echo(inert(message), err=True)


def complain(message: str, *, code: int) -> int:
    """One line on standard error that says what is wrong; returns the exit code."""
    say(f"fathom: {message}")
    return code
