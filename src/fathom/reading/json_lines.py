"""JSON lines: a record to a line, its fields under its name."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fathom.errors import Unreadable
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, decode
from fathom.reading.table import MOST_ROWS

_NAMES = ("title", "name", "headline", "subject", "id", "_id", "key")
_SHORT = 200
"""Characters of a value up to which it is told behind its name."""


def read(data: bytes) -> ReadDocument:
    """Read a file; each record stands under the number of its line and its name, if it has one: "Line 3: Fees".

    Raises:
        Unreadable: a line is no record, or there are so many that they are data.
    """
    lines = decode(data).removeprefix("\ufeff").split("\n")
    if sum(map(bool, lines)) > MOST_ROWS:
        raise Unreadable(f"it has more than {MOST_ROWS:,} records; given as data, it is counted")
    out = Composition()
    for number, record in enumerate(lines, start=1):
        if record.strip():
            try:
                _record(number, json.loads(record), out)
            except (ValueError, RecursionError) as error:
                raise Unreadable(f"its line {number} is no JSON") from error
    return out.document()


def _record(number: int, record: object, out: Composition) -> None:
    fields = list(_fields(record))
    name = next((value for wanted in _NAMES for field, value in fields if field.lower() == wanted), "")
    out.write("heading", f"Line {number}: {line(name)[:_SHORT]}".removesuffix(": "), level=1)
    for field, value in fields:
        if len(value) <= _SHORT and "\n" not in value:
            out.write("list_item", f"{field}: {value}" if field else value)
            continue
        for at, paragraph in enumerate(value.split("\n\n")):
            out.write("paragraph", f"{field}: {paragraph}" if field and not at else paragraph)


def _fields(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """The values in a record that say something, each under its path: `author.name`."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from _fields(inner, f"{name}.{key}" if name else str(key))
        case list() if all(isinstance(each, str | int | float) for each in value):
            yield name, ", ".join(map(str, value))
        case list():
            for inner in value:
                yield from _fields(inner, name)
        case None | "":
            pass
        case _:
            yield name, str(value)
