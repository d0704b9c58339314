"""Counts worked out by hand, for the tests of what is said of them."""

from __future__ import annotations

from dataclasses import dataclass

from fathom.data.insights import insights_of
from fathom.data.requests import DataRequest, DateHistogram, Filter
from fathom.data.results import Aggregation, Bucket
from fathom.data.snapshots import cells_of

INDIA = Filter(field="country", value="India")

THEMES = Aggregation(
    type="group_by",
    fields=("event_theme",),
    buckets=tuple(
        Bucket(key=(name,), count=count)
        for name, count in {"AI": 50, "Cloud": 40, "Security": 30, "Data": 25, "IoT": 12, "Web 3.0": 8}.items()
    ),
    total_docs=165,
    distinct=6,
    other=0,
)
"""50, 40, 30, 25, 12, 8 of 165: 30.3, 24.2, 18.2, 15.2, 7.3, 4.8 %. The largest three are 120, 72.7 %."""

TOP = THEMES.model_copy(update={"buckets": THEMES.buckets[:4], "other": 20})
"""The same with two groups of 20 records left out."""

YEARS = Aggregation(
    type="date_histogram",
    fields=("date",),
    interval="year",
    buckets=tuple(
        Bucket(key=(year,), count=count)
        for year, count in {"2021": 20, "2022": 24, "2023": 12, "2024": 30, "2025": 15}.items()
    ),
    total_docs=101,
)
"""20, 24, 12, 30, 15 of 101."""

MONTHS = Aggregation(
    type="date_histogram",
    fields=("date",),
    interval="month",
    buckets=tuple(
        Bucket(key=(month,), count=count)
        for month, count in {
            "2024-01": 4,
            "2024-02": 6,
            "2024-03": 30,
            "2024-04": 5,
            "2024-05": 0,
            "2024-06": 5,
        }.items()
    ),
    total_docs=50,
)

TIED = Aggregation(
    type="group_by",
    fields=("city",),
    buckets=tuple(Bucket(key=(name,), count=count) for name, count in {"Pune": 20, "Delhi": 20, "Goa": 10}.items()),
    distinct=3,
    other=0,
)

SERIES = Aggregation(
    type="group_by",
    fields=("event_theme", "year"),
    buckets=tuple(
        Bucket(key=key, count=count)
        for key, count in {("AI", "2024"): 30, ("AI", "2023"): 12, ("Cloud", "2024"): 9, ("Cloud", "2023"): 18}.items()
    ),
    distinct=4,
    other=0,
)

SPENT = Aggregation(
    type="group_by",
    fields=("event_theme",),
    buckets=(
        Bucket(key=("AI",), count=50, statistics={"attendance": {"mean": 120.5, "sum": 6025, "min": 10, "max": 400}}),
        Bucket(key=("Cloud",), count=40, statistics={"attendance": {"mean": 80.25, "sum": 3210, "min": 5, "max": 300}}),
    ),
    distinct=2,
    other=0,
)

OVERALL = Aggregation(
    type="statistics",
    buckets=(
        Bucket(
            key=(),
            count=165,
            statistics={"attendance": {"count": 165, "min": 3, "max": 500, "mean": 74.83, "median": 60, "sum": 12347}},
        ),
    ),
    total_docs=165,
)


@dataclass(frozen=True)
class Counts:
    """What a sentence on counts is held against."""

    facts: list[str]
    """What was worked out from them, in English and Japanese."""
    cells: list[str]
    """Row by row."""


def cited(
    aggregation: Aggregation,
    *,
    matched: int | None = None,
    total: int | None = 2_000,
    filters: tuple[Filter, ...] = (INDIA,),
) -> Counts:
    """Counts with what was worked out from them."""
    request = DataRequest(
        filters=filters,
        group_by=aggregation.fields if aggregation.type == "group_by" else (),
        date_histogram=DateHistogram(field=aggregation.fields[0]) if aggregation.type == "date_histogram" else None,
    )
    counted = sum(bucket.count for bucket in aggregation.buckets) + (aggregation.other or 0)
    matched = counted if matched is None else matched
    facts = [
        insight.text
        for language in ("en", "ja")
        for insight in insights_of(aggregation, request=request, matched=matched, total=total, language=language)
    ]
    rows = [" | ".join(cells_of(aggregation, bucket)) for bucket in aggregation.buckets]
    return Counts(facts, [f"{matched} records match", f"{total} records in all", *rows])
