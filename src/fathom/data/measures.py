"""Insights on statistics of numbers: the groups with the highest and the lowest mean, and what holds of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fathom.data.counting import is_missing, measure, steps_in_order, tellable
from fathom.data.fields import ROW
from fathom.data.histograms import complete_steps
from fathom.data.naming import enumerated
from fathom.data.results import Bucket, Statistic
from fathom.data.saying import Counts, Insight

BESIDE = 2
"""Groups that are told behind the one with the highest figure."""
MOST_TIED = 5
"""Groups with the same figure that are told together."""
KINDS: dict[Statistic, float] = {"mean": 0.0, "sum": 0.3, "median": 0.35}
"""The statistics that groups are compared by, and how much less than the first each weighs."""


def of_measures(counts: Counts) -> Iterator[Insight]:
    """What statistics say: of groups, or of all."""
    fields = list(dict.fromkeys(name for bucket in counts.buckets for name in bucket.statistics if name != ROW))
    for place, field in enumerate(fields):
        later = 0.05 * place
        if counts.aggregation.type == "statistics" and len(counts.buckets) == 1:
            yield from _of_all(counts, field, later)
        else:
            yield from _over_time(counts, field, later)
            yield from _of_groups(counts, field, later)


def _of_groups(counts: Counts, field: str, later: float) -> Iterator[Insight]:
    """Known only when every group is told: a small one that is left out may have the highest mean."""
    if not counts.is_complete:
        return
    single = all(_is_one_value(bucket, field) for bucket in counts.buckets)
    kinds: list[Statistic] = ["mean"] if single else list(dict.fromkeys((*counts.wanted.statistics, *KINDS)))
    for kind in kinds:
        values = _values(counts, field, kind)
        order = sorted(values, key=lambda at: -values[at])
        if len(order) < 2 or values[order[0]] == values[order[-1]]:
            continue
        asked = kind in counts.wanted.statistics
        less = 0.03 * counts.wanted.statistics.index(kind) if asked else KINDS[kind]
        if counts.wanted.statistics and not asked:
            less = max(less, 0.4)
        high, low = 0.95 - less - later, 0.75 - less - later
        if kind == "min" or (counts.wanted.least and (asked or single)):
            high, low = low, high
        names = counts.wanted.groups - 1 if counts.wanted.groups and (asked or single) else BESIDE
        ends = _End(counts, field, kind, values, single=single)
        behind = 0
        if kind != "min":
            told = ends.told(order, weight=high, beside=names if high > low else BESIDE)
            behind = max((len(each.rows) for each in told), default=1) - 1
            yield from told
        if kind != "max" and (kind != "sum" or asked) and len(order) > behind + 1:
            yield from ends.told(order[::-1], weight=low, beside=names if low > high else 0)


class _End:
    """The groups with the most or the least of a statistic."""

    def __init__(self, counts: Counts, field: str, kind: Statistic, values: dict[int, float], *, single: bool) -> None:
        self._counts, self._field, self._kind = counts, field, kind
        self._values, self._value = values, "_value" if single else ""

    def told(self, order: list[int], *, weight: float, beside: int) -> list[Insight]:
        """Who is first in `order`, and up to `beside` behind; all of them where several are first."""
        counts, values = self._counts, self._values
        high = values[order[0]] > values[order[-1]]
        end = "highest" if high else "lowest"
        weight = max(weight, 0.1)
        first = [at for at in order if values[at] == values[order[0]]]
        written = [measure(values[at]) for at in order]
        if len(first) > 1:
            if len(first) > MOST_TIED or (not high and not counts.wanted.least and self._kind != "min"):
                return []
            said = _said(counts, self._field, self._kind, first[0], written[0]) | {"keys": counts.names(first)}
            wording = f"{end}{self._value}_tied"
            return [counts.insight(f"{end}_{self._kind}", weight, first, wording=wording, **said)]
        behind = _behind(written, beside)
        rows = order[: behind + 1]
        said = _said(counts, self._field, self._kind, order[0], written[0])
        told = [
            counts.says["next"].format(key=counts.name(at), value=value)
            for at, value in zip(rows[1:], written[1:], strict=False)
        ]
        said["next"] = enumerated(told, counts.language)
        wording = f"{end}{self._value}_next" if behind else f"{end}{self._value}"
        return [counts.insight(f"{end}_{self._kind}", weight, rows, wording=wording, **said)]


def _over_time(counts: Counts, field: str, later: float) -> Iterator[Insight]:
    """The first and the last step of time that no filter cuts, of the statistic that is asked for."""
    if counts.aggregation.type != "date_histogram" or len(counts.aggregation.fields) > 1:
        return
    steps = complete_steps(counts, steps_in_order(counts.aggregation))
    kind: Statistic = next(iter(counts.wanted.statistics), "mean")
    values = _values(counts, field, kind)
    ends = [at for at in (*steps[:1], *steps[-1:]) if at in values]
    if len(set(ends)) < 2:
        return
    said = {"kind": counts.says["kinds"][kind], "field": field, "a": measure(values[ends[0]])}
    said |= {"b": measure(values[ends[1]]), "first": counts.name(ends[0]), "last": counts.name(ends[1])}
    yield counts.insight(f"ends_{kind}", max(0.97 - later, 0.1), ends, wording="measured_ends", **said)


def _is_one_value(bucket: Bucket, field: str) -> bool:
    """Whether a group is one record, so that its mean is the value itself."""
    had = bucket.statistics.get(field, {})
    return bucket.count == 1 and "max" in had and len({had.get(kind) for kind in ("mean", "min", "max")}) == 1


def _behind(written: list[str], beside: int) -> int:
    """How many groups can be told behind the first: no two with the same figure, nor one that ties with the next."""
    last = min(beside, len(written) - 1)
    while last and (written.count(written[last]) > 1 or len(set(written[: last + 1])) <= last):
        last -= 1
    return last


def _said(counts: Counts, field: str, kind: Statistic, at: int, value: str) -> dict[str, Any]:
    """What a sentence tells of one group; without filters it needs no word on which records are meant."""
    said: dict[str, Any] = {"key": counts.name(at), "kind": counts.says["kinds"][kind], "value": value, "field": field}
    said["with_value"] = _with_value(counts, counts.buckets[at], field)
    return said if counts.conditions or counts.says["of_whole"] else said | {"of_all": ""}


def _with_value(counts: Counts, bucket: Bucket, field: str) -> str:
    """How many records have a value, in brackets; nothing where it is not told."""
    count = bucket.statistics.get(field, {}).get("count")
    if count is None or not tellable(count) or count != int(count) or count <= 0:
        return ""
    if count == 1:
        return ""
    says = counts.says["all_value"] if count == bucket.count else counts.says["with_value"]
    return str(says.format(n=f"{int(count):,}"))


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
    bucket = counts.buckets[0]
    had = {kind: measure(value) for kind, value in bucket.statistics[field].items() if tellable(value)}
    asked: tuple[Statistic, ...] = ("max", "min") if counts.wanted.extreme else counts.wanted.statistics

    def weight(otherwise: float, *kinds: Statistic) -> float:
        """By the place among what is asked for; else a little less than that."""
        place = min((asked.index(kind) for kind in kinds if kind in asked), default=None)
        return max((otherwise - 0.4 * bool(asked) if place is None else 1.0 - 0.03 * place) - later, 0.1)

    if "mean" in had:
        wording = "average" if "median" in had else "mean_only"
        said = {"mean": had["mean"], "median": had.get("median", "")}
        without = bucket.statistics[field].get("count") != counts.base
        said["with_value"] = _with_value(counts, bucket, field) if without else ""
        yield counts.insight("mean", weight(1.0, "mean", "median"), (0,), wording=wording, field=field, **said)
    if "sum" in had:
        yield counts.insight("sum", weight(0.9, "sum"), (0,), wording="summed", field=field, value=had["sum"])
    if "min" in had and "max" in had:
        yield counts.insight("extremes", weight(0.8, "max", "min"), (0,), field=field, low=had["min"], high=had["max"])
