"""The formats of files: what each is told by, and how its rows come into DuckDB as columns of plain values."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sqlite3
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from fathom.errors import Unreadable
from fathom.reading.document import decode
from fathom.text.characters import HAN

if TYPE_CHECKING:
    import duckdb

Format = Literal["csv", "tsv", "parquet", "json lines", "json", "sqlite", "duckdb"]

FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".duckdb": "duckdb",
}
"""What a file is by the ending of its name; those of text may also end in `.gz`."""
TEXTS = {"csv", "tsv", "json lines", "json"}
_MAGIC: dict[str, tuple[int, bytes]] = {
    "parquet": (0, b"PAR1"),
    "sqlite": (0, b"SQLite format 3\x00"),
    "duckdb": (8, b"DUCK"),
}
_DELIMITERS = ",;\t|"
_FIRST = 64 * 1024
"""Bytes from the beginning of a file by which it is judged."""
_MOST_DECODED = 256 * 1024 * 1024
"""Bytes of a text that may be in another encoding than UTF-8: it is held in memory."""
_LONGEST_LINE = 4 * 1024 * 1024
_LONGEST_OBJECT = 16 * 1024 * 1024
_HIGH_CONTROL = re.compile("[\x80-\x9f]")
_IDEOGRAPH = re.compile(f"[{HAN}]")
_ROWS = 5_000


@dataclass(frozen=True)
class Relation:
    """Rows of a file as they lie in DuckDB before their values are looked at."""

    name: str
    """Of the table within its file; empty when the file is one table."""
    sql: str
    """What can be selected from."""
    columns: tuple[str, ...]
    """Names of its columns, in order."""
    untyped: bool = False
    """Whether all of it is text because the format knows nothing else."""
    left_out: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def format_of(path: Path) -> Format | None:
    """What the file is by its name; `None` when that says nothing."""
    ending = path.suffix.lower()
    if ending == ".gz":
        found = FORMATS.get(Path(path.stem).suffix.lower())
        return found if found in TEXTS else None
    return FORMATS.get(ending)


def check(path: Path, format: Format) -> None:
    """Look whether the file is what its name says.

    Raises:
        Unreadable: it is not; the reason.
    """
    with path.open("rb") as file:
        first = file.read(_FIRST)
    if not first:
        raise Unreadable("it is empty")
    if path.suffix.lower() == ".gz" and not first.startswith(b"\x1f\x8b"):
        raise Unreadable("its name ends in .gz, and it is not compressed")
    if format == "parquet" and first.startswith(b"PARE"):
        raise Unreadable("it is encrypted")
    if format in _MAGIC:
        at, magic = _MAGIC[format]
        if first[at : at + len(magic)] != magic:
            raise Unreadable(f"it is no {format.capitalize()} file, or it is encrypted")
    elif first.startswith((b"PK\x03\x04", b"PAR1", b"SQLite format 3\x00")):
        raise Unreadable(f"its name says {format.upper()}, and it is another kind of file")


def relations(con: duckdb.DuckDBPyConnection, path: Path, format: Format, folder: Path) -> Iterator[Relation]:
    """The tables of a file, each to be used before the next is asked for.

    `folder` is a temporary one: the file gets a name in it that is harmless in every statement.

    Raises:
        Unreadable: it holds no table; the reason.
        duckdb.Error: it cannot be read.
    """
    match format:
        case "csv" | "tsv":
            yield _csv(con, _as_utf8(path, folder), delimiter="\t" if format == "tsv" else None)
        case "json" | "json lines":
            yield _json(con, _as_utf8(path, folder), lines=format == "json lines")
        case "parquet":
            yield _whole(con, f"read_parquet('{_linked(path, folder)}')")
        case "sqlite":
            yield from _sqlite(con, path)
        case "duckdb":
            yield from _duckdb(con, path, folder)


def _linked(path: Path, folder: Path) -> Path:
    """A name without quotes and wildcards for a file of any name."""
    link = folder / f"input{''.join(path.suffixes[-1:]) if path.suffix == '.gz' else ''}"
    link.unlink(missing_ok=True)
    link.symlink_to(path.resolve())
    return link


def _whole(con: duckdb.DuckDBPyConnection, sql: str) -> Relation:
    names = [str(column[0]) for column in con.execute(f"SELECT * FROM {sql} LIMIT 0").description or ()]
    return Relation("", sql, tuple(names))


# ── Text ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _opened(path: Path) -> io.BufferedIOBase:
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")


def _as_utf8(path: Path, folder: Path) -> Path:
    """The file, or a copy of it in UTF-8.

    Raises:
        Unreadable: it is not text.
    """
    decoder = getincrementaldecoder("utf-8")()
    try:
        with _opened(path) as file:
            first = file.read(3)
            fits = not first.startswith((b"\xff\xfe", b"\xfe\xff"))
            decoder.decode(first) if fits else None
            while fits and (chunk := file.read(1 << 20)):
                if b"\x00" in chunk:
                    raise Unreadable("it is a binary file")
                decoder.decode(chunk)
            if fits:
                decoder.decode(b"", final=True)
                return _linked(path, folder)
    except UnicodeDecodeError:
        fits = False
    except (EOFError, gzip.BadGzipFile) as error:
        raise Unreadable("it is compressed, and damaged") from error
    with _opened(path) as file:
        data = file.read(_MOST_DECODED + 1)
    if len(data) > _MOST_DECODED:
        raise Unreadable("it is larger than 256 MB and not in UTF-8: convert it")
    copy = folder / "copy"
    copy.write_text(_decoded(data), encoding="utf-8", newline="")
    return copy


def _decoded(data: bytes) -> str:
    """The text of `data`. A table of Japanese may hold no kana, by which longer texts are told: ideographs do here."""
    text = decode(data).removeprefix("\ufeff")
    if not _HIGH_CONTROL.search(text):
        return text
    for encoding in ("cp932", "euc_jp"):
        try:
            japanese = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if 2 * len(_IDEOGRAPH.findall(japanese)) > sum(not char.isascii() for char in japanese):
            return japanese
    return text


def _csv(con: duckdb.DuckDBPyConnection, path: Path, *, delimiter: str | None) -> Relation:
    with _opened(path) as file:
        text = file.read(_FIRST * 4).decode("utf-8-sig", "ignore")
    if not text.strip():
        raise Unreadable("it is empty")
    delimiter = delimiter or _delimiter(text)
    rows = [
        row for _, row in zip(range(200), csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), strict=False)
    ]
    rows = [row for row in rows if row]
    width = max(len(rows[0]), Counter(map(len, rows[1:-1] or rows)).most_common(1)[0][0])
    header = _is_header(rows[0])
    names = [*(rows[0] if header else []), *([""] * width)][:width]
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width))
    options = (
        f"auto_detect=false, delim='{delimiter}', quote='\"', escape='\"', header={header}, columns={{{columns}}}, "
        f"max_line_size={_LONGEST_LINE}, compression='{'gzip' if path.suffix == '.gz' else 'none'}'"
    )
    sql = f"read_csv('{path}', {options})"
    notes: tuple[str, ...] = ()
    con.execute("DROP TABLE IF EXISTS rows")
    import duckdb

    try:
        con.execute(f"CREATE TEMP TABLE rows AS SELECT * FROM {sql}")
    except duckdb.InvalidInputException:
        lenient = "strict_mode=false, null_padding=true, ignore_errors=true, store_rejects=true"
        con.execute(f"CREATE TEMP TABLE rows AS SELECT * FROM read_csv('{path}', {options}, {lenient})")
        lost = con.execute("SELECT count(DISTINCT line) FROM reject_errors").fetchone()
        con.execute("DROP TABLE reject_errors; DROP TABLE reject_scans")
        if lost and lost[0]:
            notes = (f"{lost[0]} lines have more fields than the first line names, or are damaged: they are left out.",)
    return Relation("", "rows", tuple(names), untyped=True, notes=notes)


def _delimiter(text: str) -> str:
    """What stands between the fields: the sign that splits the first lines alike, and most often."""
    lines = [line for line in text.splitlines()[:20] if line.strip()]

    def fields(delimiter: str) -> tuple[int, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        usual, times = Counter(widths).most_common(1)[0]
        return (times if usual > 1 else 0, usual)

    return max(_DELIMITERS, key=fields)


def _is_header(row: Sequence[str]) -> bool:
    """Whether a first row names its columns: no cell is a number, and hardly one is empty."""
    from fathom.datasets.forms import forms_of

    cells = [cell.strip() for cell in row if cell.strip()]
    plain = [cell for cell in cells if not forms_of([cell], untyped=True) or (cell.isdigit() and len(cell) == 4)]
    return len(plain) == len(cells) and 2 * len(cells) > len(row) and not all(cell.isdigit() for cell in cells)


def _json(con: duckdb.DuckDBPyConnection, path: Path, *, lines: bool) -> Relation:
    # no text fits this form of a date: dates are found later, the same way for all formats
    options = (
        f"sample_size=-1, map_inference_threshold=-1, maximum_object_size={_LONGEST_OBJECT}, dateformat='#%Y', "
        f"timestampformat='#%Y', compression='{'gzip' if path.suffix == '.gz' else 'none'}', "
        f"format='{'newline_delimited' if lines else 'auto'}'"
    )
    con.execute("DROP TABLE IF EXISTS rows")
    con.execute(f"CREATE TEMP TABLE rows AS SELECT * FROM read_json('{path}', {options})")
    whole = _whole(con, "rows")
    if whole.columns == ("json",):
        raise Unreadable("it holds no objects: a table is a list of objects with the same names in them")
    listed = _only_list(con)
    if listed is None:
        return whole
    con.execute(
        "CREATE OR REPLACE TEMP TABLE inner_rows AS SELECT unnest(x, max_depth := 2) "
        f"FROM (SELECT {listed} FROM rows) AS r(x)"
    )
    return _whole(con, "inner_rows")


def _only_list(con: duckdb.DuckDBPyConnection) -> str | None:
    """The list of objects that a file wraps into one object, like `{"data": [{…}, {…}]}`."""
    count = con.execute("SELECT count(*) FROM rows").fetchone()
    described = con.execute("SELECT * FROM rows LIMIT 0").description or ()
    lists = [place for place, column in enumerate(described) if str(column[1]).endswith(")[]")]
    if count != (1,) or len(lists) != 1:
        return None
    return f"(SELECT c{lists[0]} FROM rows AS r({', '.join(f'c{place}' for place in range(len(described)))}))"


# ── Databases ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _sqlite(con: duckdb.DuckDBPyConnection, path: Path) -> Iterator[Relation]:
    # what nobody is writing to is opened so that nothing is made beside it
    still = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro{still}", uri=True)) as source:
            source.text_factory = lambda data: data.decode("utf-8", "replace")
            listed = source.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
            names = [name for (name,) in listed if not name.startswith("sqlite_")]
            if not names:
                raise Unreadable("it holds no table")
            for name in names:
                yield _sqlite_table(con, source, name)
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"it is no SQLite file, encrypted or damaged: {error}") from error


def _sqlite_table(con: duckdb.DuckDBPyConnection, source: sqlite3.Connection, table: str) -> Relation:
    quoted = '"' + table.replace('"', '""') + '"'
    names = [str(row[0]) for row in source.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    own = ['"' + name.replace('"', '""') + '"' for name in names]
    kinds = ("text", "real", "integer", "blob")
    told = ", ".join(f"max(typeof({name}) = '{kind}')" for name in own for kind in kinds)
    seen = source.execute(f"SELECT {told} FROM {quoted}").fetchone()
    taken, values, types = [], [], []
    left_out = {}
    for place, name in enumerate(own):
        text, real, whole, blob = (bool(each) for each in seen[4 * place : 4 * place + 4])
        if blob and not (text or real or whole):
            left_out[names[place]] = "it holds bytes"
            continue
        value = name if not blob else f"CASE WHEN typeof({name}) <> 'blob' THEN {name} END"
        types.append("VARCHAR" if text or not (real or whole) else "DOUBLE" if real else "BIGINT")
        values.append(f"CAST({value} AS TEXT)" if types[-1] == "VARCHAR" else value)
        taken.append(names[place])
    columns = ", ".join(f"c{place} {type}" for place, type in enumerate(types))
    if not columns:
        return Relation(table, "", (), left_out=left_out)
    con.execute(f"CREATE OR REPLACE TEMP TABLE rows ({columns})")
    cursor = source.execute(f"SELECT {', '.join(values)} FROM {quoted}")
    appender = con.appender("rows")
    while rows := cursor.fetchmany(_ROWS):
        appender.append_rows(rows)
    appender.flush()
    return Relation(table, "rows", tuple(taken), left_out=left_out)


def _duckdb(con: duckdb.DuckDBPyConnection, path: Path, folder: Path) -> Iterator[Relation]:
    link = _linked(path, folder)
    log = link.with_name(f"{link.name}.wal")
    log.unlink(missing_ok=True)
    if (beside := path.resolve().with_name(f"{path.name}.wal")).exists():
        log.symlink_to(beside)  # what was written last
    con.execute(f"ATTACH '{link}' AS source (READ_ONLY)")
    try:
        listed = con.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source' AND NOT internal "
            "ORDER BY ALL"
        ).fetchall()
        if not listed:
            raise Unreadable("it holds no table")
        for schema, table in listed:
            named = ".".join('"' + part.replace('"', '""') + '"' for part in ("source", schema, table))
            found = _whole(con, named)
            yield Relation(str(table), found.sql, found.columns)
    finally:
        con.execute("DETACH source")
