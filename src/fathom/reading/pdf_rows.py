"""Lines of a page that are parted by wide gaps: rows of a table, or columns of prose drawn across the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from statistics import median

from fathom.reading.pdf_places import Cell, Line
from fathom.text.characters import is_cjk

_FEWEST = 3
"""Lines that are a table, or columns."""
_SHORTEST = 15
"""Characters of a line of prose, most often."""
END = re.compile(r"[.!?。！？:：;)\]」』\"”]$")

_Column = tuple[float, float]
"""From where to where it goes, in points."""
_MOST = 100
"""Columns that lines are put in order by."""


def arranged(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines of a page, columns of prose one after the other, rows of tables with their blank cells."""
    at = 0
    while at < len(lines):
        run = lines[at : _end(lines, at)]
        parted = [number for number, line in enumerate(run, start=1) if len(line.cells) > 1]
        if len(parted) < _FEWEST:
            yield lines[at]
            at += 1
        elif columns := _prose(run):
            yield from chain.from_iterable(columns)
            at += len(run)
        else:
            run = run[: parted[-1]]
            yield from (
                replace(line, row=row) for line, row in zip(run, _rows([line.cells for line in run]), strict=True)
            )
            at += len(run)


def _end(lines: Sequence[Line], at: int) -> int:
    """Where a run of lines ends that have cells, or are within a column of those that have."""
    end, columns = at + 1, _columns([lines[at]])
    while 1 < len(columns) <= _MOST and end < len(lines):
        line, before = lines[end], lines[end - 1]
        drop = before.bottom - line.bottom
        within = sum(left < line.right and line.left < right for left, right in columns)
        if not 0 < drop < 4 * before.height or line.is_apart:
            break
        if len(line.cells) < 2 and within != 1:
            break
        columns = _merged([*columns, *((cell.left, cell.right) for cell in line.cells)])
        end += 1
    return end


def _columns(lines: Iterable[Line]) -> list[_Column]:
    return _merged((cell.left, cell.right) for line in lines for cell in line.cells)


def _merged(spans: Iterable[_Column]) -> list[_Column]:
    """The spans from left to right, those that overlap as one."""
    merged: list[_Column] = []
    for left, right in sorted(spans):
        if merged and left < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], right)
        else:
            merged.append((left, right))
    return merged


# ── Prose ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _prose(run: Sequence[Line]) -> list[list[Line]]:
    """The columns of prose that lines make, each as lines of its own; none when they are a table."""
    found = [
        [
            replace(line, cells=(cell,))
            for line in run
            for cell in line.cells
            if left <= cell.left and cell.right <= right
        ]
        for left, right in _columns(run)
    ]
    return found if len(found) > 1 and all(map(_is_prose, found)) else []


def _is_prose(column: Sequence[Line]) -> bool:
    """Whether most lines of a column go on in the next one."""
    width = max(line.right for line in column) - min(line.left for line in column)
    long = median(sum(1 + is_cjk(char) for char in line.text) for line in column) >= _SHORTEST
    on = sum(_goes_on(line, after, width) for line, after in pairwise(column))
    return long and len(column) >= _FEWEST and 2 * on >= len(column) - 1


def _goes_on(line: Line, after: Line, width: float) -> bool:
    if END.search(line.text):
        return False
    filled = (line.right - line.left) / width if width else 0
    return filled > 0.9 if is_cjk(after.text[0]) else after.text[0].islower() and filled > 0.6


# ── Tables ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _rows(rows: Sequence[Sequence[Cell]]) -> list[tuple[str, ...]]:
    """The cells of rows, with empty ones where a row has none in a column of those with the most."""
    most = max(map(len, rows))
    full = [row for row in rows if len(row) == most]
    grid = [(min(row[at].left for row in full), max(row[at].right for row in full)) for at in range(most)]
    merged = _merged((cell.left, cell.right) for row in rows for cell in row)
    for columns in (merged, grid) if len(merged) == most else (grid, merged):
        placed = [_placed(row, columns) for row in rows]
        if all(placed):
            return placed
    return [_placed(row, grid) or tuple(cell.text for cell in row) for row in rows]


def _placed(row: Sequence[Cell], columns: Sequence[_Column]) -> tuple[str, ...]:
    """The cells of a row, each in the column that is nearest; nothing when two of them are in one."""
    shown = [""] * len(columns)
    for cell in row:
        at = min(range(len(columns)), key=lambda each: _apart(cell, columns[each]))
        if shown[at]:
            return ()
        shown[at] = cell.text
    return tuple(shown)


def _apart(cell: Cell, column: _Column) -> tuple[float, float]:
    """How far a cell is from a column, less the more of it is in it; then how far their middles are."""
    left, right = column
    return max(cell.left - right, left - cell.right), abs(cell.left + cell.right - left - right)
