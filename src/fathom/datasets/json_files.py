"""Objects in JSON, as a list or one per line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.datasets.relation import Relation, check_width, relation_of
from fathom.errors import Unreadable
from fathom.text.own import REPORT_FIELDS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LONGEST_OBJECT = 16 * 1024 * 1024
"""Bytes of one object."""


def json_rows(con: DuckDBPyConnection, path: Path, rows_of: str, *, lines: bool) -> Relation:
    """The objects of a file.

    Raises:
        Unreadable: it holds something else.
        duckdb.Error: it is no JSON.
    """
    # no text fits this form of a date: dates are found later, the same way for all formats
    written = (
        f"maximum_object_size={_LONGEST_OBJECT}, compression='{'gzip' if path.suffix == '.gz' else 'none'}', "
        f"format='{'newline_delimited' if lines else 'auto'}'"
    )
    options = f"sample_size=-1, map_inference_threshold=-1, dateformat='#%Y', timestampformat='#%Y', {written}"
    # the time that DuckDB takes grows with the square of the number of names
    keys = f"SELECT unnest(json_keys(json)) AS k FROM read_json_objects('{path}', {written})"
    named = con.execute(f"SELECT count(DISTINCT k) FROM ({keys})").fetchone()
    check_width(named[0] if named else 0)
    con.execute(f"CREATE TEMP TABLE {rows_of} AS SELECT * FROM read_json('{path}', {options})")
    found = replace(relation_of(con, rows_of), scratch=rows_of)
    if found.columns == ("json",):
        raise Unreadable("it holds no objects: a table is a list of objects with the same names in them")
    if REPORT_FIELDS.issubset(found.columns):
        raise Unreadable("it is a report of Fathom, which is no source")
    listed = _only_list(con, rows_of)
    if listed is None:
        return found
    inner = f"(SELECT unnest(x, max_depth := 2) FROM (SELECT {listed} FROM {rows_of}) AS r(x))"
    return replace(relation_of(con, inner), scratch=rows_of)


def _only_list(con: DuckDBPyConnection, rows_of: str) -> str | None:
    """The list of objects that a file wraps into one object, like `{"data": [{…}, {…}]}`."""
    count = con.execute(f"SELECT count(*) FROM {rows_of}").fetchone()
    described = con.execute(f"SELECT * FROM {rows_of} LIMIT 0").description or ()
    lists = [place for place, column in enumerate(described) if str(column[1]).endswith(")[]")]
    if count != (1,) or len(lists) != 1:
        return None
    return f"(SELECT c{lists[0]} FROM {rows_of} AS r({', '.join(f'c{place}' for place in range(len(described)))}))"
