"""Which files are read, and what becomes of their values."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest

from fathom.errors import UsageError
from tests.datasets.conftest import Open, all_records, ask, csv_file, parquet
from tests.support.whole_report import whole_report

ROWS: list[dict[str, Any]] = [
    {"id": "a1", "theme": "AI", "day": "2024-01-05", "price": 1.5, "open": True},
    {"id": "a2", "theme": "Cloud", "day": "2024-02-06", "price": 2.0, "open": False},
    {"id": "a3", "theme": "AI", "day": "2024-03-07", "price": None, "open": True},
]


def written(folder: Path, kind: str) -> Path:
    """A file of that kind with the three rows."""
    path = folder / f"events.{kind}"
    ending = kind.removesuffix(".gz")
    names = list(ROWS[0])
    delimiter = "\t" if ending == "tsv" else ","
    match ending:
        case "csv" | "tsv":
            lines = [
                names,
                *([json.dumps(v).strip('"') if v is not None else "" for v in row.values()] for row in ROWS),
            ]
            data = "\n".join(delimiter.join(line) for line in lines).encode()
        case "jsonl" | "ndjson":
            data = "\n".join(map(json.dumps, ROWS)).encode()
        case "json":
            data = json.dumps(ROWS).encode()
        case "sqlite" | "db" | "sqlite3":
            with sqlite3.connect(path) as con:
                con.execute("CREATE TABLE events (id TEXT, theme TEXT, day TEXT, price REAL, open BOOLEAN)")
                con.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", [tuple(row.values()) for row in ROWS])
            con.close()
            return path
        case "parquet" | "duckdb":
            database = path if ending == "duckdb" else folder / "made"
            with duckdb.connect(str(database)) as con2:
                con2.execute("CREATE TABLE events (id TEXT, theme TEXT, day DATE, price DECIMAL(9, 2), open BOOLEAN)")
                con2.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", [list(row.values()) for row in ROWS])
                if ending == "parquet":
                    con2.execute(f"COPY events TO '{path}' (FORMAT parquet)")
            return path
    path.write_bytes(gzip.compress(data) if kind.endswith(".gz") else data)
    return path


KINDS = "csv tsv csv.gz jsonl ndjson jsonl.gz json json.gz parquet sqlite db sqlite3 duckdb".split()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_same_records(tmp_path: Path, opened: Open, kind: str) -> None:
    path = written(tmp_path, kind)
    before = path.read_bytes()

    database = opened(path)

    records = all_records(database)
    truth = [{**row, "open": int(bool(row["open"]))} for row in ROWS] if kind in ("sqlite", "db", "sqlite3") else ROWS
    assert records == truth
    assert database.profile("events").mapping.id == "id"
    assert path.read_bytes() == before


def test_a_database_that_is_being_written_to_is_read_with_what_its_log_holds(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "live.db"
    con = sqlite3.connect(path)
    con.executescript("PRAGMA journal_mode = wal; CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2)")
    con.commit()

    assert ask(opened(path))["data_context"]["total_records"] == 2
    con.close()


def test_what_is_nested_becomes_fields_named_with_dots_and_lists_stay_json(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text('{"who": {"name": "Ann", "at": {"city": "Rome"}}, "tags": ["a", "b"]}\n{"who": {"name": "Bob"}}')

    assert all_records(opened(path)) == [
        {"_row": 1, "who.name": "Ann", "who.at.city": "Rome", "tags": '["a","b"]'},
        {"_row": 2, "who.name": "Bob", "who.at.city": None, "tags": None},
    ]


def test_a_list_that_a_file_wraps_into_an_object_is_the_table(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "w.json"
    path.write_text('{"count": 2, "data": [{"a": 1}, {"a": 2}]}')

    assert [record["a"] for record in all_records(opened(path))] == [1, 2]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["007", "008"], ["007", "008"]),
        (["1", "NA"], [1, None]),
        (["1.5", "2", "nan"], [1.5, 2, None]),
        (["1,200", "900"], [1200, 900]),
        (["true", "FALSE", ""], [True, False, None]),
        (["2024-3-5", "2024-03-06"], ["2024-03-05", "2024-03-06"]),
        (["2024/3/5", "2024/12/5"], ["2024-03-05", "2024-12-05"]),
        (["2024年3月5日", "2024年12月5日"], ["2024-03-05", "2024-12-05"]),
        (["12/31/2024", "01/02/2024"], ["2024-12-31", "2024-01-02"]),
        (["31/12/2024", "01/02/2024"], ["2024-12-31", "2024-02-01"]),
        (["5 March 2024", "6 Apr 2024"], ["2024-03-05", "2024-04-06"]),
        (["2024-03-05 14:30", "2024-03-05"], ["2024-03-05T14:30:00", "2024-03-05T00:00:00"]),
        (["2024-03-05T01:00:00+09:00", "2024-03-05T14:30:00Z"], ["2024-03-04T16:00:00Z", "2024-03-05T14:30:00Z"]),
        (["1", "two"], ["1", "two"]),
        (["2024-02-30", "2024-03-01"], ["2024-02-30", "2024-03-01"]),
        (["NA", "DE"], ["NA", "DE"]),
        ([" x ", ""], ["x", None]),
    ],
)
def test_texts_are_only_taken_for_what_all_of_them_are(
    tmp_path: Path, opened: Open, texts: list[str], values: list[Any]
) -> None:
    database = opened(csv_file(tmp_path / "t.csv", [["what", "n"], *([text, "1"] for text in texts)]))

    assert [record["what"] for record in all_records(database)] == values


def test_a_form_that_only_the_first_thousands_have_is_given_up(tmp_path: Path, opened: Open) -> None:
    rows = [[str(number), "2024-01-01"] for number in range(3_000)] + [["1.5", "soon"]]
    database = opened(csv_file(tmp_path / "t.csv", [["a", "b"], *rows]))

    assert [column.kind for column in database.profile("").table.columns] == ["decimal", "text"]


def test_a_date_that_could_be_read_in_two_ways_stays_text(tmp_path: Path, opened: Open) -> None:
    database = opened(
        csv_file(tmp_path / "t.csv", [["d", "e"], ["03/04/2024", "25/04/2024"], ["05/06/2024", "01/02/2024"]])
    )

    assert [column.kind for column in database.profile("").table.columns] == ["text", "date"]


def test_names_of_columns_may_hold_anything(tmp_path: Path, opened: Open) -> None:
    names = [
        'a"; DROP TABLE t0; --',
        "# x",
        "a: b",
        "select",
        "国",
        "国",
        "",
        "x\ny",
        "rowid",
        "c0",
        "_row",
        "A",
        "a",
        "o'k",
        "{}",
    ]
    database = opened(csv_file(tmp_path / "t.csv", [names, [str(place) for place in range(len(names))]]))

    record = all_records(database)[0]
    assert list(record) == ["_row_2", *names[:5], "国_2", "column_7", "x y", *names[8:]]
    for name, value in record.items():
        found = ask(database, filters=[{"field": name, "op": "eq", "value": value}])
        assert found["data_context"]["unique_ids_matched"] == 1
        assert ask(database, group_by=[name], statistics=[name])["aggregations"]["group_by"]["distinct"] == 1


def test_names_of_files_may_hold_anything(tmp_path: Path, opened: Open) -> None:
    for name in ("it's [1]*?.csv", "x'); DROP.parquet.csv", "売上 2024.csv"):
        path = csv_file(tmp_path / name, [["a"], ["1"]])
        assert ask(opened(path))["data_context"]["total_records"] == 1


def test_files_of_a_folder_with_the_same_columns_form_one_table_in_order(tmp_path: Path, opened: Open) -> None:
    for year in (2023, 2024, 2025):
        csv_file(
            tmp_path / f"events_{year}.csv",
            [["n", "price"], *([f"{year}-{at}", "1.5" if year == 2024 else "2"] for at in range(3))],
        )
    csv_file(tmp_path / "places.csv", [["city"], ["Rome"]])
    (tmp_path / ".hidden.csv").write_text("a\n1\n")
    (tmp_path / "broken.parquet").write_text("no")
    (tmp_path / "deep").mkdir()
    csv_file(tmp_path / "deep" / "events_2026.csv", [["price", "n"], ["3", "2026-0"]])

    database = opened(tmp_path)

    assert database.tables == ("events", "places")
    records = all_records(database)
    assert [record["n"] for record in records] == [
        "2026-0",
        *(f"{y}-{at}" for y in (2023, 2024, 2025) for at in range(3)),
    ]
    assert [record["file"] for record in records[:2]] == ["events_2026", "events_2023"]
    assert sum(record["price"] for record in records) == 3 + 6 + 4.5 + 6
    assert any("broken.parquet is left out" in note for note in database.profile("events").table.notes)


def test_files_that_are_named_stay_tables_of_their_own(tmp_path: Path, opened: Open) -> None:
    one = csv_file(tmp_path / "a.csv", [["x"], ["1"]])
    (tmp_path / "b").mkdir()
    two = csv_file(tmp_path / "b" / "a.csv", [["x"], ["1"]])

    assert opened(one, two).tables == ("a", "a_2")


def test_what_holds_bytes_or_no_number_is_left_away(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "t.parquet"
    parquet(
        path,
        "SELECT 'x'::BLOB AS raw, 'nan'::DOUBLE AS n, 'infinity'::DATE AS d, 0.1::FLOAT AS f, 2::DECIMAL(9, 0) AS k",
    )

    database = opened(path)

    assert all_records(database) == [{"_row": 1, "n": None, "d": None, "f": 0.1, "k": 2}]
    assert database.profile("").table.left_out == {"raw": "it holds bytes"}


def test_japanese_encodings_byte_order_marks_and_other_delimiters_are_understood(tmp_path: Path, opened: Open) -> None:
    text = "国,件数\n日本,12\n中国,7\n"
    for encoding in ("cp932", "euc_jp", "utf-8-sig", "utf-16"):
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes(text.encode(encoding))
        assert all_records(opened(path)) == [
            {"_row": 1, "国": "日本", "件数": 12},
            {"_row": 2, "国": "中国", "件数": 7},
        ]
    semicolons = tmp_path / "s.csv"
    semicolons.write_text('a;b\n1;"x;y\nz"\n2;w\n')
    assert [record["b"] for record in all_records(opened(semicolons))] == ["x;y\nz", "w"]


def test_lines_that_do_not_fit_are_left_out_and_counted(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3\n4,5,6,7\n8,9\n")

    database = opened(path)

    assert [(record["a"], record["b"]) for record in all_records(database)] == [(1, 2), (3, None), (8, 9)]
    assert database.profile("").table.notes[0].startswith("1 rows")


def test_years_are_names_of_columns_and_a_last_line_of_words_costs_no_column(tmp_path: Path, opened: Open) -> None:
    years, total = tmp_path / "years.csv", tmp_path / "total.csv"
    years.write_text("region,2019,2020\nnorth,1,2\nsouth,3,4\n")
    total.write_text("region,n\nnorth,1\nsouth,2\nTotal: 3\n")
    assert all_records(opened(years))[0] == {"_row": 1, "region": "north", "2019": 1, "2020": 2}
    assert [record["n"] for record in all_records(opened(total))] == [1, 2, None]


@pytest.mark.parametrize(("prices", "median"), [(("1.10", "1.11"), 1.105), (("1", "2"), 1.5)])
def test_the_median_of_decimals_is_not_cut_to_their_digits(
    prices: tuple[str, str], median: float, tmp_path: Path, opened: Open
) -> None:
    digits = len(prices[0].partition(".")[2])
    values = ", ".join(f"({price})" for price in prices)
    path = parquet(
        tmp_path / "t.parquet", f"SELECT price::DECIMAL(9, {digits}) AS price FROM (VALUES {values}) t(price)"
    )
    told = ask(opened(path), statistics=["price"])["aggregations"]["statistics"]
    assert told["price"]["median"] == median


def bad(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("none.csv", None, "is not there"),
        ("empty.csv", b"", "it is empty"),
        ("blank.csv", b"\n\n  \n", "it is empty"),
        ("binary.csv", b"a,b\n\x00\x01", "binary"),
        ("zip.csv", b"PK\x03\x04rest", "another kind of file"),
        ("text.parquet", b"hello, this is no parquet", "no Parquet file"),
        ("locked.parquet", b"PARE....PARE", "encrypted"),
        ("cut.parquet", b"PAR1....", "cut.parquet cannot be read"),
        ("text.db", b"hello", "no Sqlite file, or it is encrypted"),
        ("cut.sqlite", b"SQLite format 3\x00" + b"\x07" * 200, "no SQLite file, encrypted or damaged"),
        ("text.duckdb", b"hello hello hello", "no Duckdb file"),
        ("bad.json", b'{"a":', "bad.json cannot be read"),
        ("scalars.json", b"[1, 2]", "no objects"),
        ("plain.gz.csv.gz", b"a,b\n1,2\n", "not compressed"),
        ("cut.csv.gz", gzip.compress(b"a,b\n" * 100, mtime=0)[:-12], "damaged"),
        ("notes.txt", b"hello", "no data file by its name"),
        ("open.csv", b'id,text\n1,"' + b"x" * 5_000_000, "open.csv cannot be read"),
        ("wide.csv", b",".join(b"c%d" % each for each in range(1_001)) + b"\n", "at most 1,000 are read"),
        ("wide.jsonl", b"".join(b'{"k%d":1}\n' % each for each in range(1_001)), "at most 1,000 are read"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_clear_line(
    tmp_path: Path, opened: Open, name: str, data: bytes | None, told: str
) -> None:
    path = tmp_path / name if data is None else bad(tmp_path, name, data)

    with pytest.raises(UsageError) as error:
        opened(path)

    assert told in str(error.value)
    assert "\n" not in str(error.value) and "input-" not in str(error.value) and "fathom-data" not in str(error.value)


def test_a_table_of_many_columns_is_read_in_the_memory_that_is_allowed(tmp_path: Path, opened: Open) -> None:
    rows = [",".join(f"c{place}" for place in range(150))]
    rows += [",".join(f"{row * place % 7}.5" for place in range(150)) for row in range(20)]
    (tmp_path / "wide.csv").write_text("\n".join(rows))

    database = opened(tmp_path / "wide.csv", data_memory_mb=256)

    assert {column.kind for column in database.profile("").table.columns} == {"decimal"}
    assert all_records(database)[1]["c1"] == 1.5


def test_a_file_that_unpacks_without_end_is_given_up(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.datasets.text_files._SURELY_READ", 1_000_000)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000, mtime=0))

    with pytest.raises(UsageError, match="unpacks to far more"):
        opened(tmp_path / "bomb.csv.gz")


def test_a_quotation_that_is_never_closed_does_not_break_the_reading(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "open.csv").write_text('id,text\n1,"' + "2,b\n" * 100_000)

    assert opened(tmp_path / "open.csv").profile("").table.total == 1


def test_a_folder_without_data_is_one_clear_line(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "readme.txt").write_text("x")

    with pytest.raises(UsageError, match="holds no data file"):
        opened(tmp_path)


def test_an_empty_database_is_one_clear_line(tmp_path: Path, opened: Open) -> None:
    sqlite3.connect(tmp_path / "e.db").executescript("PRAGMA user_version = 1")

    with pytest.raises(UsageError, match="holds no table"):
        opened(tmp_path / "e.db")


def test_the_disk_is_capped(tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.datasets.workspace.LOOKS_EVERY", 0.001)
    path = tmp_path / "big.parquet"
    parquet(path, "SELECT hash(i) AS a, hash(-i) AS b FROM range(1000000) AS r(i)")

    with pytest.raises(UsageError, match="FATHOM_DATA_MAX_DISK_MB"):
        opened(path, data_max_disk_mb=10)


def test_the_revision_changes_with_the_content_and_not_with_the_place(tmp_path: Path, opened: Open) -> None:
    one = csv_file(tmp_path / "a.csv", [["x"], ["1"]])
    (tmp_path / "b").mkdir()
    two = csv_file(tmp_path / "b" / "a.csv", [["x"], ["1"]])
    first = opened(one).revision

    assert opened(two).revision == first
    csv_file(two, [["x"], ["2"]])
    assert opened(two).revision != first


def test_nothing_of_the_outside_can_be_reached_with_the_data_open(tmp_path: Path, opened: Open) -> None:
    secret = csv_file(tmp_path / "secret.csv", [["x"], ["1"]])
    database = opened(csv_file(tmp_path / "a.csv", [["x"], ["1"]]))
    con: Any = database._con

    for statement in (
        f"SELECT * FROM '{secret}'",
        f"COPY t0 TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'new.db'}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '99GB'",
        "CREATE TABLE x AS SELECT 1",
        "DELETE FROM t0",
    ):
        with pytest.raises(duckdb.Error):
            con.execute(statement)


@pytest.mark.parametrize("form", ["json", "list.json", "jsonl", "json.gz"])
def test_a_report_of_fathom_is_no_data(tmp_path: Path, opened: Open, form: str) -> None:
    report = whole_report().model_dump_json()
    text = f"[{report},\n{report}]" if form == "list.json" else report + "\n"
    path = tmp_path / f"report.{form}"
    path.write_bytes(gzip.compress(text.encode()) if form.endswith("gz") else text.encode())

    with pytest.raises(UsageError, match="it is a report of Fathom, which is no source"):
        opened(path)

    csv_file(tmp_path / "sales.csv", [["city", "amount"], ["Oslo", "10"]])
    assert opened(tmp_path).tables == ("sales",)


def test_a_quotation_mark_behind_a_backslash_belongs_to_the_value(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "songs.csv"
    path.write_text('"no","title"\n"1","\\"Summer\\" (live)"\n"2","5\' 10\\""\n', encoding="utf-8")

    assert [each["title"] for each in all_records(opened(path))] == ['"Summer" (live)', "5' 10\""]


def test_a_backslash_that_ends_a_value_is_a_part_of_it(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "folders.csv"
    path.write_text('"no","folder"\n"1","C:\\temp\\"\n"2","C:\\"\n', encoding="utf-8")

    assert [each["folder"] for each in all_records(opened(path))] == ["C:\\temp\\", "C:\\"]
