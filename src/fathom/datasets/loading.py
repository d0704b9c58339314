"""Reads files into the tables of one DuckDB database: every value a text, a number, a date or a truth value."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import duckdb

from fathom.datasets.formats import FORMATS, check, format_of, relations
from fathom.datasets.forms import Form, converted, forms_of, told, within_calendar
from fathom.datasets.relation import Relation, check_width
from fathom.datasets.tables import Column, Kind, Table, clean_names, table_name
from fathom.errors import Unreadable, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from duckdb.sqltypes import DuckDBPyType

MOST_FILES = 1_000
"""Files of a folder that are read."""
_LOOKED_AT = 1_000
"""Values of a column from which its form is guessed; all of them must fit then."""
_DEEPEST = 5
"""Levels of nesting that become columns of their own; what is deeper stays JSON."""
_WHOLE = {"tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger"}
_HUGE = {"ubigint", "hugeint"}
_LISTS = {"list", "array", "map", "union"}
_BYTES = {"blob", "bit", "geometry"}


@dataclass
class DataFiles:
    """Files that one PATH names."""

    path: Path
    files: list[Path]
    is_folder: bool


@dataclass
class _Part:
    """The rows of one file, as plain columns whose texts are not looked at yet."""

    sql: str
    columns: list[Column]
    untyped: bool
    name: str = ""
    """Of the file or, in a database, of the table."""
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    scratch: str = ""


def sources_of(paths: Sequence[Path]) -> list[DataFiles]:
    """The files behind the paths.

    Raises:
        UsageError: one is not there, is no data file, or is a folder without any.
    """
    return [_source(path) for path in paths]


def look_at(path: Path) -> None:
    """Refuse, before any work, what is no data by its name or its first bytes.

    Raises:
        UsageError: says what it is instead.
    """
    source = _source(path)
    if not source.is_folder and (format := format_of(path)):
        try:
            check(path, format)
        except Unreadable as error:
            raise UsageError(f"{path} cannot be read: {error}.") from error
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def _source(path: Path) -> DataFiles:
    known = ", ".join(sorted(FORMATS))
    if not path.exists():
        raise UsageError(f"{path} is not there.")
    if path.is_dir():
        below = sorted(each for each in path.rglob("*") if not _hidden(each, path) and each.is_file())
        files = [each for each in below if format_of(each)]
        if not files:
            raise UsageError(f"{path} holds no data file. Data files end in {known}.")
        if len(files) > MOST_FILES:
            raise UsageError(f"{path} holds {len(files)} data files; at most {MOST_FILES} are read. Name some of them.")
        return DataFiles(path, files, is_folder=True)
    if not path.is_file():
        raise UsageError(f"{path} is no file.")
    if format_of(path) is None:
        raise UsageError(f"{path} is no data file by its name. Data files end in {known}.")
    return DataFiles(path, [path], is_folder=False)


def _hidden(path: Path, below: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(below).parts)


def revision_of(sources: Sequence[DataFiles]) -> str:
    """The digest of the names and the content of all files, with the logs of databases that are being written to."""
    whole = hashlib.sha256()
    for file in (file for source in sources for file in source.files):
        for each in (file, *(file.with_name(f"{file.name}{log}") for log in ("-wal", ".wal"))):
            if each.is_file():
                with each.open("rb") as content:
                    whole.update(f"{each.name}\0{hashlib.file_digest(content, 'sha256').hexdigest()}\0".encode())
    return whole.hexdigest()[:32]


def load(con: DuckDBPyConnection, sources: Sequence[DataFiles], folder: Path) -> list[Table]:
    """Read all files into tables of `con`, in order.

    Raises:
        UsageError: a file cannot be read; of a folder only when none of it can.
    """
    tables: list[Table] = []
    for place, source in enumerate(sources):
        inner = folder / f"input-{place}"
        inner.mkdir()
        found = _tables(con, source, inner, taken=tables)
        found.sort(key=lambda table: -table.total)  # of several, the largest is the one that is meant
        tables += found
    if not tables:
        raise UsageError("The files hold no table with columns.")
    return tables


def _tables(con: DuckDBPyConnection, source: DataFiles, folder: Path, *, taken: Sequence[Table]) -> list[Table]:
    groups: list[list[_Part]] = []
    skipped: list[str] = []
    for number, file in enumerate(source.files):
        try:
            for part in _parts(con, file, folder / f"r{len(taken)}_{number}"):
                alike = next((group for group in groups if source.is_folder and _are_alike(group[0], part)), None)
                groups.append([part]) if alike is None else alike.append(part)
        except (Unreadable, OSError, duckdb.Error) as error:
            if isinstance(error, duckdb.InterruptException | duckdb.OutOfMemoryException):
                raise
            if not source.is_folder:
                raise UsageError(f"{file} cannot be read: {_reason(error)}.") from error
            skipped.append(f"{file.name} is left out: {_reason(error)}.")
    if not groups:
        raise UsageError(f"{source.path} cannot be read: {skipped[0] if skipped else 'it holds no table.'}")
    tables: list[Table] = []
    folder_name = source.path.resolve().name if sum(len(group) > 1 for group in groups) == 1 else ""
    for group in groups:
        name = group[0].name if len(group) == 1 else _stem([part.name for part in group], folder_name)
        name = table_name(name, taken=[table.name for table in (*taken, *tables)])
        notes = skipped if not tables else []
        tables.append(_finished(con, group, name, f"t{len(taken) + len(tables)}", notes))
    return tables


def _reason(error: Exception) -> str:
    """The first line of what went wrong, without the names of our own temporary files."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    first = text.strip().split("\n")[0][:2_000]
    line = re.sub(r"""(?:in )?(?:file )?["'][^"'\n]*input-\d++[^"'\n]*["']""", "it", first)
    return line.strip().rstrip(".:")[:300]


