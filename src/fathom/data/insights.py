"""What counts say, in sentences that stand alone: exact, the most telling first, each with the rows it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from fathom.data.groups import of_groups, of_scope
from fathom.data.histograms import of_time
from fathom.data.measures import of_measures
from fathom.data.requests import DataRequest
from fathom.data.results import Aggregation
from fathom.data.saying import Counts, Insight
from fathom.data.wanted import wanted_of

__all__ = ["Insight", "insights_of"]

MOST = 5
"""Insights of one aggregation."""


def insights_of(
    aggregation: Aggregation,
    *,
    request: DataRequest,
    matched: int | None,
    total: int | None,
    language: str,
    question: str = "",
) -> tuple[Insight, ...]:
    """Three to five insights, fewer where the counts do not say more, none of them twice.

    Shares are of the records that match, and left away where that number is not known. Where groups may have been
    left out, nothing is said of the smallest. The statistic that `question` asks for comes first.

    >>> from fathom.data.results import Bucket
    >>> themes = Aggregation(
    ...     type="group_by",
    ...     fields=("theme",),
    ...     buckets=(Bucket(key=("AI",), count=50), Bucket(key=("Cloud",), count=40)),
    ... )
    >>> insights_of(themes, request=DataRequest(group_by=("theme",)), matched=90, total=None, language="en")[0].text
    'Of the 90 records, AI has the most: 50 (55.6 %), followed by Cloud (40).'
    """
    counts = Counts(
        aggregation,
        request=request,
        matched=matched,
        total=total,
        language=language,
        wanted=wanted_of(question),
    )
    found: dict[str, Insight] = {}
    for insight in sorted(_all(counts), key=lambda each: -each.weight):
        found.setdefault(insight.text, insight)
    return tuple(found.values())[:MOST]


def _all(counts: Counts) -> Iterator[Insight]:
    aggregation = counts.aggregation
    empty = not any(bucket.count for bucket in counts.buckets) and not aggregation.other
    if counts.matched == 0 or (counts.matched is None and empty):
        if counts.total and counts.matched == 0 and counts.conditions:
            yield counts.insight(
                "nothing", 1.0, (), wording="none_of", total=counts.total, conditions=counts.conditions
            )
        else:
            yield counts.insight("nothing", 1.0, ())
        return
    yield from of_measures(counts)
    if aggregation.type == "statistics":
        yield from of_scope(counts)
    elif aggregation.type == "date_histogram" and len(aggregation.fields) < 2:
        yield from of_time(counts)
        yield from of_scope(counts)
    else:
        yield from of_groups(counts)
        yield from of_scope(counts)
