"""How counts and records stand in a snapshot: text that a person can read, a quotation can be taken from, and that can
be read back.

A snapshot begins with what was asked of whom. Counts follow as a table, one row per group; records follow one
below the other, one line per field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from fathom.data.requests import Scalar
from fathom.data.results import Aggregation, Bucket, Record
from fathom.evidence import Span
from fathom.text.numbers import plain_number

COUNT = "records"
"""Heading of the column that counts."""
NO_VALUE = "(no value)"
"""Stands for a missing value of a key."""
NO_ID = "(no id)"
"""Stands for an id of spaces alone."""
_RECORD = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class SnapshotHead:
    """What was asked of whom: the head of every snapshot, and not when, for the same answer is the same text."""

    dataset: str
    """What a reader calls the dataset."""
    tool: str
    """The tool."""
    arguments: Mapping[str, Any]
    """What it was asked, by its own schema."""
    matched: int | None
    """Records that the filters match."""
    total: int | None
    """Records of the dataset."""

    def lines(self) -> list[str]:
        """The head, line by line."""
        asked = json.dumps(self.arguments, ensure_ascii=False, sort_keys=True)
        counts = [f"matched records: {self.matched}"] if self.matched is not None else []
        counts += [f"records of the dataset: {self.total}"] if self.total is not None else []
        return [
            f"dataset: {one_line(self.dataset)}",
            f"query: {one_line(self.tool)} {asked}",
            *counts,
        ]


def heading_of(text: str) -> tuple[str, str, str]:
    """Of a snapshot the dataset, the tool that was asked, and the line that says how many records match."""
    dataset, query, matched, *_ = [*text.split("\n", 3), "", ""]
    return dataset.partition(": ")[2], query.split(" ", 2)[1], matched


@dataclass(frozen=True)
class TableSnapshot:
    """The text of counts, and where its parts stand."""

    text: str
    head: Span
    """The names of the columns."""
    rows: tuple[Span, ...]
    """One per bucket, in order."""
    matched: Span | None
    """The line that says how many records match."""


def table_snapshot(asked: SnapshotHead, aggregation: Aggregation) -> TableSnapshot:
    """Counts as text."""
    lines = [*asked.lines(), f"counted records: {aggregation.total_docs}"]
    if aggregation.distinct is not None:
        lines.append(f"groups: {aggregation.distinct}")
    if aggregation.other:
        lines.append(f"records in other groups: {aggregation.other}")
    lines += ["", " | ".join(columns_of(aggregation))]
    head = len(lines) - 1
    lines += [" | ".join(cells_of(aggregation, bucket)) for bucket in aggregation.buckets]
    spans = list(_line_spans(lines))
    at = next((number for number, line in enumerate(lines) if line.startswith("matched records: ")), None)
    return TableSnapshot(
        text="\n".join(lines) + "\n",
        head=spans[head],
        rows=tuple(spans[head + 1 :]),
        matched=spans[at] if at is not None else None,
    )


def columns_of(aggregation: Aggregation) -> tuple[str, ...]:
    """The names of the columns: the parts of a key, the count, and each statistic."""
    return (
        *map(one_line, aggregation.fields),
        COUNT,
        *(f"{kind} of {one_line(name)}" for name, kind in _summed(aggregation)),
    )


def cells_of(aggregation: Aggregation, bucket: Bucket) -> tuple[str, ...]:
    """The cells of a row, as they stand in the snapshot."""
    summed = (bucket.statistics.get(name, {}).get(kind) for name, kind in _summed(aggregation))  # type: ignore[call-overload]
    return (
        *(one_line(part) or NO_VALUE for part in bucket.key),
        str(bucket.count),
        *("" if value is None else plain_number(value) for value in summed),
    )


def _summed(aggregation: Aggregation) -> list[tuple[str, str]]:
    """The statistics that any bucket has, as (field, kind), in order."""
    return list(
        dict.fromkeys(
            (name, kind) for each in aggregation.buckets for name in each.statistics for kind in each.statistics[name]
        )
    )


def page_snapshot(asked: SnapshotHead, records: Sequence[Record]) -> str:
    """A page of records as text; `records_in` reads it back."""
    blocks = ["\n".join(asked.lines())]
    for record in records:
        fields: dict[str, str] = {}
        for name, value in record.fields.items():
            if value is not None:
                fields[_unlike(field_name(name), fields)] = value_text(value)
        lines = (f"{name}: {text}" for name, text in fields.items())
        blocks.append("\n".join([f"# {_flat(record.id) or NO_ID}", *lines]))
    return "\n\n".join(blocks) + "\n"


class ValueSpan(NamedTuple):
    """Where a value stands, as a `Span` would say it: a page has a thousand of them, and a noun is dearer to make."""

    start: int
    end: int


@dataclass(frozen=True)
class RecordPlace:
    """A record and where it stands in its snapshot."""

    id: str
    start: int
    """Offset of its first line."""
    end: int
    """Offset behind its last line."""
    fields: dict[str, ValueSpan]
    """Where the value of each field stands."""


def records_in(text: str) -> list[RecordPlace]:
    """The records of a page, in order."""
    found = []
    heads = list(_RECORD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, before in zip(heads, ends, strict=False):  # of a text without records only the end is left
        end = before
        while end > head.end() and text[end - 1] == "\n":
            end -= 1
        fields = {}
        at = head.end() + 1
        for line in text[at:end].split("\n"):
            name, colon, value = line.partition(": ")
            if colon:
                start = at + len(name) + 2
                fields[name] = ValueSpan(start, start + len(value))
            at += len(line) + 1
        found.append(RecordPlace(head[1], head.start(), end, fields))
    return found


def _unlike(name: str, taken: Mapping[str, str]) -> str:
    """The name, numbered when a field before it is called the same once its spaces are."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = field_name(f"{name} ({number})")
    return found


def _line_spans(lines: Sequence[str]) -> Iterator[Span]:
    at = 0
    for line in lines:
        yield Span(start=at, end=at + len(line))
        at += len(line) + 1


def one_line(text: str) -> str:
    """The text without line breaks and bars, so that nothing in it can look like a line, or a cell, of ours."""
    return _flat(text.replace("|", "¦"))


def _flat(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=4_096)
def field_name(name: str) -> str:
    """A name of a field as it stands before its value."""
    return _flat(name).replace(": ", ":").lstrip("# ") or "field"


def value_text(value: Scalar) -> str:
    """A value as it stands in a snapshot."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return plain_number(value)
    return _flat(str(value))
