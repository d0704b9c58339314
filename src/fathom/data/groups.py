"""Insights on groups: who has most and least, the largest together, how even they are, what is not told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from fathom.data.counting import is_missing, percent
from fathom.data.naming import enumerated
from fathom.data.saying import NAMED, Counts, Insight

SIMILAR = 1.25
"""The largest group has at most so many times the records of the smallest when they are even."""


BESIDE = 2
"""Groups that are told behind the one with the most."""
BESIDE_STATISTICS = 0.4
"""What counts weigh when it is statistics that were asked for, beside 1 without."""


def of_groups(counts: Counts) -> Iterator[Insight]:
    """What a distribution says. Records without a value are no group among the others: they are told apart.

    Nothing is told of fields that a filter fixes: every record has that value.
    """
    fixed = {each.field for each in counts.request.filters if each.op == "eq"}
    if counts.aggregation.fields and fixed.issuperset(counts.aggregation.fields):
        return
    measured = any(bucket.statistics for bucket in counts.buckets)
    for insight in _of_groups(counts):
        yield replace(insight, weight=insight.weight * BESIDE_STATISTICS) if measured else insight


def _of_groups(counts: Counts) -> Iterator[Insight]:
    order = counts.ranked
    if order and counts.count(order[0]) and not (len(order) > 1 and all(counts.count(at) == 1 for at in order)):
        leader = _leader(counts, order)
        yield leader
        together = list(_together(counts, order))
        yield from together
        if not any(each.kind == "even" for each in together):
            yield from _smallest(counts, order, told=leader.rows)
        if counts.is_complete:
            yield from counts.outlier(order, 0.45)
    yield from _rest(counts)


def of_scope(counts: Counts) -> Iterator[Insight]:
    """How many records of the dataset match."""
    matched, total = counts.matched, counts.total
    alone = counts.aggregation.type == "statistics" and not counts.buckets  # nothing else was asked for
    if counts.conditions and matched is not None and total and matched <= total:
        share = counts.says["share"].format(percent=percent(matched, total))
        yield counts.insight(
            "scope", 1.0 if alone else 0.42, (), total=total, matched=matched, share=share, conditions=counts.conditions
        )
    elif alone and matched:
        yield counts.insight("scope", 1.0, (), wording="whole", matched=matched)


def _leader(counts: Counts, order: list[int]) -> Insight:
    count = counts.count(order[0])
    best = [at for at in order if counts.count(at) == count]
    said: dict[str, Any] = {"count": count, "share": counts.share(count)}
    if len(order) == 1 and counts.is_complete:
        wording = "only" if count == counts.base else "only_group"
        return counts.insight("leader", 1.0, best, wording=wording, key=counts.name(best[0]), **said)
    if len(best) > NAMED:
        return counts.insight("ties", 1.0, best, wording="ties_many", n=len(best), **said)
    if len(best) > 1:
        return counts.insight("ties", 1.0, best, keys=counts.names(best), **said)
    rows, behind = _behind(counts, order)
    wording = "leader_next" if rows else "leader"
    return counts.insight("leader", 1.0, (*best, *rows), wording=wording, key=counts.name(best[0]), next=behind, **said)


def _behind(counts: Counts, order: list[int]) -> tuple[list[int], str]:
    """The groups that come next, as far as it is clear which they are, with their counts."""
    sizes = [*map(counts.count, order), 0]
    last = BESIDE if len(order) > BESIDE else 1
    while last and (not sizes[last] or sizes[last] == sizes[last + 1]):
        last -= 1
    rows = order[1 : last + 1]
    if len(rows) > 1 and sizes[1] == sizes[last]:
        return rows, counts.says["next_tied"].format(keys=counts.names(rows), value=f"{sizes[1]:,}")
    told = [counts.says["next_count"].format(key=counts.name(at), value=f"{counts.count(at):,}") for at in rows]
    return rows, enumerated(told, counts.language)


def _together(counts: Counts, order: list[int]) -> Iterator[Insight]:
    """The largest together, and how few make up more than half."""
    sizes = [counts.count(at) for at in order]
    said: dict[str, Any]
    if not counts.base or not counts.adds_up:
        return
    if len(order) > NAMED and sizes[NAMED - 1] > sizes[NAMED] and 2 * sum(sizes[:NAMED]) > counts.base:
        top = order[:NAMED]
        summed = counts.sum(top)
        said = {"k": NAMED, "keys": counts.names(top), "sum": summed, "share": counts.share(summed)}
        yield counts.insight("top", 0.9, top, **said)
    groups = counts.groups
    if groups is None:
        return
    if len(order) > 2 and counts.is_complete and sizes[-1] and sizes[0] <= SIMILAR * sizes[-1]:
        ends = (order[0], order[-1])
        said = {"n": len(order), "high": sizes[0], "high_key": counts.name(order[0])}
        if sizes[0] != sizes[-1]:
            low: dict[str, Any] = {"low": sizes[-1], "low_key": counts.name(order[-1])}
            yield counts.insight("even", 0.6, ends, **said, **low)
        return
    few = next((n for n in range(1, len(order) + 1) if 2 * sum(sizes[:n]) > counts.base), None)
    if few is not None and 1 < few <= NAMED - 1 and groups >= 4 * few and sizes[few - 1] > sizes[few]:
        rows = order[:few]
        said = {"k": few, "n": groups, "keys": counts.names(rows), "sum": counts.sum(rows)}
        yield counts.insight("concentration", 0.65, rows, **said, share=counts.share(counts.sum(rows)))


def _smallest(counts: Counts, order: list[int], *, told: Sequence[int]) -> Iterator[Insight]:
    """Known only when every group is told; not said of one that is `told` already."""
    count = counts.count(order[-1])
    if not counts.is_complete or count == counts.count(order[0]) or order[-1] in told:
        return
    least = [at for at in order if counts.count(at) == count]
    said: dict[str, Any] = {"count": count, "share": counts.share(count)}
    if len(least) == 1:
        yield counts.insight("smallest", 0.5, least, key=counts.name(least[0]), **said)
    elif len(least) <= NAMED:
        yield counts.insight("smallest", 0.5, least, wording="smallest_tied", keys=counts.names(least), **said)


def _rest(counts: Counts) -> Iterator[Insight]:
    """Records without a value, groups that are not told, and how many groups there are."""
    for at, bucket in enumerate(counts.buckets):
        if is_missing(bucket) and bucket.count:
            if bucket.count == counts.base:
                yield counts.insight("missing", 1.0, (at,), wording="missing_all")
            else:
                share = counts.share(bucket.count)
                yield counts.insight("missing", 0.7, (at,), count=bucket.count, share=share)
            break
    other = counts.aggregation.other
    if other and counts.adds_up:
        listed = tuple(range(len(counts.aggregation.buckets)))  # what is left when these are taken away
        yield counts.insight("other", 0.55, listed, sum=other, share=counts.share(other))
    groups = len(counts.ranked) if counts.is_complete else counts.groups
    asked = counts.wanted.different
    if groups and (groups > NAMED or asked) and counts.base is not None and len(counts.aggregation.fields) == 1:
        yield counts.insight("distribution", 1.0 if asked else 0.3, (), n=groups)
