"""Counts in any shape as `Aggregation`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from fathom.data.requests import DataRequest
from fathom.data.results import Aggregation, Bucket, Statistic
from fathom.tools.cleaning import clean_line
from fathom.tools.records import objects, records_of

_MOST_BUCKETS = 5_000
_COUNTS = ("doc_count", "count", "records", "n", "total", "num", "cnt", "freq", "frequency", "hits", "件数")
"""What the number of records of a group is called, the surest name first."""
_SHARES = ("percentage", "percent", "share", "doc_count_error_upper_bound")
_KEYS = ("key_as_string", "key", "value", "name", "term", "label", "bucket", "val", "date", "interval", "period")
_STATISTICS: dict[str, Statistic] = {
    **{name: name for name in get_args(Statistic)},
    "avg": "mean",
    "average": "mean",
    "minimum": "min",
    "maximum": "max",
    "total": "sum",
    "value_count": "count",
}
_TIME = re.compile(r"\d{4}(?:-(?:\d{2}|[QW]\d{1,2})(?:-\d{2}(?:[T ].*)?)?)?")


def own_aggregations(
    value: Any, request: DataRequest, *, matched: int | None, id_field: str | None
) -> list[Aggregation]:
    """The counts of our own server: `group_by`, `date_histogram` and `statistics` side by side."""
    if not isinstance(value, Mapping):
        return []
    found = []
    for kind in ("group_by", "date_histogram"):
        part = value.get(kind)
        if not isinstance(part, Mapping) or not isinstance(part.get("buckets"), list):
            continue
        named = part.get("fields", [part.get("field", "")])
        names = names_of(named if isinstance(named, list) else [named])
        buckets = _buckets(part["buckets"], id_field)
        width = max((len(bucket.key) for bucket in buckets), default=len(names))
        if kind == "date_histogram" and width > len(names):  # counted for each group, too
            names = [*request.group_by[: width - len(names)], *names]
        found.append(
            _aggregation(
                kind,
                names,
                buckets,
                interval=clean_line(str(part.get("interval") or "")) if kind == "date_histogram" else "",
                other=count(part.get("other_doc_count")),
                distinct=count(part.get("distinct")),
                total=matched,
            )
        )
    statistics = value.get("statistics")
    if isinstance(statistics, Mapping) and (summed := summaries(statistics)):
        found.append(_of_all(summed, matched))
    return found


def searched_aggregations(value: Any, request: DataRequest, *, matched: int | None) -> list[Aggregation]:
    """The counts of a search engine, and facets.

    `{NAME: {buckets: [...]}}`, `{NAME: {value: 3.5}}`, `{field: {value: count}}`.
    """
    if isinstance(value, list):  # [{field, buckets}]
        value = {str(each.get("field", each.get("name", ""))): each for each in objects(value)}
    if not isinstance(value, Mapping):
        return []
    found: list[Aggregation] = []
    summed: dict[str, dict[Statistic, float]] = {}
    for name, part in list(value.items())[:50]:
        fields = names_of([str(name)])
        if len(value) == 1 and len(request.group_by) == 1 and not request.date_histogram:
            fields = list(request.group_by)
        rows = _rows_of(part)
        if rows is not None:
            buckets = _buckets(rows, None)
            if buckets:
                other = count(part.get("sum_other_doc_count", part.get("other"))) if isinstance(part, Mapping) else None
                found.append(_aggregation(_kind(fields, buckets, request), fields, buckets, other=other))
        elif isinstance(part, Mapping):
            words = str(name).split("_")
            kind = next((word for word in words if word.lower() in _STATISTICS), "")  # avg_price
            field = clean_line("_".join(word for word in words if word != kind)) or fields[0]
            if numbers := _numbers(part) or _numbers({kind: part.get("value")}):
                summed.setdefault(field, {}).update(numbers)
    return [*found, *([_of_all(summed, matched)] if summed else [])]


def counted_rows(rows: Sequence[Mapping[Any, Any]], request: DataRequest) -> Aggregation | None:
    """Rows that are counts and no records: `[{"country": "India", "count": 5}]`."""
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        return None
    names = [name for name in rows[0] if isinstance(name, str)]
    counted = next((name for name in _COUNTS if name in names), None)
    if counted is None or any(count(row.get(counted)) is None for row in rows):
        return None
    asked = [name for name in request.group_by if name in names]
    if request.date_histogram and request.date_histogram.field in names:
        asked.append(request.date_histogram.field)
    keys = asked or [name for name in names if name != counted and name not in _SHARES]
    if not asked and (len(keys) != 1 or (keys[0] not in _KEYS and counted not in _COUNTS[:3])):
        return None
    buckets = _buckets([{"key": [row.get(key) for key in keys], "count": row[counted]} for row in rows], None)
    fields = list(asked or request.group_by[:1] or names_of(keys))
    return _aggregation(_kind(fields, buckets, request), names_of(fields), buckets)


def _kind(
    fields: Sequence[str], buckets: Sequence[Bucket], request: DataRequest
) -> Literal["group_by", "date_histogram"]:
    asked = request.date_histogram is not None and not request.group_by
    in_time = all(bucket.key and _TIME.fullmatch(bucket.key[-1]) for bucket in buckets)
    dated = any(word in field.lower() for field in fields for word in ("histogram", "over_time", "timeline"))
    return "date_histogram" if in_time and (asked or dated) else "group_by"


def _rows_of(part: Any) -> list[Any] | None:
    """The groups of a part, whatever they are kept in; `None` when it has none."""
    if isinstance(part, list):
        return part
    if not isinstance(part, Mapping):
        return None
    for name in ("buckets", "values", "counts"):
        if isinstance(part.get(name), list):
            return list(part[name])
        if isinstance(part.get(name), Mapping):
            part = part[name]
            break
    if part and all(count(each) is not None for each in part.values()) and not set(part) & {*_STATISTICS, "value"}:
        return [{"key": key, "count": each} for key, each in part.items()]
    if part and all(isinstance(each, Mapping) and count(each.get("doc_count")) is not None for each in part.values()):
        return [{"key": key, **each} for key, each in part.items()]
    return None


def _buckets(rows: Iterable[Any], id_field: str | None) -> list[Bucket]:
    found: list[Bucket] = []
    for row in rows:
        if len(found) >= _MOST_BUCKETS:
            break
        if isinstance(row, list | tuple) and len(row) == 2:  # ["India", 5]
            row = {"key": row[0], "count": row[1]}
        if not isinstance(row, Mapping):
            continue
        number = next((number for name in _COUNTS if (number := count(row.get(name))) is not None), None)
        key = next((row[name] for name in _KEYS if name in row), None)
        if number is None:
            continue
        parts = tuple(_part(each) for each in (key if isinstance(key, list) else [key]))[:20]
        statistics = row.get("statistics")
        found.append(
            Bucket(
                key=parts,
                count=number,
                statistics=summaries(statistics) if isinstance(statistics, Mapping) else {},
                samples=tuple(records_of(objects(row.get("samples"))[:100], id_field=id_field)),
            )
        )
    return found


def _part(value: Any) -> str:
    """A part of a key; empty where records have no value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return clean_line(value if isinstance(value, str) else repr(value)[:1_000], most=1_000)