def _stem(names: Sequence[str], folder: str) -> str:
    """What the names of files begin with, or the folder's name."""
    low, high = min(names), max(names)
    shared = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False)))
    return re.sub(r"(?<![\W\d_])[\W\d_]+$", "", shared) or folder or names[0]


# ── Plain columns ──────────────────────────────────────────────────────────────────────────────────────────────────


def _parts(con: DuckDBPyConnection, file: Path, scratch: Path) -> Iterator[_Part]:
    format = format_of(file)
    assert format is not None, "only data files are listed"
    check(file, format)
    stem = file.name.removesuffix(".gz").rpartition(".")[0] or file.name
    for place, relation in enumerate(relations(con, file, format, scratch)):
        part = _plain(con, relation, f"{scratch.name}_{place}_plain")
        if part.columns:
            yield replace(part, name=relation.name or stem)
        elif not relation.name:
            raise Unreadable("it has no columns that can be read")


def _plain(con: DuckDBPyConnection, relation: Relation, sql: str) -> _Part:
    """The rows of the relation with plain columns."""
    names = [f"c{place}" for place in range(len(relation.columns))]
    if not names:
        return _Part(sql, [], relation.untyped)
    inner = f"(SELECT * FROM {relation.sql}) AS r({', '.join(names)})"
    described = con.execute(f"SELECT * FROM {inner} LIMIT 0").description or ()
    left_out = dict(relation.left_out)
    taken: list[tuple[str, str, bool]] = []
    for outer, own, column in zip(relation.columns, names, described, strict=True):
        for name, expression, type in _spread(outer, own, column[1], depth=0):
            kind = str(type).lower() if type.id == "decimal" or str(type) == "JSON" else type.id
            if (plain := _normal(expression, kind, untyped=relation.untyped)) is None:
                left_out[name] = "it holds bytes"
            else:
                taken.append((name, plain, "with time zone" in str(type).lower() and "timestamp" in str(type).lower()))
    if not taken:
        return _Part(sql, [], relation.untyped)
    check_width(len(taken))
    selected = ", ".join(f"{plain} AS c{place}" for place, (_, plain, _) in enumerate(taken))
    con.execute(f"CREATE TEMP {'VIEW' if relation.lasts else 'TABLE'} {sql} AS SELECT {selected} FROM {inner}")
    kinds = _kinds(con, sql)
    columns = [
        Column(name, f"c{place}", kind, zoned)
        for place, (name, kind, (_, _, zoned)) in enumerate(
            zip(clean_names(name for name, _, _ in taken), kinds, taken, strict=True)
        )
    ]
    return _Part(sql, columns, relation.untyped, "", left_out, list(relation.notes), relation.scratch)


