"""Sets the table in the snapshot of a dataset in columns, for a terminal."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from fathom.wiring.readings import MarkedSource

_BAR = " | "


def in_columns(source: MarkedSource) -> MarkedSource:
    """The source with the cells of its table below each other, and with the spans where they stand then.

    Whatever is no table of counts, records for instance, stays as it is.
    """
    head, blank, table = source.text.partition("\n\n")
    lines = table.rstrip("\n").split("\n")
    rows = [line.split(_BAR) for line in lines]
    if source.source.kind != "dataset" or table.startswith("# ") or len({len(row) for row in rows}) != 1:
        return source
    first = len(head) + len(blank)
    set_lines = _padded(rows)
    old, new = _starts(lines, first), _starts(set_lines, first)

    def moved(offset: int, *, is_end: bool) -> int:
        if offset < first:
            return offset
        at = bisect_right(old, offset) - 1
        within = offset - old[at]
        return new[at] + (len(set_lines[at]) if is_end and within >= len(lines[at]) else within)

    spans = tuple(
        span.model_copy(update={"start": moved(span.start, is_end=False), "end": moved(span.end, is_end=True)})
        for span in source.spans
    )
    text = "".join([head, blank, "\n".join(set_lines), "\n"])
    return source.model_copy(update={"text": text, "spans": spans})


def _padded(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows with cells of one width per column; columns of numbers are set to the right."""
    from rich.cells import cell_len  # the help needs none of rich

    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    are_numbers = [all(cell.replace(".", "").lstrip("-").isdecimal() or not cell for cell in c[1:]) for c in columns]
    lines = []
    for row in rows:
        cells = []
        for cell, width, is_number in zip(row, widths, are_numbers, strict=True):
            blanks = " " * (width - cell_len(cell))
            cells.append(f"{blanks}{cell}" if is_number else f"{cell}{blanks}")
        lines.append(_BAR.join(cells).rstrip())
    return lines


def _starts(lines: Sequence[str], at: int) -> list[int]:
    found = []
    for line in lines:
        found.append(at)
        at += len(line) + 1
    return found