def summaries(value: Mapping[Any, Any]) -> dict[str, dict[Statistic, float]]:
    """Statistics by field."""
    found = {
        clean_line(str(name)): _numbers(each) for name, each in list(value.items())[:100] if isinstance(each, Mapping)
    }
    return {name: numbers for name, numbers in found.items() if name and numbers}


def _numbers(value: Mapping[Any, Any]) -> dict[Statistic, float]:
    found: dict[Statistic, float] = {}
    for name, each in value.items():
        known = _STATISTICS.get(str(name).lower())
        if known and isinstance(each, int | float) and not isinstance(each, bool) and abs(each) < 1e300:
            found.setdefault(known, float(each) if math.isfinite(each) else 0.0)
    return found


def _of_all(summed: dict[str, dict[Statistic, float]], matched: int | None) -> Aggregation:
    counts = [int(numbers["count"]) for numbers in summed.values() if numbers.get("count", -1.0) >= 0]
    total = matched if matched is not None else max(counts, default=0)
    return Aggregation(
        type="statistics", fields=(), buckets=(Bucket(key=(), count=total, statistics=summed),), total_docs=total
    )


def _aggregation(
    kind: Literal["group_by", "date_histogram"],
    names: Sequence[str],
    buckets: Sequence[Bucket],
    *,
    interval: str = "",
    other: int | None = None,
    distinct: int | None = None,
    total: int | None = None,
) -> Aggregation:
    counted = sum(bucket.count for bucket in buckets) + (other or 0)
    width = max((len(bucket.key) for bucket in buckets), default=len(names))
    padded = [*names, *(f"part {number}" for number in range(len(names) + 1, width + 1))][: max(width, 1)]
    whole = [
        bucket if len(bucket.key) == width else bucket.model_copy(update={"key": (*bucket.key, *[""] * width)[:width]})
        for bucket in buckets
    ]
    ordered = whole if kind == "date_histogram" else sorted(whole, key=lambda bucket: -bucket.count)
    return Aggregation(
        type=kind,
        fields=tuple(padded),
        interval=interval,
        buckets=tuple(ordered),
        total_docs=total if total is not None else counted,
        distinct=distinct if distinct is not None else (len(buckets) if other == 0 else None),
        other=other,
    )


def count(value: Any) -> int | None:
    """The value as a number of things; `None` when it is none.

    >>> count("12"), count(3.0), count(-1), count(True)
    (12, 3, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}", value):
        value = int(value)
    return value if isinstance(value, int) and 0 <= value < 2**53 else None


def names_of(value: Iterable[Any]) -> list[str]:
    """Names of fields, each fit to be shown."""
    return [clean_line(str(each)) or "value" for each in value]