def _kinds(con: DuckDBPyConnection, sql: str) -> list[Kind]:
    return [_kind(column[1]) for column in con.execute(f"SELECT * FROM {sql} LIMIT 0").description or ()]


def _spread(name: str, expression: str, type: DuckDBPyType, *, depth: int) -> Iterator[tuple[str, str, DuckDBPyType]]:
    """The column, or the columns that a structure is made of, named with dots."""
    if type.id != "struct" or depth >= _DEEPEST:
        yield name, expression, type
        return
    for place, (inner, of) in enumerate(cast("list[tuple[str, DuckDBPyType]]", type.children), start=1):
        yield from _spread(f"{name}.{inner}", f"struct_extract_at({expression}, {place})", of, depth=depth + 1)


def _normal(value: str, type: str, *, untyped: bool) -> str | None:
    """The expression of a plain value; `None` for bytes."""
    if untyped:
        return f"nullif(trim({value}), '')"
    if type == "boolean":
        return value
    if type in _WHOLE:
        return f"CAST({value} AS BIGINT)"
    if type in _HUGE:
        return f"CAST({value} AS HUGEINT)"
    if type.startswith("decimal") and type.endswith(",0)"):
        return f"CAST({value} AS HUGEINT)"
    if type == "float":
        value, type = f"CAST(CAST({value} AS VARCHAR) AS DOUBLE)", "double"  # 0.1 stays 0.1
    if type == "double" or type == "uhugeint" or type.startswith("decimal"):
        return f"CASE WHEN isfinite(CAST({value} AS DOUBLE)) THEN CAST({value} AS DOUBLE) END"
    if type == "date":
        return within_calendar(value, "date")
    if type.startswith("timestamp"):
        moment = f"({value} AT TIME ZONE 'UTC')" if "zone" in type or "tz" in type else f"CAST({value} AS TIMESTAMP)"
        return within_calendar(moment, "moment")
    if type in _BYTES:
        return None
    if type == "json":
        return f"nullif({value} ->> '$', '')"
    if type in _LISTS or type == "struct":
        return f"CAST(to_json({value}) AS VARCHAR)"
    return f"nullif(CAST({value} AS VARCHAR), '')"


def _kind(type: DuckDBPyType) -> Kind:
    known: dict[str, Kind] = {
        "boolean": "boolean",
        "bigint": "integer",
        "hugeint": "integer",
        "double": "decimal",
        "date": "date",
        "timestamp": "moment",
    }
    return known.get(type.id, "text")


# ── Tables ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _are_alike(one: _Part, other: _Part) -> bool:
    names = [sorted(column.name for column in part.columns) for part in (one, other)]
    return names[0] == names[1] and one.untyped == other.untyped


def _joined(con: DuckDBPyConnection, parts: Sequence[_Part]) -> _Part:
    """The rows of parts that are alike, one below the other, with the number of the part as a last column."""
    first = parts[0]
    selects = []
    zoned = {column.name: column.zoned for column in first.columns}
    for place, part in enumerate(parts):
        own = {column.name: column for column in part.columns}
        zoned = {name: each and own[name].zoned for name, each in zoned.items()}
        taken = ", ".join(f"{own[column.name].sql} AS {column.sql}" for column in first.columns)
        selects.append(f"SELECT {taken}, {place + 1} AS part FROM {part.sql}")
    sql = f"{first.sql}_all"
    con.execute(f"CREATE TEMP VIEW {sql} AS {' UNION ALL '.join(selects)}")
    kinds = _kinds(con, sql)
    columns = [
        replace(column, kind=kind, zoned=zoned[column.name]) for column, kind in zip(first.columns, kinds, strict=False)
    ]
    left_out = {name: reason for part in parts for name, reason in part.left_out.items()}
    return _Part(sql, columns, first.untyped, "", left_out, [note for part in parts for note in part.notes])


