"""Files that are small, or look it, and were made to take all memory, disk and time of whoever reads them."""

from __future__ import annotations

import gzip
import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from fathom.datasets import database as reading
from fathom.datasets.database import open_database
from fathom.datasets.tables import Table
from fathom.datasets.workspace import PREFIX, memory_within
from fathom.errors import UsageError
from fathom.settings.data import DataSettings

_PAGE = 512
"""Bytes of a page of the database whose rows share their pages."""


def packed_line(path: Path, megabytes: int) -> Path:
    """One line of so many megabytes, compressed a thousandfold."""
    with gzip.open(path, "wb") as file:
        file.write(b'{"a": "' if "json" in path.name else b"a,b\n")
        for _ in range(megabytes):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n' if "json" in path.name else b"\n")
    return path


def keys(path: Path, count: int) -> Path:
    """Names of fields: all of one object, or one of each line."""
    if path.suffix == ".json":
        path.write_text(json.dumps([{f"k{number}": number for number in range(count)}]), encoding="utf-8")
    else:
        path.write_text("".join(f'{{"k{number}": {number}}}\n' for number in range(count)), encoding="utf-8")
    return path


def tables(path: Path, count: int) -> Path:
    """A database of that many tables."""
    con: Any = duckdb.connect(str(path)) if path.suffix == ".duckdb" else sqlite3.connect(path)
    con.execute("BEGIN")
    for number in range(count):
        con.execute(f"CREATE TABLE t{number} (a INT)")
    con.execute("COMMIT")
    con.close()
    return path


def equal_rows(path: Path, count: int) -> Path:
    """Parquet of rows that are all the same: a few bytes for a million."""
    duckdb.sql(f"COPY (SELECT 1 AS a, 'x' AS b FROM range({count})) TO '{path}' (FORMAT parquet)")
    return path


def shared_pages(path: Path, rows: int) -> Path:
    """SQLite whose rows all hold the same million characters, which are in the file once."""
    small, inner = 20_000, _PAGE - 4
    large = small + (1_000_000 - small) // inner * inner  # as many bytes beside the row as with the small one
    con = sqlite3.connect(path)
    con.execute(f"PRAGMA page_size = {_PAGE}")
    con.execute("CREATE TABLE t (a TEXT)")
    con.execute("INSERT INTO t VALUES (?)", ("A" * large,))
    con.executemany("INSERT INTO t VALUES (?)", (("B" * small,) for _ in range(rows)))
    con.commit()
    con.close()
    data = bytearray(path.read_bytes())
    records = {_record(size)[0]: size for size in (large, small)}
    length, head = _record(large)
    shared = b""
    for cell in _cells(data):
        if (size := records.get(bytes(data[cell : cell + len(length)]))) is None:
            continue
        at = data.index(_record(size)[1], cell + len(length))
        least = (_PAGE - 12) * 32 // 255 - 23
        here = least + (size + len(head) - least) % inner
        pointer = at + (here if here <= _PAGE - 35 else least)
        shared = shared or bytes(data[pointer : pointer + 4])
        data[cell : cell + len(length)] = length
        data[at : at + len(head)] = head
        data[pointer : pointer + 4] = shared
    path.write_bytes(data)
    return path


def _cells(data: bytearray) -> Iterator[int]:
    """Where the rows of all leaves begin, that of the first row first."""
    for page in range(_PAGE, len(data), _PAGE):
        if data[page] == 13:
            count = int.from_bytes(data[page + 3 : page + 5], "big")
            for at in range(page + 8, page + 8 + 2 * count, 2):
                yield page + int.from_bytes(data[at : at + 2], "big")


def _record(size: int) -> tuple[bytes, bytes]:
    """How long a row with a text of that size is, and its head."""
    serial = _varint(13 + 2 * size)
    head = _varint(1 + len(serial)) + serial
    return _varint(len(head) + size), head


def _varint(number: int) -> bytes:
    found = [number & 127]
    while number := number >> 7:
        found.append(number & 127 | 128)
    return bytes(reversed(found))


