"""The pages about the report's JSON and about the events."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, get_args

from tables import sentences, table

from fathom.events import Event, StoredEvent
from fathom.render.json import schema
from fathom.render.schema import type_of
from fathom.report import SCHEMA_VERSION


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
        (
            f"`{name}`",
            type_of(field, whole.get("$defs", {})),
            sentences(field.get("description")).replace("`None`", "`null`"),
        )
        for name, field in definition["properties"].items()
    ]
    return [table(("field", "type", "what it holds"), rows)]


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
