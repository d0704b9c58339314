"""Files of every kind, and the questions they are asked."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from fathom.data.fields import FieldMapping
from fathom.datasets.arguments import request_of, spelled_out
from fathom.datasets.database import DataTables, open_database
from fathom.datasets.query import answer
from fathom.settings.data import DataSettings

Open = Callable[..., DataTables]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens files, with bounds lower than anybody may set; they are closed after the test."""
    held: list[DataTables] = []

    def open_it(*paths: Path, mappings: dict[str, FieldMapping] | None = None, **settings: Any) -> DataTables:
        held.append(open_database(paths, DataSettings().model_copy(update=settings), mappings))
        return held[-1]

    yield open_it
    for database in held:
        database.close()


def ask(database: DataTables, *, seconds: float = 30.0, **arguments: Any) -> Any:
    """What the tool `analyze` returns."""
    request = request_of(arguments)
    request = spelled_out(request, database.profile(request.table).asked)
    with database.session(seconds=seconds) as session:
        return answer(database, session, request, with_records="page_size" in arguments)


def all_records(database: DataTables, *, size: int = 100, **arguments: Any) -> list[dict[str, Any]]:
    """The records of all pages."""
    found: list[dict[str, Any]] = []
    after: list[Any] = []
    while True:
        page = ask(database, page_size=size, search_after=after, **arguments)
        found += page["documents"]
        if not page["page"]["has_more"]:
            return found
        after = page["page"]["search_after"]


def buckets(result: Any, kind: str = "group_by") -> dict[Any, int]:
    """Counts by key."""
    return {
        tuple(bucket["key"]) if isinstance(bucket["key"], list) else bucket["key"]: bucket["doc_count"]
        for bucket in result["aggregations"][kind]["buckets"]
    }


def parquet(path: Path, sql: str) -> Path:
    """A Parquet file of what a statement returns."""
    with duckdb.connect() as con:
        con.execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")
    return path


def csv_file(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    """A CSV file of these rows, the first of which are the names."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path
