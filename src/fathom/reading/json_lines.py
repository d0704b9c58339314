"""JSON lines: a record to a line, its fields under its name."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fathom.errors import Unreadable
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, decode
from fathom.reading.table import MOST_ROWS

_NAMES = frozenset({"title", "name", "headline", "subject", "id"})
_SHORT = 200
"""Characters of a name, and of a value that is no paragraph."""


def read(data: bytes) -> ReadDocument:
    """Read a file; each record stands under the number of its line and its name, if it has one: "Line 3: Fees".

    Raises:
        Unreadable: a line is no record, or there are so many that they are data.
    """
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
