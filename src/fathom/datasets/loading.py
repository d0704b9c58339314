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

from fathom.datasets.formats import FORMATS, Relation, check, format_of, relations
from fathom.datasets.forms import Form, converted, forms_of, told
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
_WORDS = {"enum", "uuid", "time", "interval", "time with time zone", "time_tz", "timetz", "time_ns"}
_LISTS = {"list", "array", "map", "union"}
_BYTES = {"blob", "bit", "geometry"}


@dataclass
class Source:
    """Files that one PATH names."""

    path: Path
    files: list[Path]
    is_folder: bool


@dataclass
class _Stage:
    """A table on its way: plain columns, whose texts are not looked at yet."""

    sql: str
    columns: list[Column]
    untyped: bool
    files: list[str]
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stem: str = ""


def sources_of(paths: Sequence[Path]) -> list[Source]:
    """The files behind the paths.

    Raises:
        UsageError: one is not there, is no data file, or is a folder without any.
    """
    return [_source(path) for path in paths]


def _source(path: Path) -> Source:
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
        return Source(path, files, is_folder=True)
    if not path.is_file():
        raise UsageError(f"{path} is no file.")
    if format_of(path) is None:
        raise UsageError(f"{path} is no data file by its name. Data files end in {known}.")
    return Source(path, [path], is_folder=False)


def _hidden(path: Path, below: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(below).parts)


def revision_of(sources: Sequence[Source]) -> str:
    """The digest of the names and the content of all files, with the logs of databases that are being written to."""
    whole = hashlib.sha256()
    for file in (file for source in sources for file in source.files):
        for each in (file, *(file.with_name(f"{file.name}{log}") for log in ("-wal", ".wal"))):
            if each.is_file():
                with each.open("rb") as content:
                    whole.update(f"{each.name}\0{hashlib.file_digest(content, 'sha256').hexdigest()}\0".encode())
    return whole.hexdigest()[:32]


def load(con: DuckDBPyConnection, sources: Sequence[Source], folder: Path) -> list[Table]:
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


def _tables(con: DuckDBPyConnection, source: Source, folder: Path, *, taken: Sequence[Table]) -> list[Table]:
    stages: list[_Stage] = []
    skipped: list[str] = []
    number = sum(1 for _ in taken)
    for file in source.files:
        try:
            for stage in _stages(con, file, folder, prefix=f"s{number}_{len(stages)}"):
                if not _joined(con, stages, stage):
                    stages.append(stage)
        except (Unreadable, OSError, duckdb.Error) as error:
            if isinstance(error, duckdb.InterruptException | duckdb.OutOfMemoryException):
                raise
            if not source.is_folder:
                raise UsageError(f"{file} cannot be read: {_reason(error)}.") from error
            skipped.append(f"{file.name} is left out: {_reason(error)}.")
    if not stages:
        raise UsageError(f"{source.path} cannot be read: {skipped[0] if skipped else 'it holds no table.'}")
    tables: list[Table] = []
    several = sum(len(stage.files) > 1 for stage in stages)
    for stage in stages:
        name = _stem(stage, source.path.name if several == 1 else "") if len(stage.files) > 1 else stage.stem
        name = table_name(name, taken=[table.name for table in (*taken, *tables)])
        stage.notes += skipped if not tables else []
        tables.append(_finished(con, stage, name, f"t{number + len(tables)}"))
    return tables


def _reason(error: Exception) -> str:
    """The first line of what went wrong, without the names of our own temporary files."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    line = re.sub(r'(?:in )?(?:file )?"[^"\n]*input-\d+[^"\n]*"', "it", text.strip().split("\n")[0])
    return line.strip().rstrip(".:")[:300]


def _stem(stage: _Stage, folder: str) -> str:
    """What the names of its files begin with, or the folder's name."""
    low, high = min(stage.files), max(stage.files)
    shared = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False)))
    return re.sub(r"[\W\d_]+$", "", shared) or folder or stage.files[0]


# ── Plain columns ──────────────────────────────────────────────────────────────────────────────────────────────────


def _stages(con: DuckDBPyConnection, file: Path, folder: Path, *, prefix: str) -> Iterator[_Stage]:
    format = format_of(file)
    assert format is not None, "only data files are listed"
    check(file, format)
    stem = file.name.removesuffix(".gz").rpartition(".")[0] or file.name
    for place, relation in enumerate(relations(con, file, format, folder)):
        stage = _plain(con, relation, f"{prefix}_{place}")
        if not stage.columns:
            if not relation.name:
                raise Unreadable("it has no columns that can be read")
            continue
        stage.stem = relation.name or stem
        stage.files = [relation.name or stem]
        yield stage


def _plain(con: DuckDBPyConnection, relation: Relation, sql: str) -> _Stage:
    """The relation as a table of plain columns."""
    names = [f"c{place}" for place in range(len(relation.columns))]
    if not names:
        return _Stage(sql, [], relation.untyped, [])
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
        return _Stage(sql, [], relation.untyped, [], left_out)
    selected = ", ".join(f"{plain} AS c{place}" for place, (_, plain, _) in enumerate(taken))
    con.execute(f"CREATE TABLE {sql} AS SELECT {selected} FROM {inner}")
    types = [column[1] for column in con.execute(f"SELECT * FROM {sql} LIMIT 0").description or ()]
    columns = [
        Column(name, f"c{place}", _kind(types[place]), zoned)
        for place, (name, (_, _, zoned)) in enumerate(
            zip(clean_names(name for name, _, _ in taken), taken, strict=True)
        )
    ]
    return _Stage(sql, columns, relation.untyped, [], left_out, list(relation.notes))


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
        return f"(SELECT CASE WHEN isfinite(x) THEN x END FROM (SELECT CAST({value} AS DOUBLE) AS x))"
    if type == "date":
        return f"CASE WHEN {value} BETWEEN DATE '0001-01-01' AND DATE '9999-12-30' THEN {value} END"
    if type.startswith("timestamp"):
        moment = f"({value} AT TIME ZONE 'UTC')" if "zone" in type or "tz" in type else f"CAST({value} AS TIMESTAMP)"
        return f"CASE WHEN {moment} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-30' THEN {moment} END"
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