BOMBS: dict[str, tuple[Callable[[Path, int], Path], int, int]] = {
    "line.csv.gz": (packed_line, 2, 1_000),
    "line.jsonl.gz": (packed_line, 2, 1_000),
    "keys.json": (keys, 1_001, 200_000),
    "keys.jsonl": (keys, 1_001, 200_000),
    "tables.sqlite": (tables, 1_001, 20_000),
    "tables.duckdb": (tables, 1_001, 20_000),
    "equal.parquet": (equal_rows, 100_000, 1_000_000_000),
    "shared.sqlite": (shared_pages, 5, 5_000),
}
"""What makes each, how large it is among the ordinary tests, and how large it is in earnest."""
READ = {"equal.parquet", "shared.sqlite", "line.csv.gz", "line.jsonl.gz"}
"""Those that, so small, are read like any other."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_with_more_than_a_table_has_is_refused_by_its_name_and_costs_the_others_of_its_folder_nothing(
    name: str, tmp_path: Path
) -> None:
    make, size, _ = BOMBS[name]
    (tmp_path / "good.csv").write_text("city,people\nPune,7\nOslo,9\n", encoding="utf-8")
    bomb = make(tmp_path / name, size)
    if name not in READ:
        with pytest.raises(UsageError, match=rf"{name}.*at most 1,000 are read") as raised:
            open_database([bomb], DataSettings())
        assert "\n" not in str(raised.value)
    database = open_database([tmp_path], DataSettings())
    try:
        assert "good" in database.tables
    finally:
        database.close()


def test_rows_that_share_their_pages_are_what_they_are_said_to_be(tmp_path: Path) -> None:
    path = shared_pages(tmp_path / "shared.sqlite", 5)
    con = sqlite3.connect(path)
    told = con.execute("SELECT count(*), min(length(a)) > 900000, count(DISTINCT substr(a, 1000)) FROM t").fetchone()
    assert told == (6, 1, 1)
    con.close()


def test_the_system_gives_a_reader_no_more_memory_than_is_allowed() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with memory_within(3_072):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == 4 << 30
        with pytest.raises(MemoryError):
            bytearray(5 << 30)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def endless(con: duckdb.DuckDBPyConnection, *_: object) -> list[Table]:
    con.execute("SELECT count(*) FROM range(1000000000) AS a, range(1000000000) AS b WHERE a.range % 7 = b.range % 5")
    return []


def greedy(*_: object) -> list[Table]:
    raise MemoryError


@pytest.mark.parametrize(
    ("load", "bound"), [(endless, r"more than 0\.1 seconds.*MAX_READING"), (greedy, "1024 MB of memory")]
)
def test_reading_that_takes_too_long_or_too_much_ends_with_a_line_that_names_file_and_bound(
    load: Any, bound: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good.csv").write_text("city,people\nPune,7\n", encoding="utf-8")
    monkeypatch.setattr(reading, "load", load)
    with pytest.raises(UsageError, match=rf"good\.csv: reading takes {'.*'}{bound}"):
        open_database([tmp_path / "good.csv"], DataSettings(data_max_reading=0.1))


DEAF = """
import sys, threading
from pathlib import Path
from fathom.datasets import database, workspace
from fathom.settings.data import DataSettings
workspace._GRACE = 0
database.load = lambda *_: threading.Event().wait()
database.open_database([Path(sys.argv[1])], DataSettings(data_max_reading=0.1))
"""


def test_reading_that_does_not_heed_the_end_of_its_time_is_ended_and_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "good.csv"
    file.write_text("city,people\nPune,7\n", encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-c", DEAF, str(file)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.startswith(f"fathom: {file}: reading takes more than 0.1 seconds")
    assert not list(tmp_path.glob(f"{PREFIX}*"))


@pytest.mark.soak
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_in_earnest_takes_no_more_than_the_system_allows(name: str, tmp_path: Path) -> None:
    make, _, size = BOMBS[name]
    bomb = make(tmp_path / name, size)
    program = (
        "import resource, runpy, sys; sys.argv = ['fathom', 'dataset', 'describe', sys.argv[1]]\n"
        "import atexit; atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))\n"
        "runpy.run_module('fathom', run_name='__main__')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(bomb)],
        env={**os.environ, "TMPDIR": str(tmp_path), "FATHOM_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert ended.returncode in (0, 2), ended.stderr
    assert "Traceback" not in ended.stderr
    if ended.returncode:
        assert ended.stderr.count("\n") == 1
        assert name in ended.stderr
    lines = [line for line in ended.stdout.splitlines() if line.isdecimal()]  # a bar of progress stands beside it
    if lines:
        assert int(lines[-1]) < 2_100_000  # kilobytes
    assert not list(tmp_path.glob(f"{PREFIX}*"))
