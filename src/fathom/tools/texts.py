"""Data in text: JSON, JSON lines, CSV, tables of Markdown."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Any

from fathom.tools.cleaning import MOST_FIELDS, MOST_RECORDS

_FENCED = re.compile(r"```[\w+-]*+[ \t]*+\n((?:[^`]++|`(?!``))*+)")
_RULE = re.compile(r"\s*+\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_MOST_LINES = 20_000


def value_in(text: str) -> Any:
    """The data that a text holds, as JSON would have it; `None` when it holds none.

    >>> value_in('Found:\\n```json\\n{"items": []}\\n```')
    {'items': []}
    >>> value_in("id,city\\n1,Pune\\n2,Agra")
    [{'id': 1, 'city': 'Pune'}, {'id': 2, 'city': 'Agra'}]
    """
    candidates = [each.strip() for each in (text, *(match[1] for match in _FENCED.finditer(text))) if each.strip()]
    for candidate in candidates:
        if candidate[0] in "[{" and (value := _json(candidate)) is not None:
            return value
    for candidate in reversed(candidates):
        lines = candidate.splitlines()[:_MOST_LINES]
        for read in (_json_lines, _markdown, _csv):
            if (rows := read(lines)) is not None:
                return rows
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    return _json(text[start:].strip()) if start > 0 else None


def _json(text: str) -> Any:
    """The JSON that a text begins with; what follows it is prose."""
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    return value if not text[end:].lstrip().startswith(("{", "[")) else None  # JSON lines


def _json_lines(lines: Sequence[str]) -> Any:
    found, others = [], 0
    for line in lines:
        line = line.strip()
        if not line:
            continue
        if not line.startswith("{"):
            others += 1
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            others += 1
            continue
        if isinstance(value, dict):
            found.append(value)
    if not found or others > len(found) // 2:
        return None
    if len(found) > 1 and set(found[-1]) - set(found[0]) and set(found[-1]) & _PAGING and len(found[-1]) <= 6:
        return {**found[-1], "records": found[:-1]}  # the last line tells of the page
    return found[:MOST_RECORDS]


_PAGING = frozenset({"has_more", "next_cursor", "nextCursor", "next_page", "total", "total_count", "page", "offset"})


def _markdown(lines: Sequence[str]) -> Any:
    for at, line in enumerate(lines[1:], 1):
        if "|" in line and "-" in line and _RULE.fullmatch(line[:2_000]) and "|" in lines[at - 1]:
            head = _cells(lines[at - 1])
            rows = []
            for row in lines[at + 1 :]:
                if "|" not in row:
                    break
                rows.append(_cells(row))
            return _named(head, rows) if rows else None
    return None


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|")
    line = line.removesuffix("|") if not line.endswith("\\|") else line
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)]


def _csv(lines: Sequence[str]) -> Any:
    """Rows of the same number of cells below a head whose cells are names."""
    if len(lines) < 2:
        return None
    mark = next((each for each in ("\t", ",", ";") if each in lines[0]), "")
    if not mark:
        return None
    try:
        rows = [row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if row]
    except csv.Error:
        return None
    head = [cell.strip() for cell in rows[0]] if rows else []
    if len(rows) < 2 or len(head) < 2 or len(set(head)) < len(head) or not all(map(_is_name, head)):
        return None
    return _named(head, rows[1:]) if all(len(row) == len(head) for row in rows) else None


def _is_name(cell: str) -> bool:
    return 0 < len(cell) <= 60 and not _NUMBER.fullmatch(cell) and not cell.endswith((".", "!", "?", ":"))


def _named(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    head = head[:MOST_FIELDS]
    return [{name: _value(cell) for name, cell in zip(head, row, strict=False) if name} for row in rows[:MOST_RECORDS]]


def _value(cell: str) -> Any:
    """A cell as a number where it is written as one; an empty cell has no value."""
    cell = cell.strip()
    if not cell:
        return None
    if _NUMBER.fullmatch(cell):
        return float(cell) if "." in cell else int(cell)
    return cell
