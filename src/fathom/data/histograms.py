"""Insights on counts over time: the peak, the change, the trend, the first and the last step, steps without records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from fathom.data.counting import change, follow_each_other, steps_in_order
from fathom.data.saying import NAMED, Counts, Insight

LEAST_LOW = 3
"""Steps of which the one with the fewest is told beside the peak: more than so many."""
MANY = 6
"""Steps from which halves say more than the first and the last one."""


def of_time(counts: Counts) -> Iterator[Insight]:
    """What a histogram says."""
    steps = steps_in_order(counts.aggregation)
    if not any(map(counts.count, steps)):
        return
    if len(steps) == 1:
        yield from _only(counts, steps[0])
        return
    yield from _peak(counts, steps)
    complete = complete_steps(counts, steps)
    yield from _change(counts, complete)
    yield from _trend(counts, complete)
    yield from _ends(counts, steps, told=(*complete[:1], *complete[-1:]))
    yield from counts.outlier(steps, 0.5)
    yield from _gaps(counts, steps)


def _steps(counts: Counts) -> str:
    return str(counts.says["intervals"].get(counts.aggregation.interval) or counts.says["intervals"][""])


def _only(counts: Counts, step: int) -> Iterator[Insight]:
    """All in one step: nothing new where a filter has bound the time."""
    field = counts.aggregation.fields[-1] if counts.aggregation.fields else ""
    if any(each.field == field for each in counts.request.filters):
        return
    wording = "only" if counts.count(step) == counts.base else "only_group"
    said: dict[str, Any] = {"count": counts.count(step), "share": counts.share(counts.count(step))}
    yield counts.insight("leader", 0.6, (step,), wording=wording, key=counts.name(step), **said)


def _peak(counts: Counts, steps: Sequence[int]) -> Iterator[Insight]:
    most = max(map(counts.count, steps))
    best = [at for at in steps if counts.count(at) == most]
    said: dict[str, Any] = {"count": most, "share": counts.share(most)}
    if len(best) == 1:
        low = _low(counts, steps)
        if low is not None:
            said |= {"low": counts.count(low), "low_key": counts.name(low)}
        rows = best if low is None else [*best, low]
        wording = "peak" if low is None else "peak_low"
        yield counts.insight("peak", 0.9, rows, wording=wording, key=counts.name(best[0]), **said)
    elif len(best) <= NAMED:
        yield counts.insight("peak", 0.9, best, wording="peaks", keys=counts.names(best), **said)
    else:
        said |= {"n": len(best), "steps": _steps(counts)}
        yield counts.insight("peak", 0.6, best, wording="peaks_many", **said)


def _low(counts: Counts, steps: Sequence[int]) -> int | None:
    """The step with the fewest records; `None` where it is not one, or where steps are cut or left out."""
    if len(steps) <= LEAST_LOW or len(complete_steps(counts, steps)) < len(steps):
        return None
    known = counts.aggregation.interval in ("year", "quarter", "month") and follow_each_other(counts.aggregation, steps)
    least = min(map(counts.count, steps))
    lowest = [at for at in steps if counts.count(at) == least]
    return lowest[0] if known and least and counts.is_complete and len(lowest) == 1 else None


def complete_steps(counts: Counts, steps: Sequence[int]) -> Sequence[int]:
    """The steps without those that a filter on the date cuts: what is counted there is only a part."""
    field = counts.aggregation.fields[-1] if counts.aggregation.fields else ""
    bounds = [
        (each.value, each.op)
        for each in counts.request.filters
        if each.field == field and each.op in ("gt", "gte", "lt", "lte", "eq") and isinstance(each.value, str)
    ]
    return [at for at in steps if not any(_cuts(value, counts.buckets[at].key[-1], op) for value, op in bounds)]


def _cuts(bound: str, step: str, op: str) -> bool:
    """Whether a bound lies within a step and not where it begins, or ends.

    >>> _cuts("2024-03-10", "2024-03", "gte"), _cuts("2024-03-01", "2024-03", "gte"), _cuts("2024-03", "2024-03", "lt")
    (True, False, False)
    """
    if len(bound) <= len(step) or not bound.startswith(step):
        return False
    rest = re.sub(r"[T ].*", "", bound)[len(step) :]
    at_the_start = not rest or set(rest.split("-")) <= {"", "01"}
    if op in ("gte", "lt"):
        return not at_the_start
    return not (op == "lte" and _is_last_day(bound, step))


def _is_last_day(bound: str, step: str) -> bool:
    try:
        following = date.fromisoformat(bound[:10]) + timedelta(days=1)
    except ValueError:
        return False
    return not following.isoformat().startswith(step)


def _change(counts: Counts, steps: Sequence[int]) -> Iterator[Insight]:
    """Between the first and the last step that no filter cuts."""
    if len(steps) < 2:
        return
    first, last = steps[0], steps[-1]
    weight = 0.85 if len(steps) <= MANY or not follow_each_other(counts.aggregation, steps) else 0.6
    a, b = counts.count(first), counts.count(last)
    said: dict[str, Any] = {"a": a, "b": b, "first": counts.name(first), "last": counts.name(last)}
    if a == b:
        yield counts.insight("change", weight - 0.2, (first, last), wording="same", **said)
    else:
        by = counts.says["by"].format(percent=change(a, b)) if a else ""
        yield counts.insight("change", weight, (first, last), wording="rose" if b > a else "fell", by=by, **said)


def _trend(counts: Counts, steps: Sequence[int]) -> Iterator[Insight]:
    """The first half of the steps against the second; the one in the middle counts for none."""
    half = len(steps) // 2
    if half < 2 or not follow_each_other(counts.aggregation, steps):
        return
    before, after = steps[:half], steps[-half:]
    a, b = counts.sum(before), counts.sum(after)
    if a == b:
        return
    said: dict[str, Any] = {"a": a, "b": b}
    said |= {"first": counts.name(before[0]), "until": counts.name(before[-1])}
    said |= {"since": counts.name(after[0]), "last": counts.name(after[-1])}
    yield counts.insight("trend", 0.7, (*before, *after), wording="halves", **said)


def _ends(counts: Counts, steps: Sequence[int], *, told: Sequence[int]) -> Iterator[Insight]:
    """The first and the last step with records, unless a change between them is `told` already."""
    filled = [at for at in steps if counts.count(at)]
    if len(filled) < 2 or counts.base is None or (filled[0], filled[-1]) == tuple(told):
        return
    first, last = filled[0], filled[-1]
    said: dict[str, Any] = {"a": counts.count(first), "first": counts.name(first), "n": len(filled)}
    said |= {"b": counts.count(last), "last": counts.name(last), "steps": _steps(counts)}
    yield counts.insight("steps", 0.4, filled, **said)


def _gaps(counts: Counts, steps: Sequence[int]) -> Iterator[Insight]:
    """Steps that are told and have no records."""
    empty = [at for at in steps if not counts.count(at)]
    if not empty:
        return
    ends = {"first": counts.name(steps[0]), "last": counts.name(steps[-1])}
    if len(empty) <= NAMED:
        yield counts.insight("gap", 0.45, empty, keys=counts.names(empty), **ends)
    else:
        said: dict[str, Any] = {"n": len(empty), "steps": _steps(counts)}
        yield counts.insight("gap", 0.45, empty, wording="gaps", **said, **ends)
