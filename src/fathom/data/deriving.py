"""What follows from the rows of a table: sums, shares, ranks, statistics, each worked out anew and exactly."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from fathom.data.counting import (
    adds_up,
    base_of,
    groups_of,
    in_time,
    is_missing,
    leaves_out,
    ranked,
    steps_in_order,
    tellable,
)
from fathom.data.requests import DataRequest
from fathom.data.results import Aggregation, Statistic

Rows = frozenset[int]


@dataclass(frozen=True)
class CitedTable:
    """Counts that a sentence cites, and which of their rows."""

    aggregation: Aggregation
    """All of it: ranks are worked out over the whole table."""
    rows: tuple[int, ...]
    """The rows that are cited, as indexes of `aggregation.buckets`."""
    matched: int | None = None
    """Records that the filters match; `None` when the tool does not say."""
    total: int | None = None
    """Records of the dataset; `None` when the tool does not say."""
    request: DataRequest = field(default_factory=DataRequest)
    """What was asked for: the filters that a sentence may name."""

    @property
    def base(self) -> int | None:
        """What shares are of."""
        return base_of(self.aggregation, self.matched)

    @property
    def adds_up(self) -> bool:
        """Whether no record counts in several groups, as far as the counts show."""
        return self.base is not None and adds_up(self.aggregation, self.base)

    @property
    def is_complete(self) -> bool:
        """Whether every group is told."""
        return not leaves_out(self.aggregation, self.matched, self.request.top_n)

    @property
    def groups(self) -> int | None:
        """How many groups there are."""
        return groups_of(self.aggregation, self.matched, self.request.top_n)

    @property
    def is_timed(self) -> bool:
        """Whether its groups are steps of time."""
        return in_time(self.aggregation)

    @property
    def ranked(self) -> list[int]:
        """Its groups with a value, the largest first."""
        return ranked(self.aggregation)

    @property
    def steps(self) -> list[int]:
        """Its groups in the order of time."""
        return steps_in_order(self.aggregation)

    @property
    def missing(self) -> Rows:
        """The groups of records without a value."""
        return frozenset(at for at, bucket in enumerate(self.aggregation.buckets) if is_missing(bucket))

    def count(self, rows: Iterable[int]) -> int:
        """Records of several groups."""
        return sum(self.aggregation.buckets[at].count for at in rows)

    def date(self, at: int) -> str:
        """When a step begins."""
        key = self.aggregation.buckets[at].key
        return key[-1] if key else ""

    def between(self, first: Rows, last: Rows) -> Rows:
        """The steps from one to another, both included."""
        dates = sorted(self.date(at) for at in first | last)
        return frozenset(at for at in self.steps if dates[0] <= self.date(at) <= dates[-1])

    def statistic(self, rows: Rows, name: str, kind: Statistic) -> Fraction | None:
        """A statistic of one group, or the sum, the least, the most of several; `None` when it is not told."""
        values = [self.aggregation.buckets[at].statistics.get(name, {}).get(kind) for at in rows]
        known = [exact(value) for value in values if value is not None and tellable(value)]
        if not known or len(known) < len(values):
            return None
        if len(known) == 1:
            return known[0]
        if kind in ("sum", "count") and self.adds_up:
            return sum(known, Fraction(0))
        return max(known) if kind == "max" else min(known) if kind == "min" else None

    @property
    def measured(self) -> list[str]:
        """The fields that have statistics."""
        return list(dict.fromkeys(name for bucket in self.aggregation.buckets for name in bucket.statistics))

    @property
    def is_measured_whole(self) -> bool:
        """Whether it is statistics of all records."""
        return self.aggregation.type == "statistics" and len(self.aggregation.buckets) == 1

    def mean_count(self, rows: Sequence[int]) -> Fraction:
        """Records of a group, on average."""
        return Fraction(self.count(rows), len(rows)) if rows else Fraction(0)

    def median_count(self, rows: Sequence[int]) -> Fraction:
        """Records of the group in the middle."""
        counts = [Fraction(self.aggregation.buckets[at].count) for at in rows]
        return Fraction(statistics.median(counts)) if counts else Fraction(0)


def exact(value: float) -> Fraction:
    """A number as it is written, not as it is stored."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def share(part: int, whole: int | None) -> Fraction | None:
    """A share in per cent."""
    return Fraction(100 * part, whole) if whole and part <= whole else None
