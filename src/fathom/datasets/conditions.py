"""Filters as conditions of a statement: names come from the table alone, and values are always parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fathom.data.moments import stretch_of
from fathom.data.requests import Filter, Operator, Scalar
from fathom.datasets.tables import Column, Table
from fathom.errors import ToolFailed

MOST_VALUES = 1_000
"""Values that one filter may list."""
_SIGNS: dict[Operator, str] = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_LARGEST = 2**126
_MOST_DIGITS = 300
"""Of a number that is written as text."""


@dataclass(frozen=True)
class Condition:
    """What rows must fulfil."""

    sql: str = "true"
    values: tuple[Any, ...] = ()

    @staticmethod
    def all_of(several: Sequence[Condition], word: str = "AND") -> Condition:
        """All of them, or with `OR` any of them."""
        if not several:
            return Condition()
        return Condition(
            f"({f' {word} '.join(each.sql for each in several)})",
            tuple(value for each in several for value in each.values),
        )


def condition_of(table: Table, filters: Sequence[Filter]) -> Condition:
    """All filters together.

    `ne` and `not_in` are the opposite of `eq` and `in`: records without a value fulfil them.

    Raises:
        ToolFailed: there is no such field, or a value cannot be compared with it.
    """
    return Condition.all_of([_condition(table.column(each.field), each) for each in filters])


def _condition(column: Column, given: Filter) -> Condition:
    op, value = given.op, given.value
    if op in ("is_null", "not_null"):
        return Condition(f"{column.sql} IS {'NOT ' if op == 'not_null' else ''}NULL")
    if op in ("in", "not_in"):
        listed = value if isinstance(value, tuple) else (value,)
        if len(listed) > MOST_VALUES:
            raise ToolFailed(
                f"The filter of '{column.name}' lists {len(listed)} values; at most {MOST_VALUES} are allowed."
            )
        found = Condition.all_of([_equal(column, each) for each in listed], "OR") if listed else Condition("false")
        return _opposite(found) if op == "not_in" else found
    if op == "contains" and isinstance(value, tuple) and value:
        if len(value) > MOST_VALUES:
            raise ToolFailed(
                f"The filter of '{column.name}' lists {len(value)} texts; at most {MOST_VALUES} are allowed."
            )
        return Condition.all_of([_contains(column, each) for each in value], "OR")
    if isinstance(value, tuple):
        raise ToolFailed(f"The filter of '{column.name}' gives a list to '{op}'. Use 'in' or 'not_in' for lists.")
    if op in ("eq", "ne"):
        return _opposite(_equal(column, value)) if op == "ne" else _equal(column, value)
    if value is None:
        raise ToolFailed(f"The filter of '{column.name}' gives no value to '{op}'.")
    if op == "contains":
        return _contains(column, value)
    return _compared(column, op, value)


def _opposite(condition: Condition) -> Condition:
    return Condition(f"({condition.sql}) IS NOT TRUE", condition.values)


def _equal(column: Column, value: Scalar) -> Condition:
    if value is None or value == "":
        return Condition(f"{column.sql} IS NULL")
    if column.is_date:
        start, end = _stretch(column, value)
        return Condition(f"({column.sql} >= ? AND {column.sql} < ?)", (start, end))
    return Condition(f"{column.sql} = ?", (_VALUES[column.kind](column, value),))


def _contains(column: Column, value: Scalar) -> Condition:
    if column.kind != "text":
        raise ToolFailed(f"'contains' looks for a text, and the values of '{column.name}' are no texts. Use 'eq'.")
    return Condition(f"contains(lower({column.sql}), lower(?))", (_text(column, value),))


def _compared(column: Column, op: Operator, value: Scalar) -> Condition:
    if column.kind == "boolean":
        raise ToolFailed(f"'{column.name}' is true or false and has no order. Use 'eq'.")
    if column.is_date:
        start, end = _stretch(column, value)
        sign = ">=" if op in ("gt", "gte") else "<"
        return Condition(f"{column.sql} {sign} ?", (end if op in ("gt", "lte") else start,))
    return Condition(f"{column.sql} {_SIGNS[op]} ?", (_VALUES[column.kind](column, value),))


# ── Values ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _text(column: Column, value: Scalar) -> str:  # noqa: ARG001 - one of several of the same form
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _number(column: Column, value: Scalar) -> int | float:
    if isinstance(value, str):
        plain = value.strip().replace(",", "")
        try:
            value = int(plain) if len(plain) <= _MOST_DIGITS else None
        except ValueError:
            try:
                value = float(plain)
            except ValueError:
                value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ToolFailed(f"'{column.name}' is a number and cannot be compared with what the filter gives.")
    return value if isinstance(value, float) or abs(value) < _LARGEST else float(value)


def _boolean(column: Column, value: Scalar) -> bool:
    found = _TRUTH.get(str(value).strip().lower())
    if found is None:
        raise ToolFailed(f"'{column.name}' is true or false and cannot be compared with what the filter gives.")
    return found


def _stretch(column: Column, value: Scalar) -> tuple[Any, Any]:
    found = stretch_of(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if found is None:
        raise ToolFailed(
            f"'{column.name}' is a date and cannot be compared with what the filter gives. Write a date like 2024, "
            "2024-Q1, 2024-03, 2024-03-05 or 2024-03-05T14:30:00."
        )
    return found


_VALUES: dict[str, Callable[[Column, Scalar], Any]] = {
    "text": _text,
    "integer": _number,
    "decimal": _number,
    "boolean": _boolean,
}
