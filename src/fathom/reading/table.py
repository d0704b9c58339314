"""Small tables in files: rows of cells with commas, semicolons or tabs between them."""

from __future__ import annotations

import csv
import io
from itertools import islice

from fathom.errors import Unreadable
from fathom.evidence import Block, Span
from fathom.reading.document import ReadDocument, decode, row_of
from fathom.reading.visible import visible

MOST_ROWS = 1_000
"""Rows of a table that is read as a text; a larger one holds data, which are counted."""


def read(data: bytes) -> ReadDocument:
    """Read a table. Its snapshot is the text that a person would read, a row to a line; the first row leads the others.

    Raises:
        Unreadable: it is none, or too large to be read as a text.
    """
    text = visible(decode(data)).removeprefix("\ufeff")
    first = text.partition("\n")[0]
    try:
        table = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
        cells = ([" ".join(cell.split()) for cell in row] for row in islice(table, MOST_ROWS + 1))
        rows = [row_of(row) for row in cells if any(row)]
    except csv.Error as error:
        raise Unreadable(f"it is no table: {error}") from error
    if len(rows) > MOST_ROWS:
        raise Unreadable(f"it has more than {MOST_ROWS:,} rows; given as data, it is counted")
    blocks: list[Block] = []
    head: Span | None = None
    at = 0
    for row in rows:
        end = at + len(row)
        if head is None:
            head = Span(start=at, end=end)
        else:
            blocks.append(Block(kind="table_row", start=at, end=end, lead_in=head))
        at = end + 1
    return ReadDocument(text="\n".join(rows), title="", markup="plain", blocks=tuple(blocks))