# ── Several files as one table ─────────────────────────────────────────────────────────────────────────────────────


def _joined(con: DuckDBPyConnection, stages: list[_Stage], new: _Stage) -> bool:
    """Put the rows of `new` below those of a stage with the same columns, if there is one."""
    names = sorted(column.name for column in new.columns)
    for place, stage in enumerate(stages):
        own = [column for column in stage.columns if column.sql != "file"]
        if sorted(column.name for column in own) != names or stage.untyped != new.untyped:
            continue
        theirs = {column.name: column for column in new.columns}
        first = ", ".join(column.sql for column in own)
        second = ", ".join(theirs[column.name].sql for column in own)
        named = len(stage.files) > 1
        joined = f"j{stage.sql}"
        mine, other = ("file", "?") if named else ("?", "?")
        values = [*([] if named else [stage.files[0]]), new.files[0]]
        con.execute(
            f"CREATE TABLE {joined} AS SELECT {first}, {mine} AS file FROM {stage.sql} "
            f"UNION ALL SELECT {second}, {other} FROM {new.sql}",
            values,
        )
        con.execute(f"DROP TABLE {stage.sql}; DROP TABLE {new.sql}; ALTER TABLE {joined} RENAME TO {stage.sql}")
        types = [column[1] for column in con.execute(f"SELECT * FROM {stage.sql} LIMIT 0").description or ()]
        columns = [
            replace(column, kind=_kind(type), zoned=column.zoned and theirs[column.name].zoned)
            for column, type in zip(own, types, strict=False)
        ]
        file = clean_names([*(column.name for column in own), "file"])[-1]
        stages[place] = replace(
            stage,
            columns=[*columns, Column(file, "file", "text")],
            files=[*stage.files, new.files[0]],
            left_out={**stage.left_out, **new.left_out},
            notes=[*stage.notes, *new.notes],
        )
        return True
    return False


# ── What texts mean ────────────────────────────────────────────────────────────────────────────────────────────────


def _finished(con: DuckDBPyConnection, stage: _Stage, name: str, sql: str) -> Table:
    """The table with the texts of each column taken for what all of them are."""
    guesses = {
        column.sql: forms for column in stage.columns if column.kind == "text" and (forms := _guess(con, stage, column))
    }
    while guesses:
        con.execute(f"CREATE OR REPLACE TABLE {sql} AS SELECT {_selected(stage, guesses)} FROM {stage.sql}")
        wrong = _misread(con, stage, guesses, sql)
        if not wrong:
            break
        guesses = {
            own: forms[1:] if own in wrong else forms
            for own, forms in guesses.items()
            if own not in wrong or len(forms) > 1
        }
    if not guesses:
        con.execute(f"CREATE OR REPLACE TABLE {sql} AS SELECT {_selected(stage, {})} FROM {stage.sql}")
    con.execute(f"DROP TABLE {stage.sql}")
    count = con.execute(f"SELECT count(*) FROM {sql}").fetchone()
    columns = []
    for place, column in enumerate(stage.columns):
        form = guesses[column.sql][0] if column.sql in guesses else None
        changed = replace(column, kind=form.kind, zoned=form.zoned) if form else column
        columns.append(replace(changed, sql=f"c{place}"))
    return Table(
        name=name,
        sql=sql,
        columns=tuple(columns),
        total=count[0] if count else 0,
        left_out=stage.left_out,
        notes=tuple(stage.notes),
    )


def _guess(con: DuckDBPyConnection, stage: _Stage, column: Column) -> list[Form]:
    own = column.sql
    rows = con.execute(
        f"SELECT DISTINCT {own} FROM (SELECT {own} FROM {stage.sql} WHERE {own} IS NOT NULL LIMIT ?)", [_LOOKED_AT]
    )
    return forms_of([value for (value,) in rows.fetchall()], untyped=stage.untyped)


def _selected(stage: _Stage, guesses: dict[str, list[Form]]) -> str:
    def value(own: str) -> str:
        return converted(guesses[own][0], own, untyped=stage.untyped) if own in guesses else own

    return ", ".join(f"{value(column.sql)} AS c{place}" for place, column in enumerate(stage.columns))


def _misread(con: DuckDBPyConnection, stage: _Stage, guesses: dict[str, list[Form]], sql: str) -> set[str]:
    """The columns some of whose values are written otherwise than was guessed."""
    places = {column.sql: f"c{place}" for place, column in enumerate(stage.columns)}
    given = ", ".join(f"count(*) FILTER (WHERE {told(own, untyped=stage.untyped)})" for own in guesses)
    kept = ", ".join(f"count({places[own]})" for own in guesses)
    before: Any = con.execute(f"SELECT {given} FROM {stage.sql}").fetchone()
    after: Any = con.execute(f"SELECT {kept} FROM {sql}").fetchone()
    return {own for own, one, other in zip(guesses, before, after, strict=True) if one != other}
