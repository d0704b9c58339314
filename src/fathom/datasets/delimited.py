"""Rows of texts with a sign between them: CSV, TSV and what goes by these names."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from fathom.datasets.forms import forms_of
from fathom.datasets.relation import Relation, check_width
from fathom.datasets.text_files import opened
from fathom.errors import Unreadable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DELIMITERS = ",;\t|"
_FIRST = 256 * 1024
"""Characters by which a file is judged."""
_FIRST_ROWS = 200
_LONGEST_LINE = 4 * 1024 * 1024
_AT_ONCE = 5_000
"""Rows that are moved at once."""
_QUOTED = re.compile(r'"(?:[^"]++|"")*+"?+')
_BACKSLASHED = re.compile(r'\\"(?:[^,;\t|\r\n"]|"(?=[,;\t|\r\n]|$))')
"""A quotation mark within a value, written with a backslash before it, and not doubled."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_WRITTEN = {"\r\n": "\\r\\n", "\n": "\\n", "\r": "\\r"}


def delimited_rows(con: DuckDBPyConnection, path: Path, rows_of: str, *, delimiter: str | None) -> Relation:
    """The rows of a file in UTF-8, all of it text.

    What DuckDB finds irregular is read once more, slowly and with patience: short rows are filled up, and rows with
    more fields than the others are left out, which is said.

    Raises:
        Unreadable: it holds nothing.
    """
    csv.field_size_limit(_LONGEST_LINE)
    with opened(path) as file:
        text = file.read(_FIRST).decode("utf-8-sig", "ignore")
    if not text.strip():
        raise Unreadable("it is empty")
    delimiter = delimiter or _delimiter(text)
    escape = "\\" if _BACKSLASHED.search(text) else '"'
    written: dict[str, Any] = {"delimiter": delimiter}
    written |= {"doublequote": False, "escapechar": escape} if escape != '"' else {}
    first = csv.reader(io.StringIO(text, newline=""), **written)
    rows = [row for _, row in zip(range(_FIRST_ROWS), first, strict=False) if row]
    width = max(len(rows[0]), Counter(map(len, rows[1:-1] or rows)).most_common(1)[0][0])
    check_width(width)
    header = _is_header(rows[0])
    names = [*(rows[0] if header else []), *([""] * width)][:width]
    columns = [f"c{place}" for place in range(width)]
    end = _LINE_END.search(_QUOTED.sub("", text))
    types = ", ".join(f"'{column}': 'VARCHAR'" for column in columns)
    options = (
        f"auto_detect=false, delim='{delimiter}', quote='\"', escape='{escape}', header={header}, "
        f"columns={{{types}}}, "
        f"new_line='{_WRITTEN[end[0] if end else chr(10)]}', max_line_size={_LONGEST_LINE}, "
        f"compression='{'gzip' if path.suffix == '.gz' else 'none'}'"
    )
    lost = 0
    try:
        con.execute(f"CREATE TEMP TABLE {rows_of} AS SELECT * FROM read_csv('{path}', {options})")
        count = con.execute(f"SELECT count(*) FROM {rows_of}").fetchone()
        regular = count is not None and count[0] >= min(len(rows) - header - 1, _FIRST_ROWS // 2)
    except duckdb.InvalidInputException:
        regular = False
    if not regular:
        con.execute(f"CREATE OR REPLACE TEMP TABLE {rows_of} ({', '.join(f'{column} VARCHAR' for column in columns)})")
        lost = _patiently(con, path, rows_of, written, width=width, header=header)
    notes = (f"{lost} rows have more fields than the others: they are left out.",) if lost else ()
    return Relation("", rows_of, tuple(names), untyped=True, notes=notes, scratch=rows_of)


def _patiently(
    con: DuckDBPyConnection, path: Path, rows_of: str, written: dict[str, Any], *, width: int, header: bool
) -> int:
    """Move row by row; the number of rows that were left out."""
    lost = 0
    held: list[list[str | None]] = []
    appender = con.appender(rows_of)
    try:
        with io.TextIOWrapper(opened(path), encoding="utf-8-sig", newline="") as file:
            rows = (row for row in csv.reader(file, **written) if row)
            if header:
                next(rows, None)
            for row in rows:
                if len(row) > width and any(row[width:]):
                    lost += 1
                    continue
                held.append([*row, *[None] * (width - len(row))][:width])
                if len(held) >= _AT_ONCE:
                    appender.append_rows(held)
                    held.clear()
    except csv.Error as error:
        raise Unreadable(f"it is no table: {error}") from error
    if held:
        appender.append_rows(held)
    appender.flush()
    return lost


def _delimiter(text: str) -> str:
    """What stands between the fields: the sign that splits the first lines alike, and most often."""
    lines = [line for line in text.splitlines()[:20] if line.strip()]

    def fields(delimiter: str) -> tuple[int, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        usual, times = Counter(widths).most_common(1)[0]
        return (times if usual > 1 else 0, usual)

    return max(_DELIMITERS, key=fields)


def _is_header(row: Sequence[str]) -> bool:
    """Whether a first row names its columns: no cell is a number, and hardly one is empty."""
    cells = [cell.strip() for cell in row if cell.strip()]
    plain = [cell for cell in cells if not forms_of([cell], untyped=True) or (cell.isdigit() and len(cell) == 4)]
    return len(plain) == len(cells) and 2 * len(cells) > len(row) and not all(cell.isdigit() for cell in cells)
