"""What the texts of a column mean: numbers, dates, truth values, or just texts.

A column is only taken for something else when each of its values, without exception, is written like that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fathom.datasets.tables import Kind

_BLANK = ("nan", "na", "n/a", "null", "none", "-", "inf", "-inf", "+inf", "infinity", "-infinity")
"""What stands for no value among numbers and dates. Among words it is a word: NA is Namibia."""
_TIME = r"[T ]\d{1,2}:\d{2}(:\d{2}(\.\d{1,9})?)?"
_ZONE = r" ?([Zz]|[+-]\d{2}(:?\d{2})?)"


@dataclass(frozen=True)
class Form:
    """A way of writing values."""

    kind: Kind
    pattern: str
    """Of one value; read by Python and by RE2."""
    sql: str
    """Turns `{v}`, a value that fits the pattern, into what it stands for; `NULL` when it stands for nothing."""
    zoned: bool = False


_INTEGER = Form("integer", r"[+-]?(0|[1-9]\d{0,17})", "TRY_CAST({v} AS BIGINT)")
_DECIMAL = Form(
    "decimal",
    r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?",
    "CASE WHEN isfinite(TRY_CAST({v} AS DOUBLE)) THEN TRY_CAST({v} AS DOUBLE) END",
)
_GROUPED = Form("decimal", r"[+-]?\d{1,3}(,\d{3})*(\.\d+)?", "TRY_CAST(replace({v}, ',', '') AS DOUBLE)")
_GROUPED_INTEGER = Form("integer", r"[+-]?\d{1,3}(,\d{3}){0,5}", "TRY_CAST(replace({v}, ',', '') AS BIGINT)")
_BOOLEAN = Form("boolean", r"[Tt]rue|TRUE|[Ff]alse|FALSE", "(lower({v}) = 'true')")
_DATES = (
    Form("date", r"\d{4}-\d{1,2}-\d{1,2}", "TRY_CAST({v} AS DATE)"),
    Form("date", r"\d{4}/\d{1,2}/\d{1,2}", "TRY_CAST({v} AS DATE)"),
    Form("date", r"\d{4}年\d{1,2}月\d{1,2}日", "CAST(try_strptime({v}, '%Y年%m月%d日') AS DATE)"),
    Form("date", r"\d{1,2}\.\d{1,2}\.\d{4}", "CAST(try_strptime({v}, '%d.%m.%Y') AS DATE)"),
    Form("date", r"\d{1,2} [A-Z][a-z]+ \d{4}", "CAST(try_strptime({v}, ['%d %B %Y', '%d %b %Y']) AS DATE)"),
    Form("date", r"[A-Z][a-z]+ \d{1,2}, \d{4}", "CAST(try_strptime({v}, ['%B %d, %Y', '%b %d, %Y']) AS DATE)"),
    Form("moment", rf"\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}({_TIME})?", "TRY_CAST({v} AS TIMESTAMP)"),
    Form(
        "moment",
        rf"\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}{_TIME}{_ZONE}",
        "(TRY_CAST({v} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')",
        zoned=True,
    ),
)
_CALENDAR = {
    "date": "DATE '0001-01-01' AND DATE '9999-12-31'",
    "moment": "TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'",
}
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/\d{4}")
_DAY_FIRST = Form("date", r"\d{1,2}/\d{1,2}/\d{4}", "CAST(try_strptime({v}, '%d/%m/%Y') AS DATE)")
_MONTH_FIRST = Form("date", r"\d{1,2}/\d{1,2}/\d{4}", "CAST(try_strptime({v}, '%m/%d/%Y') AS DATE)")


def forms_of(values: Sequence[str], *, untyped: bool) -> list[Form]:
    """The forms that fit all of the values, the likeliest first; numbers and truth values only where all is text.

    A date like 03/04/2024 is one only if some other value shows which of its numbers is the day.
    """
    told = [value for value in values if not untyped or value.lower() not in _BLANK]
    if not told:
        return []
    known = [_INTEGER, _DECIMAL, _BOOLEAN] if untyped else []
    if untyped and any("," in value for value in told):
        known += [_GROUPED_INTEGER, _GROUPED]
    known += _DATES
    slashed = [match for value in told if (match := _SLASHED.fullmatch(value))]
    if len(slashed) == len(told):
        first, second = (max(int(match[place]) for match in slashed) for place in (1, 2))
        known += [_DAY_FIRST] if first > 12 >= second else [_MONTH_FIRST] if second > 12 >= first else []
    return [form for form in known if all(re.fullmatch(form.pattern, value, re.ASCII) for value in told)]


def converted(form: Form, column: str, *, untyped: bool) -> str:
    """The expression that turns the texts of `column` into what they stand for; `NULL` for those of another form."""
    value = form.sql.format(v=column)
    value = within_calendar(value, form.kind) if form.kind in _CALENDAR else value
    fits = f"regexp_full_match({column}, '{form.pattern}')"
    return f"CASE WHEN {told(column, untyped=untyped)} AND {fits} THEN {value} END"


def within_calendar(value: str, kind: str) -> str:
    """The date or the moment that an expression stands for; `NULL` when no calendar of Python's has it."""
    return f"CASE WHEN {value} BETWEEN {_CALENDAR[kind]} THEN {value} END"


def told(column: str, *, untyped: bool) -> str:
    """The condition that `column` has a value."""
    if not untyped:
        return f"{column} IS NOT NULL"
    # no list of values, each of which DuckDB holds in memory for every column
    return f"NOT regexp_full_match(lower({column}), '{'|'.join(map(re.escape, _BLANK))}')"
