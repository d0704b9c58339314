"""Records by their place in a table: the first, the last, and the one behind or before another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from fathom.data.fields import ROW, DatasetDescription
from fathom.data.requests import Filter, Scalar
from fathom.data.results import Statistic
from fathom.data.turns import AggregationResult
from fathom.reasoners.extractive.data import constructions
from fathom.reasoners.extractive.data.days import moment_of

LEAST_SAMPLES = 3
"""Values that say when, from which on it is known in which order the records stand."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_OF_TABLE = re.compile(r"\b(?:list|table|chart|below|above)", re.IGNORECASE)
"""The order that is meant is that of the table, whenever its records are."""


@dataclass(frozen=True)
class Placed:
    """The place of a record among those that match, by the numbers of the rows."""

    end: Literal["min", "max"]
    """Which of those that match, the first or the last one in the table."""
    step: int
    """How many rows behind it: 0 for itself, -1 for the one before it."""
    span: tuple[int, int]
    """Where the question says so."""

    def condition(
        self, matching: tuple[Filter, ...], total: int, counted: Sequence[AggregationResult]
    ) -> tuple[Filter, ...]:
        """The condition that this record alone fulfils; none while it is not known which rows match."""
        ends: Mapping[Statistic, float] = {} if matching else {"min": 1, "max": total}
        for result in counted:
            if result.request.statistics == (ROW,) and result.request.filters == matching:
                ends = next((bucket.statistics.get(ROW, {}) for bucket in result.aggregation.buckets), {})
        row = int(ends.get(self.end, -1)) + self.step
        apart = self.step and ends.get("count") != ends.get("max", 0) - ends.get("min", 0) + 1  # behind which of them?
        if self.end not in ends or apart or not 1 <= row <= total:
            return ()
        return (*(matching if not self.step else ()), Filter(field=ROW, value=row))


def placed(shape: str, dataset: DatasetDescription, *, names_some: bool) -> Placed | None:
    """The place that a question asks for: the first, the last, or the one behind or before the records that it names.

    `None` where it asks for none or for several, or where the records stand in no order that is known.
    """
    forms = ("first", "last", "next", "previous")
    found = [(form, match) for form in forms if (match := constructions.said(f"place {form}", shape))]
    if len(found) != 1 or not dataset.field(ROW):
        return None
    form, match = found[0]
    backwards = False if _OF_TABLE.search(match.string) else is_backwards(dataset)
    if backwards is None or (form in ("next", "previous") and not names_some):
        return None
    is_below = (form in ("last", "next")) is not backwards
    step = 0 if form in ("first", "last") else 1 if is_below else -1
    return Placed("max" if is_below else "min", step, match.span())


def is_backwards(dataset: DatasetDescription) -> bool | None:
    """Whether the records stand in the order of time, the last one first; `None` when in neither order.

    Where nothing says when, they stand in the order in which they are told.
    """
    moment, told = moment_of(dataset), False
    for name in [moment.name] if moment else [field.name for field in dataset.fields]:
        values = [value for record in dataset.samples if (value := _when(record.fields.get(name)))]
        if len(values) < min(LEAST_SAMPLES, len(dataset.samples)):
            continue
        told = True
        if all(before <= after for before, after in pairwise(values)):
            return False
        if all(before >= after for before, after in pairwise(values)):
            return True
    return None if told else False


def _when(value: Scalar) -> str:
    """What a value says of when, so that it can be put in order: a date as it is, of anything else the year."""
    text = str(value if value is not None else "")
    if re.match(r"\d{4}-\d{2}", text):
        return text
    year = _YEAR.search(text)
    return year[0] if year else ""
