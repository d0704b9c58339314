"""Conditions as a model writes them, all of them texts, made into filters by the types of the fields."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import time
from typing import Annotated, Any, get_args

from pydantic import model_validator

from fathom.data.fields import DataField
from fathom.data.moments import stretch_of
from fathom.data.requests import Filter, Operator, Scalar
from fathom.reasoners.language_model.task import Wire
from fathom.reasoners.language_model.tasks.words import line, one_of

VALUE_LENGTH = 200
"""Characters of a value."""
MOST_VALUES = 50
"""Values of one condition."""
_SIGNS = {"=": "eq", "==": "eq", "!=": "ne", "<>": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_DATE_AND_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")


class Condition(Wire):
    """A condition on one field."""

    field: str
    """A field, by its name."""
    op: Annotated[str, one_of(get_args(Operator))] = "eq"
    """How it is compared; contains looks for a text in it."""
    values: list[str]
    """One value as the dataset writes it; several for in and not_in; none for is_null and not_null."""

    @model_validator(mode="before")
    @classmethod
    def _is_written_in_many_ways(cls, given: Any) -> Any:
        """`value` for `values`, a single one for a list, and what is no text."""
        if not isinstance(given, Mapping):
            return given
        values = given.get("values", given.get("value"))
        listed = values if isinstance(values, list | tuple) else [values]
        return {**given, "values": [_text(each) for each in listed if each is not None]}


def _text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


class Names:
    """The names of fields, found however a model writes them; when none are known, every name is one."""

    def __init__(self, fields: Iterable[DataField]) -> None:
        self.fields = {field.name: field for field in fields}
        self._alike: dict[str, list[str]] = {}
        for name in self.fields:
            for key in {name.casefold(), _bare(name)}:
                self._alike.setdefault(key, []).append(name)

    def find(self, written: str) -> str | None:
        """The name that is meant; `None` for one that there is not, or that may stand for several."""
        written = line(written, VALUE_LENGTH)
        if not self.fields:
            return written or None
        if written in self.fields:
            return written
        alike = self._alike.get(written.casefold()) or self._alike.get(_bare(written)) or []
        return alike[0] if len(alike) == 1 else None


def _bare(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def filters_of(condition: Condition, name: str, field: DataField | None) -> tuple[Filter, ...]:
    """What a condition on the field `name` says; `field` is `None` when nothing is known of it.

    Raises:
        ValueError: it says nothing that can be asked. The message tells the model what would, and repeats no word of
            the dataset: it does not stand in the material.
    """
    written = condition.op.strip().lower()
    op = _SIGNS.get(written, written)
    values = [line(value, VALUE_LENGTH) for value in condition.values][:MOST_VALUES]
    if op not in get_args(Operator):
        raise ValueError("a filter has an op that there is not")
    if op in ("is_null", "not_null"):
        return (Filter(field=name, op=op),)
    if not values:
        raise ValueError("a filter has no value")
    if len(values) > 1:
        op = {"eq": "in", "ne": "not_in"}.get(op, op)
    if op in ("in", "not_in"):
        return (Filter(field=name, op=op, value=tuple(_typed(value, op, field) for value in values)),)
    if len(values) > 1:
        raise ValueError(f"a filter has several values: {op} takes one")
    if field is not None and field.type == "date":
        return _in_time(values[0], op, field)
    if field is not None and field.type == "text" and op == "eq" and values[0] not in field.values:
        op = "contains"  # nobody asks which records have this for all of their prose
    return (Filter(field=name, op=op, value=values[0] if op == "contains" else _typed(values[0], op, field)),)


def _typed(value: str, op: str, field: DataField | None) -> Scalar:
    """A value as the field holds it."""
    kind = field.type if field is not None else "other"
    if kind == "number" or (field is not None and isinstance(field.minimum, int | float)):
        number = _number(value)
        if number is None:
            raise ValueError("a filter on a field of numbers has a value that is none")
        return number
    if kind == "boolean":
        if value.casefold() not in _TRUTH:
            raise ValueError("a filter on a field that is true or false has another value")
        return _TRUTH[value.casefold()]
    if kind == "other" and op in ("gt", "gte", "lt", "lte"):
        number = _number(value)
        return value if number is None else number
    known = (*field.matches, *field.values) if field is not None else ()
    return next((each for each in known if each == value), None) or next(
        (each for each in known if each.casefold() == value.casefold()), value
    )


def _number(text: str) -> int | float | None:
    """The number that a text stands for.

    >>> _number("1,200"), _number("2.50"), _number("many"), _number("1e999")
    (1200, 2.5, None, None)
    """
    try:
        value = float(text.replace(",", "").replace("_", "").replace(" ", ""))
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


# ── Dates ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _in_time(value: str, op: str, field: DataField) -> tuple[Filter, ...]:
    """A condition on a date. A year, a month, and where the field has times a day, is a stretch of time."""
    if op == "contains" or _DATE_AND_TIME.fullmatch(value):
        return (Filter(field=field.name, op=op, value=value),)
    stretch = stretch_of(value)
    if stretch is None or any(bound.time() != time.min for bound in stretch):
        raise ValueError("a filter on dates takes a value such as 2024, 2024-03 or 2024-03-15")
    begins, after = (bound.date().isoformat() for bound in stretch)
    if value.count("-") == 2 and not any(_has_time(bound) for bound in (field.minimum, field.maximum)):
        return (Filter(field=field.name, op=op, value=begins),)
    told: tuple[tuple[Operator, str], ...]
    match op:
        case "eq":
            told = (("gte", begins), ("lt", after))
        case "gt" | "gte":
            told = (("gte", after if op == "gt" else begins),)
        case "lt" | "lte":
            told = (("lt", begins if op == "lt" else after),)
        case _:
            raise ValueError(f"a filter on dates takes {op} only with whole ones such as 2024-03-15")
    return tuple(Filter(field=field.name, op=each, value=bound) for each, bound in told)


def _has_time(bound: Scalar) -> bool:
    return isinstance(bound, str) and ":" in bound
