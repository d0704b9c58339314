"""What a table holds: its fields with their ranges and most frequent values, and which field names a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fathom.data.fields import ROW, DataField, FieldMapping
from fathom.data.mapping import MOST_VALUES, Stored, corrected, mapping_of, type_of
from fathom.data.requests import Scalar
from fathom.data.results import Record
from fathom.datasets.session import Session
from fathom.datasets.tables import Column, Table, clean_names

SAMPLES = 5
"""Records that a description shows."""
_LOOKED_AT = 200
"""Different values of a field by which its type is told."""
_AT_ONCE = 40
"""Columns that one statement sums up."""
_STORED: dict[str, Stored] = {
    "text": "text",
    "integer": "number",
    "decimal": "number",
    "boolean": "boolean",
    "date": "date",
    "moment": "date",
}


@dataclass(frozen=True)
class Profile:
    """A table and what is known of it."""

    table: Table
    fields: tuple[DataField, ...]
    """In the order of the table; the number of the row comes first, if it is needed."""
    mapping: FieldMapping
    id: Column
    """What names a record: no two have the same, and none is without."""
    samples: tuple[Record, ...]
    longest: Mapping[str, int]
    """Bytes of the longest value of each column of texts."""

    def selected(self) -> tuple[Column, ...]:
        """The columns that a record shows."""
        own = self.table.columns
        return own if self.id in own else (self.id, *own)

    @property
    def asked(self) -> Table:
        """The table with all columns that may be asked for."""
        return replace(self.table, columns=self.selected())


def profile(session: Session, table: Table, given: FieldMapping | None) -> Profile:
    """Look at all records of a table.

    Raises:
        ConfigurationError: `given`, the correction of its mapping, names a field that it does not have.
        ToolFailed: it took too long.
    """
    fields, longest = [], {}
    for at in range(0, len(table.columns), _AT_ONCE):
        columns = table.columns[at : at + _AT_ONCE]
        row = session.row(f"SELECT {', '.join(map(_figures, columns))} FROM {table.sql}")
        for column, figures in zip(columns, zip(*[iter(row)] * 5, strict=True), strict=True):
            fields.append(_field(session, table, column, figures))
            longest[column.name] = figures[4] or 0
    rows = session.rows(f"SELECT {', '.join(column.sql for column in table.columns)} FROM {table.sql} LIMIT {SAMPLES}")
    samples = [Record(id=str(place), fields=record_of(table.columns, row)) for place, row in enumerate(rows, start=1)]
    mapping = corrected(mapping_of(fields, samples), given, fields)
    named = next((field for field in fields if field.name == mapping.id), None)
    if named and named.distinct == table.total and not named.missing:
        id, notes = table.column(named.name), table.notes
    else:
        name = clean_names([*(column.name for column in table.columns), ROW])[-1]
        id = Column(name, "(rowid + 1)", "integer")
        told = "no field names each record" if named is None else f"the values of '{named.name}' repeat or are missing"
        notes = (*table.notes, f"Records are named by the number of their row, '{name}': {told}.")
        row_field = DataField(
            name=name,
            type="id",
            description="Number of the row.",
            distinct=table.total,
            missing=0,
            minimum=1 if table.total else None,
            maximum=table.total or None,
        )
        fields.insert(0, row_field)
        mapping = mapping.model_copy(update={"id": name})
    found = Profile(replace(table, notes=notes), tuple(fields), mapping, id, (), longest)
    return replace(found, samples=_named(session, found))


def _named(session: Session, found: Profile) -> tuple[Record, ...]:
    columns = found.selected()
    rows = session.rows(f"SELECT {', '.join(column.sql for column in columns)} FROM {found.table.sql} LIMIT {SAMPLES}")
    records = [record_of(columns, row) for row in rows]
    return tuple(Record(id=str(record[found.id.name]), fields=record) for record in records)


def _figures(column: Column) -> str:
    own = column.sql
    ordered = f"min({own}), max({own})" if column.kind not in ("text", "boolean") else "NULL, NULL"
    longest = f"max(strlen({own}))" if column.kind == "text" else "NULL"
    return f"count({own}), count(DISTINCT {own}), {ordered}, {longest}"


def _field(session: Session, table: Table, column: Column, figures: Sequence[Any]) -> DataField:
    present, distinct, low, high, _ = figures
    own = column.sql
    looked_at = session.rows(
        f"SELECT DISTINCT left(CAST({own} AS VARCHAR), 1000) "
        f"FROM (SELECT {own} FROM {table.sql} WHERE {own} IS NOT NULL LIMIT {10 * _LOOKED_AT}) LIMIT {_LOOKED_AT}"
    )
    kind = type_of(
        column.name,
        _STORED[column.kind],
        [value for (value,) in looked_at],
        distinct=distinct,
        present=present,
        missing=table.total - present,
    )
    values: tuple[str, ...] = ()
    if kind in ("category", "boolean"):
        rows = session.rows(
            f"SELECT {own}, count(*) AS n FROM {table.sql} WHERE {own} IS NOT NULL GROUP BY {own} "
            f"ORDER BY n DESC, {own} LIMIT {MOST_VALUES}"
        )
        values = tuple(key_text(column, value) for value, _ in rows)
    return DataField(
        name=column.name,
        type=kind,
        distinct=distinct,
        missing=table.total - present,
        minimum=column.scalar(low),
        maximum=column.scalar(high),
        values=values,
    )


def record_of(columns: Sequence[Column], row: Sequence[Any]) -> dict[str, Scalar]:
    """A row as JSON has it."""
    return {column.name: column.scalar(value) for column, value in zip(columns, row, strict=True)}


def key_text(column: Column, value: Any) -> str:
    """A value as a part of a key; empty when there is none."""
    plain = column.scalar(value)
    if plain is None:
        return ""
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, float) and plain.is_integer() and abs(plain) < 1e15:
        return str(int(plain))
    return str(plain)
