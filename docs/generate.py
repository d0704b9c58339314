"""Writes the reference pages from the code: `python docs/generate.py`. A test keeps them up to date."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import click
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from fathom.cli import commands
from fathom.events import Event, StoredEvent
from fathom.limits import Effort, Limits
from fathom.render.json import schema
from fathom.report import SCHEMA_VERSION
from fathom.settings import Settings

DOCS = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py; change the code that it describes. -->\n\n"


def pages() -> dict[str, str]:
    """The text of every generated file, by its path below `docs/`."""
    return {
        "reference/cli.md": NOTE + cli(),
        "reference/settings.md": NOTE + settings(),
        "reference/report-json.md": NOTE + report_json(),
        "reference/report.schema.json": json.dumps(schema(), ensure_ascii=False, indent=2) + "\n",
        "reference/events.md": NOTE + events(),
    }


# ── The command line ───────────────────────────────────────────────────────────────────────────────────────────────


def cli() -> str:
    """Every command with its arguments and options."""
    context = click.Context(commands, info_name="fathom")
    parts = ["# Command line\n", f"{sentences(commands.help)}\n"]
    parts.append(
        "A command answers on standard output and talks on standard error. It exits with 0 when it is done, 1 when a "
        "run failed, 2 when the usage or the configuration is wrong, and 130 when it was interrupted. What a listing "
        "prints with `--format json` is an array of objects.\n"
    )
    walked = list(walk(commands, context))
    parts.append(
        table(("command", "what it does"), ((link(inner), sentences(command.help)) for command, inner in walked))
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


# ── Settings and limits ────────────────────────────────────────────────────────────────────────────────────────────


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
                (f"`{name}`", f"`FATHOM_{name.upper()}`", value(field), sentences(field.description))
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
                    sentences(field.description),
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
    return "–" if value is None or value == {} else f"`{value}`"


def bounds(field: FieldInfo) -> str:
    """The values that a field takes."""
    if choices := [repr(choice).strip("'") for choice in get_args(field.annotation) if isinstance(choice, str)]:
        return ", ".join(f"`{choice}`" for choice in choices)
    limits: dict[str, Any] = {}
    for rule in field.metadata:
        limits |= {name: getattr(rule, name) for name in ("ge", "gt", "le", "lt") if hasattr(rule, name)}
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    return ", ".join(f"{signs[name]} {limit}" for name, limit in limits.items())


# ── The report and the events ──────────────────────────────────────────────────────────────────────────────────────


def report_json() -> str:
    """Every object of the report's JSON, field by field."""
    whole = schema()
    parts = [
        "# The report as JSON\n",
        f"`--json PATH` writes the report as one object, version {SCHEMA_VERSION} of a public contract. Its JSON "
        "Schema is [report.schema.json](report.schema.json). A new field raises the minor version; a field that goes, "
        "or that changes its meaning, raises the major one. Every field is there in every report.\n",
        "Ids refer within the report: a claim (`C1`) cites sources (`S1`) and rests on evidence (`E1`). A quotation "
        "is, to the letter, the text of its source at `[start:end]`, in characters; a source's `sha256` is the digest "
        "of that text.\n",
        *fields_of(whole, whole),
        *objects_in(whole),
    ]
    return "\n".join(parts)


def events() -> str:
    """Every event, field by field."""
    stored = StoredEvent.model_json_schema()
    parts = [
        "# Events\n",
        "A run tells what it does in events. Each is numbered and stored before anyone sees it, so that a reader who "
        "comes late or again misses none. `fathom show RUN --format json` prints them; `fathom.stream` yields them.\n",
        "## What is stored\n",
        *fields_of(stored, stored),
    ]
    for event in get_args(get_args(Event)[0]):
        own = event.model_json_schema()
        own["properties"].pop("kind")
        kind = event.model_fields["kind"].default
        parts += [f"## {kind}\n", f"{sentences(event.__doc__)}\n"]
        parts += fields_of(own, own) if own["properties"] else []
    parts += objects_in(stored, skip={event.__name__ for event in get_args(get_args(Event)[0])})
    return "\n".join(parts)


def objects_in(whole: dict[str, Any], *, skip: Container[str] = ()) -> list[str]:
    """A section for each kind of object that a schema holds."""
    parts = []
    for name in reached(whole, whole["$defs"]):
        definition = whole["$defs"][name]
        if "properties" in definition and name not in skip:
            parts += [f"## {name}\n", f"{sentences(definition.get('description'))}\n", *fields_of(definition, whole)]
    return parts


def fields_of(definition: dict[str, Any], whole: dict[str, Any]) -> list[str]:
    """The table of an object's fields."""
    rows = [
        (f"`{name}`", type_of(field, whole), sentences(field.get("description")).replace("`None`", "`null`"))
        for name, field in definition["properties"].items()
    ]
    return [table(("field", "type", "what it holds"), rows)]


def type_of(field: dict[str, Any], whole: dict[str, Any]) -> str:
    """A field's type in the words of JSON."""
    match field:
        case {"$ref": str(ref)}:
            name = ref.rsplit("/", 1)[1]
            target = whole.get("$defs", {}).get(name, {})
            return type_of(target, whole) if "enum" in target or "oneOf" in target else name
        case {"anyOf": list(choices)} | {"oneOf": list(choices)}:
            kinds = [type_of(choice, whole) for choice in choices]
            return " or ".join(kinds) if len(kinds) < 4 else "one of those below"
        case {"enum": list(choices)}:
            return ", ".join(f"`{choice}`" for choice in choices)
        case {"const": choice}:
            return f"`{choice}`"
        case {"type": "array", "prefixItems": list(items)}:
            return f"{len(items)} × {type_of(items[0], whole)}"
        case {"type": "array", "items": dict(item)}:
            return f"array of {type_of(item, whole)}"
        case {"type": "object", "additionalProperties": dict(item)}:
            return f"object of {type_of(item, whole)}"
        case {"type": str(name)}:
            return name
        case _:
            return "any"


def reached(node: Any, definitions: dict[str, Any]) -> list[str]:
    """Names of the definitions that `node` refers to, and those they refer to, in the order of reading."""
    found: list[str] = []

    def follow(part: Any) -> None:
        if isinstance(part, dict):
            if isinstance(ref := part.get("$ref"), str) and (name := ref.rsplit("/", 1)[1]) not in found:
                found.append(name)
                follow(definitions[name])
            for key, value in part.items():
                if key != "$defs":
                    follow(value)
        elif isinstance(part, list):
            for value in part:
                follow(value)

    follow(node)
    return found


# ── Markdown ───────────────────────────────────────────────────────────────────────────────────────────────────────


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table, ending in a line break."""
    heading = list(head)
    lines = [heading, ["---"] * len(heading), *(list(row) for row in rows)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def sentences(text: str | None) -> str:
    """A docstring as one paragraph."""
    return " ".join((text or "").split())


def main(report: Callable[[str], None] = print) -> None:
    """Write every page that has changed."""
    for name, content in pages().items():
        path = DOCS / name
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
            report(f"docs/{name}")


if __name__ == "__main__":
    main()
