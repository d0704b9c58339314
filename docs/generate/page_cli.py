"""The page about the command line."""

from __future__ import annotations

from collections.abc import Iterator

import click
from tables import sentences, table

from fathom.cli import commands
from fathom.limits import Limits


def cli() -> str:
    """Every command with its arguments and options."""
    context = click.Context(commands, info_name="fathom")
    parts = ["# Command line\n", f"{sentences(commands.help)}\n"]
    parts.append(
        "A command answers on standard output and talks on standard error. It exits with 0 when it is done, 1 when a "
        "run failed, 2 when the usage or the configuration is wrong, and 130 when it was interrupted, also with a "
        "partial report. What a listing prints with `--format json` is an array of objects.\n"
    )
    walked = list(walk(commands, context))
    parts.append(
        table(
            ("command", "what it does"),
            ((link(inner), command.get_short_help_str(limit=200)) for command, inner in walked),
        )
    )
    for command, inner in walked:
        parts += [f"## {inner.command_path}\n", f"{sentences(command.help)}\n"]
        parts.append(f"```console\n{usage(command, inner)}\n```\n")
        parts.append(options(command))
    return "\n".join(part for part in parts if part)


def walk(group: click.Group, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Every command below `group` that does something itself, in the order of the help."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from walk(command, inner)
        else:
            yield command, inner


def usage(command: click.Command, context: click.Context) -> str:
    """The command and what may stand behind it."""
    return " ".join([context.command_path, *command.collect_usage_pieces(context)])


def link(context: click.Context) -> str:
    """A link to the section of a command on the same page."""
    return f"[`{context.command_path}`](#{context.command_path.replace(' ', '-')})"


def options(command: click.Command) -> str:
    """The table of a command's options; those for limits have a page of their own."""
    rows, limits = [], False
    for option in command.params:
        if option.name in Limits.model_fields:
            limits = True
        elif isinstance(option, click.Option) and not option.hidden:
            names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
            kind = "" if option.is_flag else f" {option.make_metavar(click.Context(command))}"
            rows.append((names + kind, sentences(option.help)))
    text = table(("option", "what it does"), rows) if rows else ""
    return text + ("\nAnd one option for each [limit](settings.md#limits).\n" if limits else "")
