"""Insights on statistics of numbers: the groups with the highest and the lowest mean, and what holds of all."""

from __future__ import annotations

from collections.abc import Iterator

from fathom.data.counting import is_missing, measure, tellable
from fathom.data.results import Statistic
from fathom.data.saying import Counts, Insight


def of_measures(counts: Counts) -> Iterator[Insight]:
    """What statistics say: of groups, or of all."""
    fields = list(dict.fromkeys(name for bucket in counts.buckets for name in bucket.statistics))
    for place, field in enumerate(fields):
        later = 0.05 * place
        if counts.aggregation.type == "statistics" and len(counts.buckets) == 1:
            yield from _of_all(counts, field, later)
        else:
            yield from _of_groups(counts, field, later)


def _of_groups(counts: Counts, field: str, later: float) -> Iterator[Insight]:
    """Known only when every group is told: a small one that is left out may have the highest mean."""
    if not counts.is_complete:
        return
    for kind in ("mean", "sum"):
        values = _values(counts, field, kind)
        if len(values) < 2 or len(set(values.values())) < 2:
            continue
        for wording, extreme, weight in (("highest", max, 0.95), ("lowest", min, 0.75)):
            value = extreme(values.values())
            rows = [at for at, each in values.items() if each == value]
            written = [measure(each) for each in values.values()].count(measure(value))
            if len(rows) == 1 and written == 1:
                said = {"key": counts.name(rows[0]), "kind": counts.says.kinds[kind], "value": measure(value)}
                weight -= later + (0.3 if kind == "sum" else 0)
                yield counts.insight(f"{wording}_{kind}", max(weight, 0.1), rows, wording=wording, field=field, **said)


def _values(counts: Counts, field: str, kind: Statistic) -> dict[int, float]:
    """The statistic of each group that has a value, and has it."""
    return {
        at: value
        for at, bucket in enumerate(counts.buckets)
        if not is_missing(bucket)
        and (value := bucket.statistics.get(field, {}).get(kind)) is not None
        and tellable(value)
    }


def _of_all(counts: Counts, field: str, later: float) -> Iterator[Insight]:
    had = {kind: measure(value) for kind, value in counts.buckets[0].statistics[field].items() if tellable(value)}
    if "mean" in had:
        wording = "average" if "median" in had else "mean_only"
        said = {"mean": had["mean"], "median": had.get("median", "")}
        yield counts.insight("mean", max(1.0 - later, 0.1), (0,), wording=wording, field=field, **said)
    if "sum" in had:
        yield counts.insight("sum", max(0.9 - later, 0.1), (0,), wording="summed", field=field, value=had["sum"])
    if "min" in had and "max" in had:
        yield counts.insight("extremes", max(0.8 - later, 0.1), (0,), field=field, low=had["min"], high=had["max"])
