"""Tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence


def rows_as_csv(records: Sequence[Mapping[str, str]]) -> str:
    """Records as CSV, a column for each field that any has."""
    columns = list(dict.fromkeys(field for record in records for field in record))
    return as_csv(columns, ([record.get(name, "") for name in columns] for record in records))


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as CSV with its columns named."""
    text = io.StringIO()
    csv.writer(text).writerows((columns, *rows))
    return text.getvalue()
