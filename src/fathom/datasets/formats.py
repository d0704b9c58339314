"""The formats of files: what each is told by, and who reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fathom.datasets.databases import duckdb_tables, sqlite_tables
from fathom.datasets.delimited import delimited_rows
from fathom.datasets.json_files import json_rows
from fathom.datasets.relation import Relation, linked, relation_of
from fathom.datasets.text_files import as_utf8
from fathom.errors import Unreadable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Format = Literal["csv", "tsv", "parquet", "json lines", "json", "sqlite", "duckdb"]

FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".duckdb": "duckdb",
}
"""What a file is by the ending of its name; those of text may also end in `.gz`."""
TEXTS = {"csv", "tsv", "json lines", "json"}
_MAGIC: dict[str, tuple[int, bytes]] = {
    "parquet": (0, b"PAR1"),
    "sqlite": (0, b"SQLite format 3\x00"),
    "duckdb": (8, b"DUCK"),
}
_FIRST = 64
"""Bytes from the beginning of a file by which it is judged."""


def format_of(path: Path) -> Format | None:
    """What the file is by its name; `None` when that says nothing."""
    ending = path.suffix.lower()
    if ending == ".gz":
        found = FORMATS.get(Path(path.stem).suffix.lower())
        return found if found in TEXTS else None
    return FORMATS.get(ending)


def check(path: Path, format: Format) -> None:
    """Look whether the file is what its name says.

    Raises:
        Unreadable: it is not; the reason.
    """
    with path.open("rb") as file:
        first = file.read(_FIRST)
    if not first:
        raise Unreadable("it is empty")
    if path.suffix.lower() == ".gz" and not first.startswith(b"\x1f\x8b"):
        raise Unreadable("its name ends in .gz, and it is not compressed")
    if format == "parquet" and first.startswith(b"PARE"):
        raise Unreadable("it is encrypted")
    if format in _MAGIC:
        at, magic = _MAGIC[format]
        if first[at : at + len(magic)] != magic:
            raise Unreadable(f"it is no {format.capitalize()} file, or it is encrypted")
    elif first.startswith((b"PK\x03\x04", b"PAR1", b"SQLite format 3\x00")):
        raise Unreadable(f"its name says {format.upper()}, and it is another kind of file")


def relations(con: DuckDBPyConnection, path: Path, format: Format, scratch: Path) -> Iterator[Relation]:
    """The tables of a file.

    Args:
        scratch: A path in a temporary folder; its name is free for files and for tables, and harmless in a statement.

    Raises:
        Unreadable: it holds no table; the reason.
        duckdb.Error: it cannot be read.
    """
    match format:
        case "csv" | "tsv":
            yield delimited_rows(con, as_utf8(path, scratch), scratch.name, delimiter="\t" if format == "tsv" else None)
        case "json" | "json lines":
            yield json_rows(con, as_utf8(path, scratch), scratch.name, lines=format == "json lines")
        case "parquet":
            yield relation_of(con, f"read_parquet('{linked(path, scratch)}')")
        case "sqlite":
            yield from sqlite_tables(con, path, scratch.name)
        case "duckdb":
            yield from duckdb_tables(con, path, scratch)
