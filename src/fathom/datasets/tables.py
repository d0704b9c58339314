"""Tables and their columns: names as the user wrote them beside names that are safe in a statement."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from fathom.data.requests import Scalar
from fathom.errors import ToolFailed
from fathom.registry import did_you_mean

Kind = Literal["text", "integer", "decimal", "boolean", "date", "moment"]
"""What a column holds; a moment is a date with a time of day."""

MOST_NAMES = 20
"""Names that an error lists."""


@dataclass(frozen=True)
class Column:
    """A column."""

    name: str
    """As the user wrote it."""
    sql: str
    """What stands for it in a statement: never anything that came from outside."""
    kind: Kind
    zoned: bool = False
    """Whether its moments were written with a time zone; they are kept in UTC."""

    @property
    def is_number(self) -> bool:
        """Whether it can be summed up."""
        return self.kind in ("integer", "decimal")

    @property
    def is_date(self) -> bool:
        """Whether it can be laid out over time."""
        return self.kind in ("date", "moment")

    def scalar(self, value: Scalar | date) -> Scalar:
        """What DuckDB returns, as JSON has it."""
        if isinstance(value, date):
            return f"{value.isoformat()}{'Z' if self.kind == 'moment' and self.zoned else ''}"
        return None if self.is_date else value


@dataclass(frozen=True)
class Table:
    """A table, once it is read."""

    name: str
    """Unique among the tables, made of the name of its file."""
    sql: str
    """What stands for it in a statement."""
    columns: tuple[Column, ...]
    total: int
    """Its records."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Columns that were not read, and why."""
    notes: tuple[str, ...] = ()
    """What else a reader should know of how it was read."""

    def column(self, name: str) -> Column:
        """The column of that name, whatever its case when that leaves no choice.

        Raises:
            ToolFailed: there is none; the message names those that are close.
        """
        known = {column.name: column for column in self.columns}
        if name in known:
            return known[name]
        if len(alike := [column for column in self.columns if column.name.casefold() == name.casefold()]) == 1:
            return alike[0]
        shown = ", ".join(list(known)[:MOST_NAMES]) + (", …" if len(known) > MOST_NAMES else "")
        raise ToolFailed(f"There is no field '{name}'.{did_you_mean(name, list(known))} The fields are: {shown}.")


def clean_names(names: Iterable[str]) -> list[str]:
    """Names that are not empty, on one line, and different from each other.

    >>> clean_names(["a", " a ", "", "x\\ny"])
    ['a', 'a_2', 'column_3', 'x y']
    """
    found: list[str] = []
    taken: set[str] = set()
    for place, name in enumerate(names, start=1):
        plain = "".join(char if unicodedata.category(char)[0] != "C" else " " for char in name)
        base = " ".join(plain.split()) or f"column_{place}"
        free = next(each for each in _numbered(base) if each not in taken)
        taken.add(free)
        found.append(free)
    return found


def table_name(stem: str, *, taken: Iterable[str]) -> str:
    """A name for a table like `stem`, of letters, digits, points, hyphens and underscores, that is not taken.

    >>> table_name("Sales 2024; drop", taken=["Sales_2024_drop"])
    'Sales_2024_drop_2'
    """
    plain = re.sub(r"[^\w.-]+", "_", stem).strip("_.-")[:60] or "data"
    used = {name.casefold() for name in taken}
    return next(each for each in _numbered(plain) if each.casefold() not in used)


def _numbered(name: str) -> Iterable[str]:
    yield name
    yield from (f"{name}_{number}" for number in range(2, 1_000_000))
