"""Small tables in files: rows of cells with commas, semicolons or tabs between them, or records in JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from itertools import islice

from fathom.errors import Unreadable
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, decode
from fathom.reading.visible import visible

MOST_ROWS = 1_000
"""Rows of a table that is read as a text; a larger one holds data, which are counted."""
_NAMES = frozenset({"title", "name", "headline", "subject", "id"})
_SHORT = 200
"""Characters of a name, and of a value that is no paragraph."""


def read(data: bytes) -> ReadDocument:
    """Read a table. Its snapshot is the text that a person would read, a row to a line; the first row leads the others.

    Raises:
        Unreadable: it is none, or too large to be read as a text.
    """
    text = visible(decode(data)).removeprefix("\ufeff")
    first = text.partition("\n")[0]
    try:
        table = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
        rows = [row for row in islice(table, MOST_ROWS + 1) if any(map(str.strip, row))]
    except csv.Error as error:
        raise Unreadable(f"it is no table: {error}") from error
    if len(rows) > MOST_ROWS:
        raise Unreadable(f"it has more than {MOST_ROWS:,} rows; given as data, it is counted")
    out = Composition()
    out.table(rows)
    return out.document()


def read_records(data: bytes) -> ReadDocument:
    """Read JSON lines; each record stands under the number of its line and its name, if it has one: "Line 3: Fees".
    Raises `Unreadable` if a line is no record, or if there are so many that they are data."""
    lines = decode(data).removeprefix("\ufeff").split("\n")
    if len(lines) > MOST_ROWS:
        raise Unreadable(f"it has more than {MOST_ROWS:,} records; given as data, it is counted")
    out = Composition()
    for number, record in enumerate(lines, start=1):
        try:
            fields = list(_fields(json.loads(record))) if record.strip() else []
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"its line {number} is no JSON") from error
        name = next((line(value)[:_SHORT] for field, value in fields if field.lower() in _NAMES), "")
        out.write("heading", f"Line {number}: {name}".removesuffix(": ") if fields else "", level=1)
        for field, value in fields:
            for paragraph in value.split("\n\n"):
                out.write("paragraph" if len(value) > _SHORT else "list_item", f"{field}: {paragraph}")
    return out.document()


def _fields(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """The values in a record that say something, each under its path: `author.name`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _fields(inner, f"{name}.{key}".lstrip("."))
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        for inner in value:
            yield from _fields(inner, name)
    elif value not in (None, "", []):
        yield name, ", ".join(map(str, value)) if isinstance(value, list) else str(value)
