"""The page about settings and limits."""

from __future__ import annotations

from typing import Any, get_args

import click
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from tables import sentences, table

from fathom.cli import commands
from fathom.frozen import descriptions
from fathom.limits import Effort, Limits
from fathom.settings import Settings


def settings() -> str:
    """Every setting and every limit, with where it can be set."""
    efforts: tuple[Effort, ...] = get_args(Effort)
    by_effort = {effort: Limits.for_effort(effort) for effort in efforts}
    flags = flags_of("research")
    parts = [
        "# Settings and limits\n",
        "A flag counts more than an environment variable, that more than `fathom.toml` in the current folder, and "
        "that more than the default.\n",
        "## Settings\n",
        table(
            ("in `fathom.toml`", "environment", "default", "what it sets"),
            (
                (f"`{name}`", f"`FATHOM_{name.upper()}`", value(field), sentences(descriptions(Settings)[name]))
                for name, field in Settings.model_fields.items()
            ),
        ),
        "## Limits\n",
        "What a run may take. In `fathom.toml` they stand under `[limits]`. The last columns show the value for each "
        "`--effort` when nothing else is said; `–` is no limit.\n",
        table(
            ("in `[limits]`", "flag", "environment", "bounds", "what it limits", *efforts),
            (
                (
                    f"`{name}`",
                    f"`{flag}`" if (flag := "--" + name.replace("_", "-")) in flags else "",
                    f"`FATHOM_LIMITS__{name.upper()}`",
                    bounds(field),
                    sentences(descriptions(Limits)[name]),
                    *(shown(getattr(by_effort[effort], name)) for effort in efforts),
                )
                for name, field in Limits.model_fields.items()
            ),
        ),
    ]
    return "\n".join(parts)


def flags_of(name: str) -> set[str]:
    """Every flag of a command."""
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    return {flag for option in command.params for flag in option.opts}


def value(field: FieldInfo) -> str:
    """The default of a field, when it is the same on every machine."""
    return "" if field.default is PydanticUndefined else shown(field.default)


def shown(value: object) -> str:
    """A value as a table shows it."""
    return "–" if value in (None, {}, (), "") else f"`{value}`"


def bounds(field: FieldInfo) -> str:
    """The values that a field takes."""
    if choices := [repr(choice).strip("'") for choice in get_args(field.annotation) if isinstance(choice, str)]:
        return ", ".join(f"`{choice}`" for choice in choices)
    limits: dict[str, Any] = {}
    for rule in field.metadata:
        limits |= {name: getattr(rule, name) for name in ("ge", "gt", "le", "lt") if hasattr(rule, name)}
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    return ", ".join(f"{signs[name]} {limit}" for name, limit in limits.items())
