"""Whether a record fulfils the conditions of a question, for tools that cannot be told them."""

from __future__ import annotations

from collections.abc import Iterable

from fathom.data.requests import Filter
from fathom.data.snapshots import PlacedRecord, field_name, value_text


def fits(record: PlacedRecord, text: str, filters: Iterable[Filter]) -> bool:
    """Whether the values of a record of `text` are those that are named, as far as its fields tell.

    Days and numbers are left to the tools: how they are written differs too much.
    """
    return all(_fits(record, text, each) for each in filters)


def _fits(record: PlacedRecord, text: str, given: Filter) -> bool:
    span = record.fields.get(field_name(given.field))
    if span is None:
        return given.op not in ("eq", "in", "contains") or not record.fields
    held = text[span.start : span.end].casefold()
    several = given.value if isinstance(given.value, tuple) else (given.value,)
    values = [value_text(value).casefold() for value in several if value is not None]
    match given.op:
        case "eq" | "in":
            return held in values
        case "ne" | "not_in":
            return held not in values
        case "contains":
            return any(value in held for value in values)
        case _:
            return True
