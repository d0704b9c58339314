"""Databases as files: SQLite and DuckDB, both only read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from fathom.datasets.relation import Relation, check_tables, linked, relation_of
from fathom.errors import Unreadable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROWS = 200
"""Rows that are moved at once; each may hold megabytes."""


def sqlite_tables(con: DuckDBPyConnection, path: Path, rows_of: str) -> Iterator[Relation]:
    # what nobody is writing to is opened so that nothing is made beside it
    still = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro{still}", uri=True)) as source:
            source.text_factory = lambda data: data.decode("utf-8", "replace")
            listed = source.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
            names = [name for (name,) in listed if not name.startswith("sqlite_")]
            check_tables(len(names))
            for place, name in enumerate(names):
                yield _sqlite_table(con, source, name, f"{rows_of}_{place}")
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"it is no SQLite file, encrypted or damaged: {error}") from error


def _sqlite_table(con: DuckDBPyConnection, source: sqlite3.Connection, table: str, rows_of: str) -> Relation:
    quoted = '"' + table.replace('"', '""') + '"'
    names = [str(row[0]) for row in source.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    own = ['"' + name.replace('"', '""') + '"' for name in names]
    kinds = ("text", "real", "integer", "blob")
    told = ", ".join(f"max(typeof({name}) = '{kind}')" for name in own for kind in kinds)
    seen = source.execute(f"SELECT {told} FROM {quoted}").fetchone()
    taken, values, types = [], [], []
    left_out = {}
    for place, name in enumerate(own):
        text, real, whole, blob = (bool(each) for each in seen[4 * place : 4 * place + 4])
        if blob and not (text or real or whole):
            left_out[names[place]] = "it holds bytes"
            continue
        value = name if not blob else f"CASE WHEN typeof({name}) <> 'blob' THEN {name} END"
        types.append("VARCHAR" if text or not (real or whole) else "DOUBLE" if real else "BIGINT")
        values.append(f"CAST({value} AS TEXT)" if types[-1] == "VARCHAR" else value)
        taken.append(names[place])
    columns = ", ".join(f"c{place} {type}" for place, type in enumerate(types))
    if not columns:
        return Relation(table, "", (), left_out=left_out)
    con.execute(f"CREATE TEMP TABLE {rows_of} ({columns})")
    cursor = source.execute(f"SELECT {', '.join(values)} FROM {quoted}")
    appender = con.appender(rows_of)
    while rows := cursor.fetchmany(_ROWS):
        appender.append_rows(rows)
    appender.flush()
    return Relation(table, rows_of, tuple(taken), left_out=left_out, scratch=rows_of)


def duckdb_tables(con: DuckDBPyConnection, path: Path, scratch: Path) -> Iterator[Relation]:
    link = linked(path, scratch)
    log = link.with_name(f"{link.name}.wal")
    if (beside := path.resolve().with_name(f"{path.name}.wal")).exists():
        log.symlink_to(beside)  # what was written last
    con.execute(f"ATTACH '{link}' AS source (READ_ONLY)")
    try:
        listed = con.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source' AND NOT internal "
            "ORDER BY ALL"
        ).fetchall()
        check_tables(len(listed))
        for schema, table in listed:
            named = ".".join('"' + part.replace('"', '""') + '"' for part in ("source", schema, table))
            yield replace(relation_of(con, named, lasts=False), name=str(table))
    finally:
        con.execute("DETACH source")
