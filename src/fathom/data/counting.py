"""What counts say without reading them: shares, ranks, what was left out, how a group is called."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import pairwise

from fathom.data.requests import TOP_N
from fathom.data.results import Aggregation, Bucket
from fathom.data.snapshots import NO_VALUE, one_line

BETWEEN = " / "
"""Stands between the parts of a key."""
OUTLYING = 3
"""Median absolute deviations from the median that make an outlier."""
DATE = re.compile(r"\d{4}(?:-(?:\d{2}(?:-\d{2}(?:[T ]\d{2}(?::\d{2}(?::\d{2})?)?Z?)?)?|[QW]\d{1,2}))?")
"""How the start of a step is written: `2024`, `2024-03`, `2024-03-05`, `2024-Q1`."""


def label_of(key: Sequence[str]) -> str:
    """What a group is called.

    >>> label_of(("AI", "2024")), label_of(("",))
    ('AI / 2024', '(no value)')
    """
    return BETWEEN.join(one_line(part) or NO_VALUE for part in key)


def is_missing(bucket: Bucket) -> bool:
    """Whether it holds the records that have no value."""
    return bool(bucket.key) and not any(map(one_line, bucket.key))


def base_of(aggregation: Aggregation, matched: int | None) -> int | None:
    """The records that shares are of: those that match. `None` when nothing says how many, or less than a group has."""
    base = matched if matched is not None else aggregation.total_docs or None
    if base is None or any(bucket.count > base for bucket in aggregation.buckets):
        return None
    return base


def adds_up(aggregation: Aggregation, base: int) -> bool:
    """Whether groups may be added: no sign that a record counts in several of them."""
    return sum(bucket.count for bucket in aggregation.buckets) + (aggregation.other or 0) <= base


def leaves_out(aggregation: Aggregation, matched: int | None, top_n: int = TOP_N) -> bool:
    """Whether there are groups, or may be, that it does not tell."""
    told = len(aggregation.buckets)
    if aggregation.type != "group_by" and len(aggregation.fields) < 2:
        return bool(aggregation.other)
    if aggregation.distinct is not None:
        return aggregation.distinct > told or bool(aggregation.other)
    if aggregation.other is not None:
        return aggregation.other > 0
    counted = sum(bucket.count for bucket in aggregation.buckets)
    return told >= top_n or (matched is not None and counted < matched)


def groups_of(aggregation: Aggregation, matched: int | None, top_n: int = TOP_N) -> int | None:
    """How many groups there are; `None` when it is not known."""
    if aggregation.distinct is not None and aggregation.distinct >= len(aggregation.buckets):
        return aggregation.distinct
    return None if leaves_out(aggregation, matched, top_n) else len(aggregation.buckets)


def ranked(aggregation: Aggregation) -> list[int]:
    """The groups with a value, the largest first, as indexes of buckets."""
    with_value = [at for at, bucket in enumerate(aggregation.buckets) if not is_missing(bucket)]
    return sorted(with_value, key=lambda at: -aggregation.buckets[at].count)


def steps_in_order(aggregation: Aggregation) -> list[int]:
    """The steps of a histogram in the order of time, as indexes of buckets; those without a date are left away."""
    dated = [at for at, bucket in enumerate(aggregation.buckets) if bucket.key and bucket.key[-1]]
    return sorted(dated, key=lambda at: aggregation.buckets[at].key[-1])


def follow_each_other(aggregation: Aggregation, steps: Sequence[int]) -> bool:
    """Whether no step is missing between those; of weeks, days and hours it is not known, and taken for granted."""
    places = []
    for at in steps:
        if not (match := re.fullmatch(r"(\d{4})(?:-(Q?)(\d{1,2}))?", aggregation.buckets[at].key[-1])):
            return True
        year, quarter, part = int(match[1]), match[2], int(match[3] or 0)
        places.append(year if not part else year * 4 + part if quarter else year * 12 + part)
    return all(after - before == 1 for before, after in pairwise(places))


def percent(part: int, whole: int) -> str:
    """A share in per cent, rounded half-even to one decimal; more decimals where one would say all or nothing.

    >>> percent(50, 165), percent(9_999, 10_000), percent(1, 10_000), percent(3, 3)
    ('30.3', '99.99', '0.01', '100')
    """
    if part in (0, whole):
        return "0" if part == 0 else "100"
    exact, digits = Decimal(100 * part) / Decimal(whole), 1
    while (found := rounded(exact, digits)) in (0, 100):
        digits += 1
    return f"{found:f}"


def change(before: int, after: int) -> str:
    """A change in per cent of `before`, without its sign.

    >>> change(12, 30), change(40, 30), change(10_000, 10_001)
    ('150.0', '25.0', '0.01')
    """
    exact, digits = Decimal(100 * abs(after - before)) / Decimal(before), 1
    while after not in (0, before) and (found := rounded(exact, digits)) in (0, 100) and exact != found:
        digits += 1
    return f"{rounded(exact, digits):,f}"


def rounded(exact: Decimal, digits: int) -> Decimal:
    """Rounded half-even, as IEEE 754 has it, to so many decimals."""
    return exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN)


def measure(value: float) -> str:
    """A statistic as people write it: whole, to one decimal, or below one to three digits that count.

    >>> measure(1234.0), measure(12.34), measure(0.012345), measure(-0.05)
    ('1,234', '12.3', '0.0123', '-0.05')
    """
    exact = Decimal(repr(value))
    if exact == exact.to_integral_value():
        return f"{int(exact):,}"
    if abs(exact) >= 1:
        return f"{rounded(exact, 1):,f}"
    return f"{rounded(exact, 2 - exact.adjusted()).normalize():f}"


def tellable(value: float | None) -> bool:
    """Whether a statistic can be written down: a finite number below 10¹⁵."""
    return value is not None and math.isfinite(value) and abs(value) < 1e15


def median_of(counts: Iterable[int]) -> float:
    """The middle one, or the mean of the two in the middle."""
    return float(statistics.median(counts))


def outliers(counts: Sequence[int]) -> list[int]:
    """Indexes of counts that lie more than three median absolute deviations from the median (Leys et al., 2013,
    without the constant for normal data). Fewer than five counts have none, nor those whose deviation is zero.

    >>> outliers([4, 5, 6, 5, 4, 30])
    [5]
    """
    if len(counts) < 5:
        return []
    middle = statistics.median(counts)
    deviation = statistics.median(abs(count - middle) for count in counts)
    if not deviation:
        return []
    return [at for at, count in enumerate(counts) if abs(count - middle) > OUTLYING * deviation]
