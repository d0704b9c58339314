"""Tables as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

_FORMULA = re.compile(r"(?![+-]?[.,]?\d[\d.,\s]*(?:[eE][+-]?\d+)?\s?%?$)\s*[=+\-@\t\r]")
"""Begins what a spreadsheet would calculate, or call a program for; a number is none."""


def rows_as_csv(records: Sequence[Mapping[str, str]]) -> str:
    """Records as CSV, a column for each field that any has."""
    columns = list(dict.fromkeys(field for record in records for field in record))
    return as_csv(columns, ([record.get(name, "") for name in columns] for record in records))


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as CSV with its columns named. What a spreadsheet would take for a formula has an apostrophe before it.

    >>> as_csv(["a", "b"], [["=1+1", "-5.2"]])
    "a,b\\r\\n'=1+1,-5.2\\r\\n"
    """
    text = io.StringIO()
    csv.writer(text).writerows(map(_inert, (columns, *rows)))
    return text.getvalue()


def _inert(row: Sequence[str]) -> list[str]:
    return [f"'{cell}" if _FORMULA.match(cell) else cell for cell in row]
