"""What a snapshot is called: the dataset, what was counted, and the conditions, in signs that every language reads."""

from __future__ import annotations

from fathom.data.naming import SIGNS, conditions
from fathom.data.periods import periods_of
from fathom.data.requests import DataRequest, Filter
from fathom.data.snapshots import value_text
from fathom.languages.packs import pack

_NULL = {"is_null": "= ∅", "not_null": "≠ ∅"}


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
        (
            *([f"“{request.text}”"] if request.text else ()),
            *(
                f"{period.field} {period.signs()}" if period else condition_of(each)
                for period, each in periods_of(request.filters)
            ),
        )
    )
    title = f"{dataset} / {request.table}" if request.table else dataset
    title += f": {what}" if what else ""
    title += f" ({conditions})" if conditions else ""
    if request.is_page and request.search_after:
        title += " › " + ", ".join(value_text(each) for each in request.search_after)
    return " ".join(title.split())


def caption_of(title: str, request: DataRequest, language: str) -> str:
    """A title with its conditions in the words of a language.

    >>> days = (Filter(field="day", op="gte", value="2024-01-01"), Filter(field="day", op="lt", value="2025-01-01"))
    >>> caption_of("events: city (day = 2024)", DataRequest(filters=days), "en")
    'events: city (day in 2024)'
    """
    in_signs = title_of("", DataRequest(text=request.text, filters=request.filters))
    if not in_signs or not title.endswith(f" {in_signs}"):
        return title
    said = conditions(request, language)
    return title.removesuffix(f" {in_signs}") + str(pack(language).says("conditions")["brackets"]).format(said)


def condition_of(filter: Filter) -> str:
    """A condition as a person writes it.

    >>> condition_of(Filter(field="year", op="gte", value=2020))
    'year ≥ 2020'
    """
    if filter.op in _NULL:
        return f"{filter.field} {_NULL[filter.op]}"
    values = filter.value if isinstance(filter.value, tuple) else (filter.value,)
    if filter.op == "contains":
        return f"{filter.field}: {' / '.join(f'“{value_text(value)}”' for value in values)}"
    return f"{filter.field} {SIGNS[filter.op]} {' / '.join(map(value_text, values))}"
