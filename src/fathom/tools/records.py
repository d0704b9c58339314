"""Rows in any shape as `Record`, each with a name of its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from fathom.data.requests import Scalar
from fathom.data.results import Record
from fathom.tools.cleaning import MOST_NAME, MOST_RECORDS, clean_line, flat

_IDS = ("id", "_id", "uuid", "guid", "record_id", "doc_id", "document_id", "identifier", "key", "pk")
"""What names a record where nobody says it, the surest name first."""


def objects(value: Any) -> list[Mapping[Any, Any]]:
    """The objects of a list; none when it is no list."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def records_of(
    rows: Sequence[Mapping[Any, Any]], *, id_field: str | None = None, ids: Sequence[Any] = ()
) -> list[Record]:
    """The rows as records.

    Args:
        id_field: What names a record, when that is known.
        ids: Names that stand beside the rows, one for each.
    """
    cleaned = [flat(row) for row in rows[:MOST_RECORDS]]
    field = id_field if id_field and any(id_field in row for row in cleaned) else _id_field(cleaned)
    given = ids if len(ids) == len(rows) else ()
    found: list[Record] = []
    seen: dict[str, dict[str, Scalar]] = {}
    for number, fields in enumerate(cleaned):
        name = _name(fields.get(field)) if field else ""
        name = name or (_name(given[number]) if given else "") or _digest(fields)
        if seen.setdefault(name, fields) != fields:  # two records of that name
            name = f"{name[:MOST_NAME]}~{_digest(fields)[:8]}"
        found.append(Record.model_construct(id=name, fields=fields))  # its parts are clean
    return found


def _id_field(rows: Sequence[Mapping[str, Scalar]]) -> str | None:
    """The field with a usual name that has another value in each row."""
    by_name = {name.lower(): name for row in rows[:1] for name in row}
    for usual in _IDS:
        if field := by_name.get(usual):
            values = [row.get(field) for row in rows]
            if None not in values and len(set(values)) == len(values):
                return field
    return None


def _name(value: Any) -> str:
    """The value as the name of a record; empty when it can be none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    name = clean_line(str(value), most=MOST_NAME + 1) if not isinstance(value, int) else str(value)[:MOST_NAME]
    return name if len(name) <= MOST_NAME else hashlib.sha256(name.encode()).hexdigest()[:16]


def _digest(fields: Mapping[str, Scalar]) -> str:
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()[:16]