def _finished(con: DuckDBPyConnection, parts: Sequence[_Part], name: str, sql: str, notes: Sequence[str]) -> Table:
    """The table with the texts of each column taken for what all of them are."""
    whole = parts[0] if len(parts) == 1 else _joined(con, parts)
    columns = [column for column in whole.columns if column.kind == "text"]
    guesses = {own: forms for own, forms in _guesses(con, whole, columns) if forms}
    while True:
        _write(con, whole, guesses, sql, names=[part.name for part in parts])
        wrong = _misread(con, whole, guesses, sql) if guesses else set()
        if not wrong:
            break
        kept = {own: forms[1:] if own in wrong else forms for own, forms in guesses.items()}
        guesses = {own: forms for own, forms in kept.items() if forms}
    for scratch in {part.scratch for part in parts if part.scratch}:
        con.execute(f"DROP TABLE {scratch}")
    count = con.execute(f"SELECT count(*) FROM {sql}").fetchone()
    found = []
    for column in whole.columns:
        form = guesses[column.sql][0] if column.sql in guesses else None
        found.append(replace(column, kind=form.kind, zoned=form.zoned) if form else column)
    if len(parts) > 1:
        found.append(Column(clean_names([*(column.name for column in found), "file"])[-1], "part", "text"))
    return Table(
        name=name,
        sql=sql,
        columns=tuple(found),
        total=count[0] if count else 0,
        left_out=whole.left_out,
        notes=(*whole.notes, *notes),
    )


def _guesses(con: DuckDBPyConnection, part: _Part, columns: Sequence[Column]) -> Iterator[tuple[str, list[Form]]]:
    """What the texts of each column may be, by the first of its values."""
    if not columns:
        return
    names = [column.sql for column in columns]
    rows = con.execute(f"SELECT {', '.join(names)} FROM {part.sql} LIMIT {_LOOKED_AT}").fetchall()
    for place, own in enumerate(names):
        values = {row[place] for row in rows} - {None}
        if len(rows) == _LOOKED_AT and any(row[place] is None for row in rows):  # there are others further down
            found = con.execute(
                f"SELECT DISTINCT {own} FROM (SELECT {own} FROM {part.sql} WHERE {own} IS NOT NULL LIMIT {_LOOKED_AT})"
            )
            values = {value for (value,) in found.fetchall()}
        yield own, forms_of(sorted(values), untyped=part.untyped)


def _write(
    con: DuckDBPyConnection, part: _Part, guesses: dict[str, list[Form]], sql: str, *, names: Sequence[str]
) -> None:
    def value(own: str) -> str:
        return converted(guesses[own][0], own, untyped=part.untyped) if own in guesses else own

    selected = [f"{value(column.sql)} AS {column.sql}" for column in part.columns]
    values: list[list[str]] = []
    if len(names) > 1:
        selected.append("list_extract(CAST(? AS VARCHAR[]), part) AS part")
        values.append(list(names))
    con.execute(f"CREATE OR REPLACE TABLE {sql} AS SELECT {', '.join(selected)} FROM {part.sql}", values)


def _misread(con: DuckDBPyConnection, part: _Part, guesses: dict[str, list[Form]], sql: str) -> set[str]:
    """The columns some of whose values are written otherwise than was guessed."""
    given = ", ".join(f"count(*) FILTER (WHERE {told(own, untyped=part.untyped)})" for own in guesses)
    kept = ", ".join(f"count({own})" for own in guesses)
    before: Any = con.execute(f"SELECT {given} FROM {part.sql}").fetchone()
    after: Any = con.execute(f"SELECT {kept} FROM {sql}").fetchone()
    return {own for own, one, other in zip(guesses, before, after, strict=True) if one != other}
