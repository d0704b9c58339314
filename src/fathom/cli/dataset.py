"""The commands around structured data: what files hold, and Fathom's own MCP server over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fathom.cli.options import Format
from fathom.cli.output import write_atomically
from fathom.cli.sections import Told
from fathom.cli.terminal import counted, print_json, print_rows, say
from fathom.errors import UsageError
from fathom.settings import load_settings
from fathom.text.harmless import inert
from fathom.text.numbers import plain_number

if TYPE_CHECKING:
    from fathom.data.fields import DataField, FieldMapping
    from fathom.datasets.profile import Profile

_WIDTH = 60
"""Characters of a value that a table shows."""
_VALUES = 5
"""Values of a field that a table shows."""


@click.group(cls=Told)
def dataset() -> None:
    """Look into files of structured data, and serve them to any MCP client."""


_PATHS = click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
_MAPPING = click.option(
    "--mapping",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="TOML file that corrects which field plays which part.",
)


@dataset.command()
@_PATHS
@_MAPPING
@click.option(
    "--write-mapping",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the mapping in use to this file, to be corrected there.",
)
@click.option("--format", type=click.Choice(("text", "json")), default="text", help="How it is written. [text]")
def describe(paths: tuple[Path, ...], mapping: Path | None, write_mapping: Path | None, format: Format) -> None:
    """Say what files hold: fields, types, ranges, counts, samples, and which field plays which part.

    Reads CSV, TSV, Parquet, JSON, JSON lines, SQLite, DuckDB, and folders of them.
    """
    settings = load_settings()
    mappings = _mappings(mapping or settings.data_mapping)
    from fathom.datasets.database import open_database
    from fathom.datasets.workspace import memory_within

    with memory_within(settings.data_memory_mb):
        database = open_database(paths, settings, mappings)
    try:
        profiles = [database.profile(name) for name in database.tables]
        revision = database.revision
    finally:
        database.close()
    _check_names(mappings, [profile.table.name for profile in profiles])
    if write_mapping:
        _write_mapping(write_mapping, profiles)
    if format == "json":
        print_json([_entry(profile, revision) for profile in profiles])
        return
    for place, profile in enumerate(profiles):
        if place:
            click.echo()
        _print(profile)


@dataset.command()
@_PATHS
@_MAPPING
@click.option("--http", is_flag=True, help="Serve over HTTP on this machine and not over standard input and output.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65_535), help="Port for --http; 0 takes one that is free. [0]"
)
def serve(paths: tuple[Path, ...], mapping: Path | None, http: bool, port: int | None) -> None:
    """Serve files as an MCP server with the tools `describe` and `analyze`, read-only.

    Any MCP client can use it. It speaks over standard input and output, or with --http to programs of this machine
    alone. The files are read once at the start and never written to.
    """
    if port is not None and not http:
        raise UsageError("--port is for --http.")
    settings = load_settings()
    mappings = _mappings(mapping or settings.data_mapping)
    from fathom.datasets.server import serve as serve_files

    serve_files(paths, settings, mappings, port=(port or 0) if http else None, say=say)


def _mappings(file: Path | None) -> dict[str, FieldMapping]:
    if file is None:
        return {}
    from fathom.data.mapping import read_mappings

    return read_mappings(file)


def _check_names(mappings: Mapping[str, FieldMapping], tables: Sequence[str]) -> None:
    """Say so when nothing of a mapping is used: most likely its name is misspelt."""
    if mappings and not set(mappings) & set(tables):
        say(f"The mapping names {', '.join(mappings)}, and the tables are {', '.join(tables)}: nothing of it is used.")


def _write_mapping(file: Path, profiles: Sequence[Profile]) -> None:
    from fathom.data.mapping import mapping_toml

    if file.exists() and file.stat().st_size:
        raise UsageError(f"{file} is there already and may be corrected by hand: name another file, or remove it.")
    text = "\n".join(mapping_toml(profile.table.name, _own(profile)) for profile in profiles)
    try:
        write_atomically(file, text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}.") from error
    say(f"The mapping is in {file}.")


def _own(profile: Profile) -> FieldMapping:
    """The mapping without the number of the row, which is no field of the file."""
    if profile.id in profile.table.columns:
        return profile.mapping
    return profile.mapping.model_copy(update={"id": None})


def _entry(profile: Profile, revision: str) -> dict[str, Any]:
    return {
        "table": profile.table.name,
        "total": profile.table.total,
        "id_field": profile.id.name,
        "fields": [field.model_dump(mode="json") for field in profile.fields],
        "mapping": profile.mapping.model_dump(mode="json"),
        "samples": [record.fields for record in profile.samples],
        "left_out": profile.table.left_out,
        "notes": list(profile.table.notes),
        "revision": revision,
    }


def _print(profile: Profile) -> None:
    table = profile.table
    fields = counted(len(table.columns), "field")
    click.echo(f"{inert(table.name)}: {counted(table.total, 'record')}, {fields}\n")
    print_rows(
        [("FIELD", "TYPE", "DIFFERENT", "MISSING", "VALUES"), *map(_row, profile.fields)],
        numbers=(2, 3),
    )
    click.echo("\nParts")
    print_rows([(f"  {part}", value) for part, value in _parts(profile.mapping)])
    for name, reason in table.left_out.items():
        click.echo(f"Left out: {inert(name)}, {inert(reason)}.")
    for note in table.notes:
        click.echo(inert(note))
    if profile.samples:
        click.echo("\nThe first record")
        first = profile.samples[0].fields
        print_rows([(f"  {name}", inert(_text(value), width=_WIDTH)) for name, value in first.items()])


def _row(field: DataField) -> tuple[str, ...]:
    if field.minimum is not None:
        told = f"{_text(field.minimum)} … {_text(field.maximum)}"
    else:
        shown = [inert(value, width=_WIDTH // 2) for value in field.values[:_VALUES]]
        told = ", ".join([*shown, "…"] if len(field.values) > _VALUES else shown)
    return (inert(field.name, width=_WIDTH), field.type, f"{field.distinct}", f"{field.missing}", told)


def _parts(mapping: FieldMapping) -> Iterator[tuple[str, str]]:
    for part, value in mapping:
        yield part, ", ".join(value) if isinstance(value, tuple) else value or "-"


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return plain_number(value)
    return inert(str(value), width=_WIDTH)
