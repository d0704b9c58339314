"""What a request may ask for, and what it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom.data.fields import FieldMapping
from fathom.datasets.database import DataTables, open_database
from fathom.errors import ConfigurationError, ToolFailed
from fathom.settings.data import DataSettings
from tests.datasets.conftest import Open, all_records, ask, buckets, csv_file, parquet

HEAD = ["id", "country", "year", "day", "at", "price", "open", "a, b"]
ROWS = [
    ["e1", "India", "2023", "2023-12-31", "2024-01-01T00:30:00", "10", "true", "x"],
    ["e2", "India", "2024", "2024-01-01", "2024-01-01T14:00:00", "20", "false", "y"],
    ["e3", "Japan", "2024", "2024-03-01", "2024-03-05T14:59:59", "", "true", "x"],
    ["e4", "", "2025", "", "2024-03-05T15:00:00", "1.5", "true", "x"],
]


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataTables]:
    database = open_database(
        [csv_file(tmp_path_factory.mktemp("events") / "events.csv", [HEAD, *ROWS])], DataSettings()
    )
    yield database
    database.close()


def ids(database: DataTables, *filters: tuple[str, str, Any]) -> list[str]:
    asked = [{"field": field, "op": op, "value": value} for field, op, value in filters]
    return [record["id"] for record in all_records(database, filters=asked)]


def test_filters_may_be_a_list_an_object_or_a_json_text(events: DataTables) -> None:
    for filters in (
        [{"field": "country", "op": "eq", "value": "India"}, {"field": "price", "op": "gt", "value": 10}],
        {"country": "India", "price": {"gt": "10"}},
        '{"country": ["India", "Peru"], "price": {"gte": 10.5, "lt": 21}}',
    ):
        assert [record["id"] for record in ask(events, filters=filters)["documents"]] == ["e2"]


@pytest.mark.parametrize(
    ("op", "value", "found"),
    [
        ("eq", "2024", "e2 e3"),
        ("eq", 2024, "e2 e3"),
        ("eq", "2024-03", "e3"),
        ("eq", "2024年1月", "e2"),
        ("ne", "2024", "e1 e4"),
        ("gt", "2024-01", "e3"),
        ("lte", "2024-01-01", "e1 e2"),
        ("in", ["2023", "2024-Q1"], "e1 e2 e3"),
        ("not_null", None, "e1 e2 e3"),
    ],
)
def test_a_date_is_as_wide_as_it_is_written(events: DataTables, op: str, value: Any, found: str) -> None:
    assert ids(events, ("day", op, value)) == found.split()


def test_the_key_of_a_step_is_a_filter_for_what_is_in_it(events: DataTables) -> None:
    for interval in ("year", "quarter", "month", "week", "day", "hour"):
        result = ask(events, date_histogram={"field": "at", "interval": interval})
        for key, count in list(buckets(result, "date_histogram").items())[-20:]:
            assert len(ids(events, ("at", "eq", key))) == count, key


def test_steps_between_the_first_and_the_last_are_told_though_nothing_is_in_them(events: DataTables) -> None:
    result = ask(events, date_histogram="day:month")

    assert buckets(result, "date_histogram") == {"2023-12": 1, "2024-01": 1, "2024-02": 0, "2024-03": 1}
    assert result["aggregations"]["date_histogram"]["missing"] == 1
    assert buckets(ask(events, date_histogram={"field": "day", "interval": "week"}), "date_histogram")["2023-W52"] == 1


def test_years_as_numbers_are_laid_out_by_year_alone(events: DataTables) -> None:
    assert buckets(ask(events, date_histogram="year:year"), "date_histogram") == {"2023": 1, "2024": 2, "2025": 1}
    with pytest.raises(ToolFailed, match="only the interval 'year'"):
        ask(events, date_histogram="year:month")


def test_records_without_a_value_are_a_group_with_an_empty_key(events: DataTables) -> None:
    assert buckets(ask(events, group_by="country")) == {"India": 2, "Japan": 1, "": 1}
    assert ids(events, ("country", "ne", "India")) == ["e3", "e4"]
    assert ids(events, ("country", "eq", "")) == ["e4"]


def test_a_name_with_a_comma_in_it_is_understood(events: DataTables) -> None:
    assert buckets(ask(events, group_by="a, b")) == {"x": 3, "y": 1}
    assert buckets(ask(events, group_by=["country", "a, b"]))[("India", "x")] == 1


def test_a_page_may_come_with_counts(events: DataTables) -> None:
    result = ask(events, group_by=["country"], page_size=2)

    assert len(result["documents"]) == 2 and result["page"]["search_after"] == [2]
    assert "documents" not in ask(events, group_by=["country"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"filters": {"contry": "India"}}, "Did you mean 'country'"),
        ({"group_by": ["countri"]}, "Did you mean 'country'"),
        ({"statistics": ["country"]}, "is none"),
        ({"date_histogram": "country:month"}, "Fields that are: 'day', 'at'"),
        ({"table": "evnts"}, "Did you mean 'events'"),
        ({"groupby": ["country"]}, "Did you mean 'group_by'"),
        ({"filters": {"price": "cheap"}}, "is a number"),
        ({"filters": {"price": True}}, "is a number"),
        ({"filters": {"price": float("nan")}}, "is a number"),
        ({"filters": {"day": "soon"}}, "is a date"),
        ({"filters": {"day": "2024-13-45"}}, "is a date"),
        ({"filters": {"open": "maybe"}}, "true or false"),
        ({"filters": {"open": {"gt": True}}}, "no order"),
        ({"filters": {"price": {"contains": "1"}}}, "no texts"),
        ({"filters": {"country": {"like": "x"}}}, "no operator 'like'"),
        ({"filters": {"country": {"eq": ["x"]}}}, "Use 'in'"),
        ({"filters": {"country": {"gt": None}}}, "gives no value"),
        ({"filters": "not json"}, "no JSON"),
        ({"filters": 7}, "filters is a list"),
        ({"filters": [{"op": "eq"}]}, "field is the name"),
        ({"filters": [{"field": "id", "sql": "1=1"}]}, "no 'sql'"),
        ({"filters": [{"field": "id", "value": {"a": 1}}]}, "is a text, a number"),
        ({"filters": {"id": "\ud800"}}, "half a character"),
        ({"page_size": 101}, "from 1 to 100"),
        ({"page_size": True}, "from 1 to 100"),
        ({"top_n": 0}, "from 1 to 1000"),
        ({"top_n": 1000, "group_by": ["id"], "samples_per_bucket": 100}, "at most 2000"),
        ({"search_after": ["e1"]}, "search_after"),
        ({"search_after": [-1]}, "search_after"),
        ({"search_after": [{"a": 1}]}, "search_after"),
        ({"group_by": [""]}, "list of names"),
        ({"date_histogram": {"field": "day", "interval": "decade"}}, "one of year"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(events: DataTables, arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolFailed) as error:
        ask(events, **arguments)

    assert told in str(error.value) and "\n" not in str(error.value)


HOSTILE = [
    "'; DROP TABLE t0; --",
    '" OR 1=1 --',
    "id) FROM t0; DELETE FROM t0; --",
    "c0",
    "rowid",
    "* FROM read_csv('/etc/passwd')",
    "?",
    "{}",
    "%",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_argument_becomes_a_part_of_a_statement(events: DataTables, text: str) -> None:
    for arguments in (
        {"table": text},
        {"group_by": [text]},
        {"statistics": [text]},
        {"filters": {text: 1}},
        {"date_histogram": {"field": text, "interval": "month"}},
        {"date_histogram": {"field": "day", "interval": text}},
        {"filters": [{"field": "country", "op": text, "value": 1}]},
        {"search_after": [text]},
    ):
        with pytest.raises(ToolFailed):
            ask(events, **arguments)
    for op in ("eq", "contains", "gt"):
        assert ids(events, ("id", op, text)) == [row[0] for row in ROWS if op == "gt" and row[0] > text]
    assert ids(events, ("id", "in", [text, "e1"])) == ["e1"]
    assert ask(events)["data_context"]["unique_ids_matched"] == 4


def test_a_value_that_is_written_otherwise_is_pointed_out(events: DataTables) -> None:
    assert "'India' is written so" in ask(events, filters={"country": "india"})["data_context"]["notes"][0]


def test_an_id_that_repeats_is_not_taken_for_one(tmp_path: Path, opened: Open) -> None:
    path = csv_file(tmp_path / "t.csv", [["id", "x"], ["1", "a"], ["1", "b"], ["", "c"]])

    for database in (opened(path), opened(path, mappings={"t": FieldMapping(id="id")})):
        page = ask(database)
        assert page["data_context"]["id_field"] == "_row"
        assert [record["_row"] for record in page["documents"]] == [1, 2, 3]
        assert page["data_context"]["unique_ids_matched"] == 3
        assert database.profile("").mapping.id == "_row"
        assert [r["x"] for r in ask(database, filters={"_row": 2})["documents"]] == ["b"]
    assert any("repeat or are missing" in note for note in database.profile("").table.notes)


def test_a_mapping_is_corrected_and_what_it_misspells_is_pointed_out(tmp_path: Path, opened: Open) -> None:
    path = csv_file(tmp_path / "t.csv", [["id", "code"], ["1", "a"], ["2", "b"]])

    assert opened(path, mappings={"t": FieldMapping(id="code")}).profile("t").mapping.id == "code"
    with pytest.raises(ConfigurationError, match="Did you mean 'code'"):
        opened(path, mappings={"t": FieldMapping(id="cod")})


def test_a_question_that_takes_too_long_is_stopped(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "big.parquet"
    parquet(path, "SELECT i AS a, hash(i)::VARCHAR AS b FROM range(300000) AS r(i)")
    database = opened(path)

    with pytest.raises(ToolFailed, match="FATHOM_DATA_TIMEOUT"):
        ask(database, seconds=0.000_01, group_by=["b"], statistics=["a"], filters={"b": {"contains": "1"}})
    assert ask(database)["data_context"]["total_records"] == 300_000


def test_memory_is_capped(tmp_path: Path, opened: Open) -> None:
    path = parquet(
        tmp_path / "big.parquet", "SELECT i AS a, -i AS b, 3 * i AS c, 7 * i AS d FROM range(2000000) AS r(i)"
    )
    database = opened(path, data_memory_mb=64, data_max_disk_mb=20)

    with pytest.raises(ToolFailed, match="FATHOM_DATA_MEMORY_MB"):
        ask(database, group_by=["a", "b", "c", "d"], statistics=["a", "b"])


def test_a_page_ends_early_rather_than_to_be_too_large(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(f'{{"id": {at}, "body": "{"x" * 150_000}"}}' for at in range(40)))
    database = opened(path)

    page = ask(database)

    assert 1 < len(page["documents"]) < 40 and page["page"]["has_more"]
    assert len(page["documents"][0]["body"]) == 100_000
    assert [record["id"] for record in all_records(database)] == list(range(40))


def test_a_histogram_of_too_many_steps_is_refused(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "t.parquet"
    parquet(path, "SELECT TIMESTAMP '2000-01-01' + INTERVAL (i) HOUR AS at FROM range(6000) AS r(i)")

    with pytest.raises(ToolFailed, match="wider interval"):
        ask(opened(path), date_histogram="at:hour")


@pytest.mark.parametrize(
    "value",
    [10**400, -(10**4_000), "1" * 4_000, "1" * 5_000, [10**400]],
    ids=["large", "long", "text", "longer text", "list"],
)
def test_a_number_that_is_too_large_is_refused_in_a_line(tmp_path: Path, opened: Open, value: Any) -> None:
    (tmp_path / "few.csv").write_text("id,name\n1,a\n2,b\n")

    with pytest.raises(ToolFailed, match=r"too large|cannot be compared"):
        ask(opened(tmp_path / "few.csv"), filters={"id": value})


def test_filters_that_are_nested_without_end_are_refused_in_a_line(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "few.csv").write_text("id,name\n1,a\n2,b\n")

    with pytest.raises(ToolFailed, match="no JSON"):
        ask(opened(tmp_path / "few.csv"), filters="[" * 100_000)
