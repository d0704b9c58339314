"""Rows of a file as they lie in DuckDB before anybody has looked at their values."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.errors import Unreadable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_COLUMNS = 1_000
"""Columns of a table: what has more is no table of records, or was made to exhaust whoever reads it."""

MOST_TABLES = 1_000
"""Tables of a database that are read."""


@dataclass(frozen=True)
class Relation:
    """Rows that can be selected from."""

    name: str
    """Of the table within its file; empty when the file is one table."""
    sql: str
    """What can be selected from."""
    columns: tuple[str, ...]
    """Names of its columns, in order."""
    untyped: bool = False
    """Whether all of it is text because the format knows nothing else."""
    left_out: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    scratch: str = ""
    """The temporary table that holds the rows, to be removed when they are not needed any more."""
    lasts: bool = True
    """Whether it can still be selected from when the next is asked for."""


def relation_of(con: DuckDBPyConnection, sql: str, *, lasts: bool = True) -> Relation:
    """All of what can be selected from `sql`."""
    names = [str(column[0]) for column in con.execute(f"SELECT * FROM {sql} LIMIT 0").description or ()]
    return Relation("", sql, tuple(names), lasts=lasts)


def check_width(columns: int) -> None:
    """Raise `Unreadable` when a table has more columns than are read."""
    if columns > MOST_COLUMNS:
        raise Unreadable(f"it has {columns:,} columns, and at most {MOST_COLUMNS:,} are read")


def check_tables(tables: int) -> None:
    """Raise `Unreadable` when a database has none, or more than are read."""
    if not tables:
        raise Unreadable("it holds no table")
    if tables > MOST_TABLES:
        raise Unreadable(f"it holds {tables:,} tables, and at most {MOST_TABLES:,} are read")


def linked(path: Path, scratch: Path) -> Path:
    """A name without quotes and wildcards for a file of any name."""
    link = scratch.with_suffix(".gz") if path.suffix.lower() == ".gz" else scratch
    link.symlink_to(path.resolve())
    return link
