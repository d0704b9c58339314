"""What a snapshot is called: the dataset, what was counted, and the conditions, in signs that every language reads."""

from __future__ import annotations

from fathom.data.requests import DataRequest, Filter, Operator
from fathom.data.snapshots import value_text

_SIGNS: dict[Operator, str] = {
    "eq": "=",
    "ne": "≠",
    "in": "∈",
    "not_in": "∉",
    "gt": ">",
    "gte": "≥",
    "lt": "<",
    "lte": "≤",
    "contains": "∋",
    "is_null": "= ∅",
    "not_null": "≠ ∅",
}


def title_of(dataset: str, request: DataRequest) -> str:
    """The title of what a request brings.

    >>> title_of("events", DataRequest(filters=(Filter(field="country", value="India"),), group_by=("theme",)))
    'events: theme (country = India)'
    """
    histogram = request.date_histogram
    counted = " × ".join((*request.group_by, *((f"{histogram.field} / {histogram.interval}",) if histogram else ())))
    summed = ", ".join(f"Σ {field}" for field in request.statistics)
    what = "; ".join(part for part in (counted, summed) if part)
    conditions = ", ".join(
        (*([f'"{request.text}"'] if request.text else ()), *(condition_of(each) for each in request.filters))
    )
    title = f"{dataset} / {request.table}" if request.table else dataset
    title += f": {what}" if what else ""
    title += f" ({conditions})" if conditions else ""
    if request.is_page and request.search_after:
        title += " › " + ", ".join(value_text(each) for each in request.search_after)
    return " ".join(title.split())


def condition_of(filter: Filter) -> str:
    """A condition as a person writes it.

    >>> condition_of(Filter(field="year", op="gte", value=2020))
    'year ≥ 2020'
    """
    sign = _SIGNS[filter.op]
    if filter.op in ("is_null", "not_null"):
        return f"{filter.field} {sign}"
    if isinstance(filter.value, tuple):
        return f"{filter.field} {sign} {{{', '.join(map(value_text, filter.value))}}}"
    return f"{filter.field} {sign} {value_text(filter.value)}"
