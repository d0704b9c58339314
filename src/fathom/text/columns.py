"""Tables that are set with spaces, as rows of cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from fathom.text.characters import CJK

GAPS = re.compile(r"(?<=\S)(?:[ \t]{2,}|\t)(?=\S)")
"""Between the columns of a row."""
_GUTTERS = re.compile(r"(?<=x) {2,}(?=x)")
_WIDE = re.compile(f"[{CJK}\u3000-\u303f\uff01-\uff60]")


def in_columns(rows: Sequence[str]) -> list[str]:
    """Each row, which may take several lines, with ` | ` between its cells; one that runs on over all columns has one
    cell. Nothing of any where it is not certain which cells stand below each other.

    >>> in_columns(["tea      GBP   2", "biscuit  GBP 12", "all      free"])
    ['tea | GBP 2', 'biscuit | GBP 12', 'all | free']
    >>> in_columns(["tea  GBP 2  hot", "black biscuit  12  cold", "x  y  z"])
    ['', '', '']
    """
    lines = [[_WIDE.sub("\\g<0>\0", line.expandtabs()) for line in row.split("\n")] for row in rows]
    set_apart = [line for row in lines for line in row if GAPS.search(line)]
    width = max(map(len, set_apart), default=0)
    free = "".join(" " if all(line[at : at + 1] in ("", " ") for line in set_apart) else "x" for at in range(width))
    gutters = [match.span() for match in _GUTTERS.finditer(free)]
    gaps = Counter(len(GAPS.findall(line)) for line in set_apart).most_common(1)
    if not gaps or len(gutters) < gaps[0][0]:
        return [""] * len(rows)
    edges = [0, *(end for _, end in gutters), None]
    told = []
    for row in lines:
        runs_on = any(line[start:end].strip() for line in row for start, end in gutters)
        cells = [" ".join(line[at:end] for line in row) for at, end in ([(0, None)] if runs_on else pairwise(edges))]
        told.append(" | ".join(" ".join(cell.replace("\0", "").split()) for cell in cells).strip())
    return told
