"""Dates at the ends of the calendar, in files and in filters: the right answer, or one clear line."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import duckdb
import pytest

from fathom.data.requests import Interval
from fathom.datasets.database import DataTables, open_database
from fathom.errors import ToolFailed
from fathom.settings.data import DataSettings
from tests.datasets.conftest import Open, ask

COLUMNS = {
    "days": ["0001-01-01", "9999-12-30", "9999-12-31", "2024-02-29"],
    "before": ["0000-01-01", "2024-02-29", "0000-12-31"],
    "zoned": ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2024-02-29T10:00:00Z"],
    "moments": ["9999-12-31T23:59:59", "0001-01-01T00:00:00", "2024-02-29T10:00:00"],
    "words": ["infinity", "-infinity", "2024-01-01", "44-03-15 BC"],
    "years": ["0000", "9999", "0001", "2024"],
}
ENDS = (
    "0001-01-01 0000-01-01 9999-12-30 9999-12-31 -0044-03-15 infinity -infinity 10000-01-01 9999-12-31T23:59:59 "
    "9999-12-31T23:59:59.999999 9999-12-31T23:59:59-14:00 0001-01-01T00:00:00+14:00 9999 0001 0 9999-Q4 9999-W52 "
    "9999-W53 0001-W01 9999-12 9999-12-31T23 9999年12月31日 99999999999999999999 1e400 NaN epoch"
).split()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataTables]:
    folder = tmp_path_factory.mktemp("calendar")
    for name, values in COLUMNS.items():
        rows = "".join(f"{number},{value}\n" for number, value in enumerate(values))
        (folder / f"{name}.csv").write_text(f"n,{name}\n{rows}", encoding="utf-8")
    duckdb.sql(
        "COPY (SELECT * FROM (VALUES (1, DATE 'infinity', TIMESTAMP '-infinity', TIMESTAMPTZ '290000-01-01 00:00:00Z'),"
        " (2, DATE '0044-03-15 (BC)', TIMESTAMP '0044-03-15 (BC)', TIMESTAMPTZ '0001-01-01 00:00:00+14'),"
        " (3, DATE '9999-12-31', TIMESTAMP '9999-12-31 23:59:59.999999', TIMESTAMPTZ '9999-12-31 23:59:59-14'))"
        f" AS t(n, day, moment, zoned_moment)) TO '{folder}/typed.parquet' (FORMAT parquet)"
    )
    database = open_database([folder], DataSettings())
    yield database
    database.close()


@pytest.mark.parametrize("value", ENDS)
def test_a_filter_at_an_end_of_the_calendar_is_answered_or_refused_in_one_line(value: str, kept: DataTables) -> None:
    for table in kept.tables:
        for column in kept.profile(table).table.columns:
            for op in ("eq", "gt", "lte", "in"):
                filters = [{"field": column.name, "op": op, "value": [value] if op == "in" else value}]
                try:
                    json.dumps(ask(kept, table=table, filters=filters), allow_nan=False)
                except ToolFailed as error:
                    assert "\n" not in str(error)
                    assert "cannot be asked that" not in str(error)


@pytest.mark.parametrize("interval", get_args(Interval))
def test_the_ends_of_the_calendar_are_laid_out_over_time_like_any_day(interval: str, kept: DataTables) -> None:
    for table in kept.tables:
        for column in kept.profile(table).table.columns:
            with contextlib.suppress(ToolFailed):
                json.dumps(ask(kept, table=table, date_histogram={"field": column.name, "interval": interval}))


@pytest.mark.parametrize(("value", "count"), [("9999-12-31", 1), ("9999-12", 2), ("9999", 2), ("0001", 1)])
def test_records_of_the_last_day_there_is_are_found(value: str, count: int, opened: Open, tmp_path: Path) -> None:
    rows = "".join(f"{number},{day}\n" for number, day in enumerate(COLUMNS["days"]))
    (tmp_path / "days.csv").write_text(f"n,day\n{rows}", encoding="utf-8")
    found = ask(opened(tmp_path / "days.csv"), filters=[{"field": "day", "op": "eq", "value": value}])
    assert found["data_context"]["unique_ids_matched"] == count
