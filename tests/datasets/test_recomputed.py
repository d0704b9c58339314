"""Random tables and random requests, answered once by the data server and once by plain Python."""

from __future__ import annotations

import json
import math
import statistics
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.datasets.database import open_database
from fathom.settings.data import DataSettings
from tests.datasets.conftest import all_records, ask, buckets

WORDS = st.one_of(
    st.none(), st.sampled_from(["AI", "ai", "Cloud", "日本", "50%", "a_b", "o'k; --", 'x"y', " ", "NA", "7"])
)
NUMBERS = st.one_of(st.none(), st.integers(-5, 5), st.floats(-100, 100, width=16))
DATES = st.one_of(st.none(), st.dates(date(2023, 1, 1), date(2024, 12, 31)).map(date.isoformat))
ROWS = st.lists(st.fixed_dictionaries({"w": WORDS, "v": WORDS, "n": NUMBERS, "d": DATES}), min_size=1, max_size=30)
MONTHS = ["2023", "2024", "2023-07", "2024-Q1", "2024-02-29", "2024-W09", "2025"]


@st.composite
def filters(draw: st.DrawFn) -> dict[str, Any]:
    field = draw(st.sampled_from("wnd"))
    if field == "w":
        op = draw(st.sampled_from(["eq", "ne", "in", "not_in", "gt", "lte", "contains", "is_null", "not_null"]))
        value: Any = draw(WORDS.filter(bool)) if op in ("gt", "lte", "contains") else draw(WORDS)
        if op in ("in", "not_in"):
            value = draw(st.lists(WORDS, max_size=3))
    elif field == "n":
        op = draw(st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte", "in", "is_null"]))
        value = draw(st.integers(-5, 5))
        value = [value, draw(st.integers(-5, 5))] if op == "in" else value
    else:
        op = draw(st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte", "not_null"]))
        value = draw(st.sampled_from(MONTHS))
    return {"field": field, "op": op, "value": value}


def stretch(text: str) -> tuple[date, date]:
    """First day of a stretch, and the first behind it."""
    if len(text) == 4:
        return date(int(text), 1, 1), date(int(text) + 1, 1, 1)
    if "Q" in text:
        return date(2024, 1, 1), date(2024, 4, 1)
    if "W" in text:
        start = date.fromisocalendar(2024, 9, 1)
        return start, start + timedelta(7)
    if len(text) == 7:
        return date(2023, 7, 1), date(2023, 8, 1)
    start = date.fromisoformat(text)
    return start, start + timedelta(1)


def fits(row: dict[str, Any], given: dict[str, Any]) -> bool:
    op, value, own = given["op"], given["value"], row[given["field"]]
    if op in ("is_null", "not_null"):
        return bool((own is None) == (op == "is_null"))
    if op in ("ne", "not_in"):
        return not fits(row, {**given, "op": "eq" if op == "ne" else "in"})
    if op == "in":
        return bool(own in value)
    if value is None:
        return own is None
    if own is None:
        return False
    if op == "contains":
        return bool(str(value).lower() in own.lower())
    if given["field"] == "d":
        start, end = stretch(value)
        own = date.fromisoformat(own)
        inside = start <= own < end
        return bool({"eq": inside, "gt": own >= end, "gte": own >= start, "lt": own < start, "lte": own < end}[op])
    return bool(
        {"eq": own == value, "gt": own > value, "gte": own >= value, "lt": own < value, "lte": own <= value}[op]
    )


def is_close(told: dict[str, Any], values: list[float]) -> bool:
    truth: dict[str, float] = {"count": len(values)}
    if values:
        truth |= {"min": min(values), "max": max(values), "mean": statistics.fmean(values)}
        truth |= {"median": statistics.median(values), "sum": math.fsum(values)}
    return told.keys() == truth.keys() and all(
        math.isclose(told[name], value, rel_tol=1e-9, abs_tol=1e-9) for name, value in truth.items()
    )


@settings(max_examples=settings().max_examples // 10)
@given(ROWS, st.lists(filters(), max_size=3), st.integers(1, 7), st.integers(1, 4))
def test_counts_sums_steps_and_pages_are_those_of_plain_python(
    rows: list[dict[str, Any]], conditions: list[dict[str, Any]], size: int, top: int
) -> None:
    # one record of each kind, so that no field is without a type
    rows = [{"w": "AI", "v": "AI", "n": 1.5, "d": "2024-01-01"}, *rows]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        database = open_database([path], DataSettings())
    try:
        matching = [row for row in rows if all(fits(row, each) for each in conditions)]
        numbers = [number for number, row in enumerate(rows, start=1) if row in matching]

        pages = all_records(database, size=size, filters=conditions)
        assert [page["_row"] for page in pages] == numbers
        assert [{name: page[name] for name in "wvnd"} for page in pages] == matching

        truth: dict[str, int] = {}
        for row in matching:
            truth[row["w"] or ""] = truth.get(row["w"] or "", 0) + 1
        order = sorted(truth.items(), key=lambda each: (-each[1], each[0] == "", each[0]))
        result = ask(database, filters=conditions, group_by=["w"], top_n=top, statistics=["n"], samples_per_bucket=2)
        groups = result["aggregations"]["group_by"]
        assert list(buckets(result).items()) == order[:top]
        assert (groups["distinct"], groups["other_doc_count"]) == (len(truth), sum(count for _, count in order[top:]))
        assert result["data_context"]["unique_ids_matched"] == len(matching)
        for bucket in groups["buckets"]:
            own = [row for row in matching if (row["w"] or "") == bucket["key"]]
            assert is_close(bucket["statistics"]["n"], [row["n"] for row in own if row["n"] is not None])
            assert [{name: each[name] for name in "wvnd"} for each in bucket["samples"]] == own[:2]

        months: dict[tuple[str, ...], int] = {}
        for row in matching:
            if row["d"]:
                key = (row["w"] or "", row["v"] or "", row["d"][:7])
                months[key] = months.get(key, 0) + 1
        histogram = {"field": "d", "interval": "month"}
        both = ask(database, filters=conditions, group_by=["w", "v"], date_histogram=histogram, top_n=1_000)
        assert buckets(both, "date_histogram") == months
        plain = buckets(ask(database, filters=conditions, date_histogram=histogram), "date_histogram")
        assert {key: count for key, count in plain.items() if count} == {
            month: sum(count for key, count in months.items() if key[2] == month) for *_, month in months
        }
        steps = list(plain)
        assert steps == sorted(steps) and (not steps or len(steps) == months_between(steps[0], steps[-1]))

        whole = ask(database, filters=conditions, statistics=["n"])["aggregations"]["statistics"]["n"]
        assert is_close(whole, [row["n"] for row in matching if row["n"] is not None])
    finally:
        database.close()


def months_between(first: str, last: str) -> int:
    """Months from the first to the last, both included."""
    return 12 * (int(last[:4]) - int(first[:4])) + int(last[5:]) - int(first[5:]) + 1
