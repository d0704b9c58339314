"""Small tables in files: rows of cells with commas, semicolons, tabs or bars between them, or records in JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, takewhile
from typing import Any

from fathom.errors import Unreadable
from fathom.evidence import Span
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, decode, row_of
from fathom.reading.visible import visible

MOST_ROWS = 1_000
"""Rows of a table that is read as a text; a larger one holds data, which are counted."""
_NAMES = frozenset({"title", "name", "headline", "subject", "id"})
_DELIMITERS = "\t|^;,"
"""What may stand between cells, what else is rarest in a text first."""
_GIVEN = re.compile(r"\"?sep=([^\r\n])\"?[\r\n]*", re.IGNORECASE)
_SAMPLE = 200
_FIGURE = re.compile(r"(?:\W{0,9}|[A-Z]{3} )\d|-|=")
_LONGEST_ROW = 100  # lines
_SHORT = 200
"""Characters of a name, and of a value that is no paragraph."""


def read(data: bytes) -> ReadDocument:
    """Read a table. Its snapshot is the text that a person would read, a row to a line; the first row that is as wide
    as most leads the others, and what is above it are paragraphs. Behind an empty row there may be a note, and a table
    with a head of its own.

    Raises:
        Unreadable: it is none, or too large to be read as a text.
    """
    lines = io.StringIO(visible(decode(data)).removeprefix("\ufeff"), newline=None).readlines()
    given = _GIVEN.fullmatch(lines[0]) if lines else None
    lines = lines[1:] if given else lines
    try:
        sample = lines[:_SAMPLE]
        delimiter = given[1] if given else max(_DELIMITERS, key=lambda each: _agreement(_rows(sample, each)))
        width = _agreement(_rows(sample, delimiter))[1]
        rows = list(islice(_rows(lines, delimiter, width=width), 2 * MOST_ROWS + 2))
    except csv.Error as error:
        raise Unreadable(f"it is no table: {error}") from error
    if sum(map(bool, rows)) > MOST_ROWS:
        raise Unreadable(f"it has more than {MOST_ROWS:,} rows; given as data, it is counted")
    out = Composition()
    start = next((at for at, row in enumerate(rows) if _reach(row) >= width), 0)
    for row in rows[:start]:
        out.write("paragraph", row_of(map(line, row)))
    head: Span | None = None
    is_alone = sum(map(bool, rows[start:])) == 1
    parts = [list(part) for says_something, part in groupby(rows[start:], key=bool) if says_something]
    for part in parts:
        notes = list(takewhile(lambda row: _reach(row) == 1, part)) if head and width > 1 else []
        for row in notes:
            out.write("paragraph", row_of(map(line, row)))
        table = part[len(notes) :]
        is_first = not head and not is_alone
        if is_first or names_columns(*table[:2]):
            head = out.lead(row_of(map(line, table.pop(0))))
        for row in table:
            out.write("table_row", row_of(map(line, row)), lead_in=head)
    return out.document()


def names_columns(row: Sequence[str] = (), behind: Sequence[str] = (), *, is_first: bool = False) -> bool:
    """Whether a row behind an empty one names the columns of those behind it: it has no figures, and they have; of the
    first one of all, they need not."""
    cells = list(filter(None, row))
    return (
        len(cells) > 1
        and not any(map(_FIGURE.match, cells))
        and any(behind)
        and (is_first or any(map(_FIGURE.match, behind)))
    )


def _reach(row: list[str]) -> int:
    """Cells of a row up to the last that is not empty."""
    return max((at for at, cell in enumerate(row, start=1) if cell.strip()), default=0)


def _agreement(found: Iterable[list[str]]) -> tuple[float, int]:
    """Which part of the rows is of the width that most are that have several cells, and that width."""
    rows = list(filter(None, found))
    widths = Counter(len(row) for row in rows if len(row) > 1)
    width, count = max(widths.items(), key=lambda each: (each[1], each[0]), default=(1, 0))
    return count / (len(rows) or 1), width


def _rows(lines: list[str], delimiter: str, *, width: int = 0) -> Iterator[list[str]]:
    """The rows, of empty ones together one without cells. A quotation mark that is never closed, or only where no cell
    ends, is a letter: it makes no row of several lines, nor does one whose row is then not of the `width` of the
    others."""
    options: dict[str, Any] = {"delimiter": delimiter, "skipinitialspace": delimiter != "\t"}
    at, before = 0, list[str]()
    while at < len(lines):
        reader = csv.reader(islice(lines, at, at + _LONGEST_ROW), strict=True, **options)
        try:
            row, used = next(reader), reader.line_num
        except csv.Error:
            row, used = [], 0
        if not used or (used > 1 and width and len(row) != width):
            one = lines[at : at + 1]
            bare = [next(csv.reader(one, **options)), next(csv.reader(one, quoting=csv.QUOTE_NONE, **options))]
            row, used = min(bare, key=lambda each: abs(len(each) - width)), 1
        at += used
        row = row if _reach(row) else []
        if row or before:
            yield row
        before = row


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
