"""Insights on statistics of numbers: the groups with the highest and the lowest mean, and what holds of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fathom.data.counting import is_missing, measure, tellable
from fathom.data.naming import enumerated
from fathom.data.results import Bucket, Statistic
from fathom.data.saying import Counts, Insight

BESIDE = 2
"""Groups that are told behind the one with the highest figure."""
KINDS: dict[Statistic, float] = {"mean": 0.0, "sum": 0.3, "median": 0.35}
"""The statistics that groups are compared by, and how much less than the first each weighs."""


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
    single = all(_is_one_value(bucket, field) for bucket in counts.buckets)
    value = "_value" if single else ""
    for kind, less in list(KINDS.items())[: 1 if single else None]:
        values = _values(counts, field, kind)
        order = sorted(values, key=lambda at: -values[at])
        if len(order) < 2 or values[order[0]] == values[order[-1]]:
            continue
        written = [measure(values[at]) for at in order]
        if written.count(written[0]) == 1:
            behind = _behind(written)
            rows = order[: behind + 1]
            said = _said(counts, field, kind, order[0], written[0])
            told = [
                counts.says.next.format(key=counts.name(at), value=value)
                for at, value in zip(rows[1:], written[1:], strict=False)
            ]
            said["next"] = enumerated(told, counts.language)
            wording = f"highest{value}_next" if behind else f"highest{value}"
            yield counts.insight(f"highest_{kind}", max(0.95 - less - later, 0.1), rows, wording=wording, **said)
        else:
            behind = 0
        if kind != "sum" and written.count(written[-1]) == 1 and len(order) > behind + 1:
            said = _said(counts, field, kind, order[-1], written[-1])
            yield counts.insight(
                f"lowest_{kind}", max(0.75 - less - later, 0.1), order[-1:], wording=f"lowest{value}", **said
            )


def _is_one_value(bucket: Bucket, field: str) -> bool:
    """Whether a group is one record, so that its mean is the value itself."""
    had = bucket.statistics.get(field, {})
    return bucket.count == 1 and "max" in had and len({had.get(kind) for kind in ("mean", "min", "max")}) == 1


def _behind(written: list[str]) -> int:
    """How many groups can be told behind the first: no two with the same figure, nor one that ties with the next."""
    last = min(BESIDE, len(written) - 1)
    while last and (written.count(written[last]) > 1 or len(set(written[: last + 1])) <= last):
        last -= 1
    return last


def _said(counts: Counts, field: str, kind: Statistic, at: int, value: str) -> dict[str, Any]:
    """What a sentence tells of one group; without filters it needs no word on which records are meant."""
    said: dict[str, Any] = {"key": counts.name(at), "kind": counts.says.kinds[kind], "value": value, "field": field}
    said["with_value"] = _with_value(counts, counts.buckets[at], field)
    return said if counts.conditions or counts.language == "ja" else said | {"of_all": ""}


def _with_value(counts: Counts, bucket: Bucket, field: str) -> str:
    """How many records have a value, in brackets; nothing where it is not told."""
    count = bucket.statistics.get(field, {}).get("count")
    if count is None or not tellable(count) or count != int(count) or count <= 0:
        return ""
    if count == 1:
        return ""
    says = counts.says.all_value if count == bucket.count else counts.says.with_value
    return says.format(n=f"{int(count):,}")


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
    if "mean" in had:
        wording = "average" if "median" in had else "mean_only"
        said = {"mean": had["mean"], "median": had.get("median", "")}
        without = bucket.statistics[field].get("count") != counts.base
        said["with_value"] = _with_value(counts, bucket, field) if without else ""
        yield counts.insight("mean", max(1.0 - later, 0.1), (0,), wording=wording, field=field, **said)
    if "sum" in had:
        yield counts.insight("sum", max(0.9 - later, 0.1), (0,), wording="summed", field=field, value=had["sum"])
    if "min" in had and "max" in had:
        yield counts.insight("extremes", max(0.8 - later, 0.1), (0,), field=field, low=had["min"], high=had["max"])
