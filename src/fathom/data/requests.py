"""What a dataset is asked for, in words that fit every tool: filters, groups, histograms, pages."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fathom.frozen import FrozenModel

Scalar = str | int | float | bool | None
"""A value of a field, as JSON has it. A date is an ISO 8601 string."""
Operator = Literal["eq", "ne", "in", "not_in", "gt", "gte", "lt", "lte", "contains", "is_null", "not_null"]
Interval = Literal["year", "quarter", "month", "week", "day", "hour"]

PAGE_SIZE = 100
"""Records that one page has at most."""
TOP_N = 20
"""Groups that are told, unless more are asked for."""
SAMPLES = 20
"""Records of each group that a scan by samples reads."""


class Filter(FrozenModel):
    """A condition on one field. All filters of a request hold together."""

    field: str = Field(min_length=1)
    """Name of the field."""
    op: Operator = "eq"
    """How its value is compared; `contains` looks for a text in it, or for any of several, whatever its case."""
    value: Scalar | tuple[Scalar, ...] = None
    """What it is compared with: a list for `in` and `not_in`, maybe for `contains`; nothing for `is_null`."""


class DateHistogram(FrozenModel):
    """Records over time."""

    field: str = Field(min_length=1)
    """Name of the field with the date."""
    interval: Interval = "month"
    """How wide a step is."""


class Counting(FrozenModel):
    """Which records are counted, and how."""

    table: str = ""
    """Name of the table; empty for the one that is described, or the only one."""
    filters: tuple[Filter, ...] = ()
    """All of them hold."""
    group_by: tuple[str, ...] = ()
    """Fields whose values, together, make the groups."""
    date_histogram: DateHistogram | None = None
    """Counts over time; with `group_by`, for each group."""
    statistics: tuple[str, ...] = ()
    """Fields of numbers that are summed up, for each group or for all (see `fathom.data.results.Statistic`)."""
    top_n: int = Field(default=TOP_N, ge=1, le=1_000)
    """Groups that are returned, the largest first."""
    samples_per_bucket: int = Field(default=0, ge=0, le=100)
    """Records that come with each group."""


class DataRequest(Counting):
    """What a tool is asked for. Without groups, histogram and statistics it is a page of records."""

    text: str = ""
    """Words that the records must match, for tools that search."""
    page_size: int = Field(default=PAGE_SIZE, ge=1, le=PAGE_SIZE)
    """Records of a page."""
    search_after: tuple[Scalar, ...] = ()
    """Where the page before has ended, as the tool has said; empty for the first page."""

    @property
    def is_page(self) -> bool:
        """Whether records are asked for and not counts."""
        return not (self.group_by or self.date_histogram or self.statistics)

    def as_pages(self, size: int = PAGE_SIZE) -> DataRequest:
        """The same records, page by page from the first: what was grouped is not grouped any more."""
        return DataRequest(
            table=self.table, text=self.text, filters=self.filters, page_size=max(1, min(size, PAGE_SIZE))
        )
