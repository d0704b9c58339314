"""What a tool returns, in one shape, whatever shape it came in."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fathom.data.requests import DataRequest, Scalar
from fathom.frozen import FrozenModel

Statistic = Literal["count", "min", "max", "mean", "median", "sum"]


class Record(FrozenModel):
    """One record of a dataset."""

    id: str = Field(min_length=1)
    """Names it within its dataset; where the dataset has no id, the digest of its fields."""
    fields: dict[str, Scalar]
    """Its values by the name of the field, in the order of the dataset; what was nested is named with dots."""


class Bucket(FrozenModel):
    """One group of records, or one step of a histogram."""

    key: tuple[str, ...]
    """The values that its records share, one per field; for a histogram the start of the step (`2024-03`) comes last.
    An empty text stands for records without a value."""
    count: int = Field(ge=0)
    """Records in it."""
    statistics: dict[str, dict[Statistic, float]] = {}
    """Of each field that was summed up."""
    samples: tuple[Record, ...] = ()
    """Some of its records."""


class Aggregation(FrozenModel):
    """Counts of records: a distribution, a histogram, or statistics of all."""

    type: Literal["group_by", "date_histogram", "statistics"]
    """What it counts by."""
    fields: tuple[str, ...] = ()
    """What the parts of a key are: names of the fields."""
    interval: str = ""
    """How wide a step of a histogram is."""
    buckets: tuple[Bucket, ...] = ()
    """Of a distribution the largest first; of a histogram in the order of time. Statistics of all are one bucket
    without a key."""
    total_docs: int = Field(default=0, ge=0)
    """Records that it was made of."""
    distinct: int | None = Field(default=None, ge=0)
    """Groups that there are, those that were left out included; `None` when not known."""
    other: int | None = Field(default=None, ge=0)
    """Records in groups that were left out; `None` when not known."""


class ToolResult(FrozenModel):
    """What one call of a tool has returned."""

    request: DataRequest = DataRequest()
    """What was asked for, as far as its arguments are understood."""
    aggregations: tuple[Aggregation, ...] = ()
    """Counts."""
    records: tuple[Record, ...] = ()
    """Records, in the tool's order."""
    text: str = ""
    """What is neither: prose, or a shape that nobody understands. Cleaned like a page."""
    matched: int | None = Field(default=None, ge=0)
    """Records that the filters match; `None` when the tool does not say."""
    total: int | None = Field(default=None, ge=0)
    """Records of the whole dataset; `None` when the tool does not say."""
    has_more: bool = False
    """Whether there is another page."""
    search_after: tuple[Scalar, ...] = ()
    """What asks for it (see `DataRequest.search_after`)."""
    revision: str = ""
    """Changes whenever the content of the dataset changes; empty when the tool does not say."""
