"""Answers a request: counts, histograms, statistics and pages, each with statements that hold no value from outside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fathom.data.moments import following, key_of
from fathom.data.requests import DataRequest, DateHistogram, Scalar
from fathom.datasets.conditions import Condition, condition_of
from fathom.datasets.database import DataTables
from fathom.datasets.profile import Profile, key_text, record_of
from fathom.datasets.session import Row, Session
from fathom.datasets.tables import Column
from fathom.errors import ToolFailed

MOST_STEPS = 1_000
"""Steps of a histogram up to which those without records are told, too."""
MOST_BUCKETS = 5_000
"""Groups and steps of one answer."""
MOST_SAMPLES = 2_000
"""Records that come with the groups of one answer."""
MOST_BYTES = 2_000_000
"""Bytes of records in one answer, roughly: a page ends early rather than to be larger."""
MOST_CHARACTERS = 100_000
"""Characters of one value; what is longer is cut."""

Json = dict[str, Any]


def answer(database: DataTables, session: Session, request: DataRequest, *, with_records: bool) -> Json:
    """What the data say to a request, as the tool `analyze` returns it.

    Args:
        with_records: Whether a page of records is wanted besides counts.

    Raises:
        ToolFailed: it asks for what there is not, or for too much.
    """
    found = database.profile(request.table)
    condition = condition_of(found.asked, request.filters)
    asked = _Asked(session, found, condition, request)
    matched = database.counted(session, found.table, condition)
    told: Json = {}
    if request.group_by:
        told["group_by"] = asked.groups(matched)
    if request.date_histogram:
        told["date_histogram"] = asked.histogram(request.date_histogram, matched)
    if request.statistics and not (request.group_by or request.date_histogram):
        told["statistics"] = asked.statistics()
    result: Json = {"aggregations": told} if told else {}
    if request.is_page or with_records:
        result |= asked.page()
    result["data_context"] = {
        "dataset": database.title,
        "table": found.table.name,
        "total_records": found.table.total,
        "unique_ids_matched": matched,
        "id_field": found.id.name,
        "revision": database.revision,
    }
    if not matched and (notes := asked.notes()):
        result["data_context"]["notes"] = notes
    return result


@dataclass
class _Asked:
    """A request to one table."""

    session: Session
    found: Profile
    condition: Condition
    request: DataRequest

    def __post_init__(self) -> None:
        table = self.found.asked
        self.own = f"{self.found.table.sql} AS t"
        self.keys = [table.column(name) for name in self.request.group_by]
        self.summed = [self._number(table.column(name)) for name in self.request.statistics]
        if len(self.keys) * self.request.samples_per_bucket and (
            self.request.top_n * self.request.samples_per_bucket > MOST_SAMPLES
        ):
            raise ToolFailed(
                f"top_n times samples_per_bucket is {self.request.top_n * self.request.samples_per_bucket}; at most "
                f"{MOST_SAMPLES} are allowed. Page through the records instead, with filters and without group_by."
            )

    @staticmethod
    def _number(column: Column) -> Column:
        if not column.is_number:
            raise ToolFailed(f"Statistics are of numbers, and '{column.name}' is none.")
        return column

    # ── Groups ─────────────────────────────────────────────────────────────────────────────────────────────────

    def groups(self, matched: int) -> Json:
        """The largest groups."""
        names = [f"k{place}" for place in range(len(self.keys))]
        rows = self.session.rows(
            f"{self._grouped()} SELECT {', '.join(names)}, n, count(*) OVER () FROM g ORDER BY {self._order()} LIMIT ?",
            [*self.condition.values, self.request.top_n],
        )
        buckets: list[Json] = [{"key": self._key(row), "doc_count": row[len(names)]} for row in rows]
        if rows and (self.summed or self.request.samples_per_bucket):
            self._enrich(buckets)
        return {
            "fields": [column.name for column in self.keys],
            "buckets": buckets,
            "distinct": rows[0][-1] if rows else 0,
            "other_doc_count": matched - sum(bucket["doc_count"] for bucket in buckets),
        }

    def _grouped(self) -> str:
        keys = ", ".join(f"{column.sql} AS k{place}" for place, column in enumerate(self.keys))
        return f"WITH g AS (SELECT {keys}, count(*) AS n FROM {self.own} WHERE {self.condition.sql} GROUP BY ALL)"

    def _order(self) -> str:
        return ", ".join(["n DESC", *(f"k{place} NULLS LAST" for place in range(len(self.keys)))])

    def _top(self) -> str:
        """The largest groups, each with its place, joined to their rows."""
        same = " AND ".join(f"{column.sql} IS NOT DISTINCT FROM k{place}" for place, column in enumerate(self.keys))
        return (
            f"{self._grouped()}, top AS (SELECT *, row_number() OVER (ORDER BY {self._order()}) AS place FROM g "
            f"ORDER BY place LIMIT ?) SELECT place, {{}} FROM {self.own} JOIN top ON {same} WHERE {self.condition.sql}"
        )

    def _top_values(self) -> list[Any]:
        return [*self.condition.values, self.request.top_n, *self.condition.values]

    def _key(self, row: Sequence[Any]) -> str | list[str]:
        parts = [key_text(column, value) for column, value in zip(self.keys, row, strict=False)]
        return parts[0] if len(parts) == 1 else parts

    def _enrich(self, buckets: list[Json]) -> None:
        """Statistics and samples of the groups."""
        count = self.request.samples_per_bucket
        wanted = ", ".join([*map(_summary, self.summed), f"min(t.rowid, {count})" if count else "NULL"])
        rows = self.session.rows(f"{self._top().format(wanted)} GROUP BY place ORDER BY place", self._top_values())
        samples = self._records([row for found in rows for row in found[-1] or ()]) if count else {}
        for bucket, (_, *figures, listed) in zip(buckets, rows, strict=True):
            if self.summed:
                bucket["statistics"] = self._figures(figures)
            if count:
                bucket["samples"] = [samples[row] for row in listed if row in samples]

    # ── Histograms ─────────────────────────────────────────────────────────────────────────────────────────────

    def histogram(self, asked: DateHistogram, matched: int) -> Json:
        """Counts over time, of all or of each of the largest groups."""
        column = self.found.asked.column(asked.field)
        step = f"date_trunc('{asked.interval}', {self._date(column, asked)})"  # the interval is one of six words
        wanted = ", ".join([f"{step} AS step, count(*)", *map(_summary, self.summed)])
        if self.keys:
            sql, values = self._top().format(wanted), self._top_values()
        else:
            sql = f"SELECT 0 AS place, {wanted} FROM {self.own} WHERE {self.condition.sql}"
            values = list(self.condition.values)
        rows = self.session.rows(f"{sql} GROUP BY place, step ORDER BY place, step LIMIT {MOST_BUCKETS + 1}", values)
        if len(rows) > MOST_BUCKETS:
            raise ToolFailed(
                f"The histogram has more than {MOST_BUCKETS} steps. Ask for a wider interval or fewer groups."
            )
        missing = sum(row[2] for row in rows if row[1] is None)
        steps = [(row[0], row[1], row[2], row[3:]) for row in rows if row[1] is not None]
        told: Json = {"field": column.name, "interval": asked.interval}
        if self.keys:
            keys = self._group_keys()
            told["fields"] = [*(key.name for key in self.keys), column.name]
            told["buckets"] = [
                self._step([*keys[place - 1], key_of(start, asked.interval)], count, figures)
                for place, start, count, figures in steps
            ]
        else:
            counted = {start: (count, figures) for _, start, count, figures in steps}
            told["buckets"] = [
                self._step(key_of(start, asked.interval), *counted.get(start, (0, ())))
                for start in _without_gaps(list(counted), asked)
            ]
        counted_records = sum(bucket["doc_count"] for bucket in told["buckets"])
        return told | {"missing": missing, "other_doc_count": matched - counted_records}

    def _group_keys(self) -> list[list[str]]:
        names = ", ".join(f"k{place}" for place in range(len(self.keys)))
        rows = self.session.rows(
            f"{self._grouped()} SELECT {names} FROM g ORDER BY {self._order()} LIMIT ?",
            [*self.condition.values, self.request.top_n],
        )
        return [[key_text(column, value) for column, value in zip(self.keys, row, strict=True)] for row in rows]

    def _date(self, column: Column, asked: DateHistogram) -> str:
        if column.is_date:
            return column.sql
        field = next((field for field in self.found.fields if field.name == column.name), None)
        low, high = (field.minimum, field.maximum) if field else (None, None)
        if column.kind == "integer" and isinstance(low, int) and isinstance(high, int) and 1_000 <= low <= high < 3_000:
            if asked.interval != "year":
                raise ToolFailed(f"'{column.name}' holds years alone: only the interval 'year' fits.")
            return f"make_date(CAST({column.sql} AS INTEGER), 1, 1)"
        dates = ", ".join(f"'{each.name}'" for each in self.found.table.columns if each.is_date) or "none"
        raise ToolFailed(f"'{column.name}' is no date. Fields that are: {dates}.")

    def _step(self, key: str | list[str], count: int, figures: Sequence[Any]) -> Json:
        told: Json = {"key": key, "doc_count": count}
        return told | {"statistics": self._figures(figures)} if figures else told

    # ── Statistics ─────────────────────────────────────────────────────────────────────────────────────────────

    def statistics(self) -> Json:
        """Statistics of all records that match."""
        wanted = ", ".join(map(_summary, self.summed))
        return self._figures(
            self.session.row(f"SELECT {wanted} FROM {self.own} WHERE {self.condition.sql}", self.condition.values)
        )

    def _figures(self, figures: Sequence[Any]) -> Json:
        told = {}
        for place, column in enumerate(self.summed):
            six = zip(("count", "min", "max", "mean", "median", "sum"), figures[6 * place : 6 * place + 6], strict=True)
            told[column.name] = {name: value for name, each in six if (value := _plain(each)) is not None}
        return told

    # ── Records ────────────────────────────────────────────────────────────────────────────────────────────────

    def page(self) -> Json:
        """A page of records in the order of the rows."""
        after = _row_number(self.request.search_after)
        size = self.request.page_size
        rows = self.session.rows(
            f"SELECT rowid, {self._selected()} FROM {self.own} WHERE {self.condition.sql} AND rowid >= ? "
            "ORDER BY rowid LIMIT ?",
            [*self.condition.values, after, size + 1],
        )
        records = list(self._within(rows[:size]).items())
        has_more = len(rows) > len(records)
        page: Json = {"page_size": size, "has_more": has_more}
        if has_more:
            page["search_after"] = [records[-1][0] + 1]
        return {"documents": [record for _, record in records], "page": page}

    def _records(self, rows: Sequence[int]) -> dict[int, Json]:
        found = self.session.rows(
            f"SELECT rowid, {self._selected()} FROM {self.own} WHERE rowid IN (SELECT unnest(CAST(? AS BIGINT[])))",
            [list(rows)],
        )
        return self._within(found)

    def _selected(self) -> str:
        """The columns of a record; only where a value is too long is it cut."""
        longest = self.found.longest
        return ", ".join(
            f"left({column.sql}, {MOST_CHARACTERS})" if longest.get(column.name, 0) > MOST_CHARACTERS else column.sql
            for column in self.found.selected()
        )

    def _within(self, rows: Sequence[Row]) -> dict[int, Json]:
        """As many of the records as an answer may hold, at least one, by the number of their row."""
        columns = self.found.selected()
        records: dict[int, Json] = {}
        size = 0
        for number, *values in rows:
            size += sum(_bytes(value) for value in values)
            if records and size > MOST_BYTES:
                break
            records[number] = record_of(columns, values)
        return records

    def notes(self) -> list[str]:
        """Why nothing may have matched: a value that is written otherwise in the data."""
        told = []
        for each in self.request.filters:
            column = self.found.asked.column(each.field)
            if column.kind != "text" or each.op not in ("eq", "in"):
                continue
            for value in each.value if isinstance(each.value, tuple) else (each.value,):
                rows = self.session.rows(
                    f"SELECT DISTINCT left({column.sql}, 100) FROM {self.own} "
                    f"WHERE lower({column.sql}) = lower(?) LIMIT 3",
                    [str(value)],
                )
                told += [f"No record has {value!r} as {column.name} here; '{one}' is written so." for (one,) in rows]
        return [note for note in told if note]


def _summary(column: Column) -> str:
    own = column.sql
    whole = column.kind == "integer"
    mean, total = (f"avg({own})", f"sum({own})") if whole else (f"favg({own})", f"fsum({own})")
    return f"count({own}), min({own}), max({own}), {mean}, median({own}), {total}"


def _plain(value: Any) -> int | float | None:
    """A figure with the digits that a sum of binary fractions can vouch for."""
    if value is None or isinstance(value, int):
        return value
    number = float(value)
    return float(f"{number:.15g}") if math.isfinite(number) else None


def _bytes(value: Any) -> int:
    if not isinstance(value, str):
        return 16
    return len(value) if value.isascii() else 3 * len(value)


def _row_number(after: tuple[Scalar, ...]) -> int:
    if not after:
        return 0
    if len(after) != 1 or isinstance(after[0], bool) or not isinstance(after[0], int) or not 0 <= after[0] < 2**62:
        raise ToolFailed("search_after is not what the page before has said: give back its list as it is.")
    return after[0]


def _without_gaps(steps: Sequence[datetime], asked: DateHistogram) -> list[datetime]:
    """The steps with those between them that hold nothing, unless they are too many."""
    if not steps:
        return []
    found = []
    step = steps[0]
    while step <= steps[-1]:
        found.append(step)
        if len(found) > MOST_STEPS:
            return list(steps)
        step = following(step, asked.interval)
    return found
