"""Where the marks of what is cited are put: once for sentences in a row, for a column or for a row of a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from fathom.report import Claim, TableCell

Cites = Callable[[Claim], Collection[str]]
"""What the marks of a claim name in a format: ids of sources, or of quotations."""
FEW = 2
"""Rows up to which each row has marks of its own."""


def carriers(claims: Sequence[Claim], cites: Cites) -> list[bool]:
    """Whether each sentence of a paragraph or an item carries its marks. It does not where the next one cites the same,
    both are verified, neither is a conclusion, and neither cites one thing here and another there."""

    def goes_on(claim: Claim, behind: Claim) -> bool:
        plain = all(each.verified and not each.is_assessment and not each.clauses for each in (claim, behind))
        return plain and {*cites(claim)} == {*cites(behind)}

    return [*(not goes_on(*pair) for pair in pairwise(claims)), *(True for _ in claims[:1])]


def pieces(claim: Claim) -> tuple[Claim, ...]:
    """The stretches of a claim that cite different things, each as a claim that cites these; else the claim."""
    if "".join(each.text for each in claim.clauses) != claim.text:  # its text was changed, or it has none
        return (claim,)
    return tuple(claim.model_copy(update={**dict(each), "clauses": ()}) for each in claim.clauses)


class TableMarks(NamedTuple):
    """Where the marks of a table are put, each place with a claim that cites what they name."""

    columns: tuple[Claim | None, ...]
    """Behind the heading of each column; `None` where there are none."""
    rows: tuple[Claim | None, ...]
    """Behind the first cell of each row."""
    cells: frozenset[str]
    """Ids of the claims whose marks are in their own cell."""


def table_marks(rows: Sequence[Sequence[TableCell]], claims: Mapping[str, Claim], cites: Cites) -> TableMarks:
    """Where the marks of a table are put: once for the cells of a column that cite the same, or where there is no such
    column, of a row, unless one of these says something that cites nothing.

    A cell that cites nothing is marked as not supported in its place. A conclusion that ends in a figure keeps its
    marks: the sign of a conclusion right behind it would be read as one of degrees.
    """
    made = [[claims[cell.claim] if cell.claim else None for cell in row] for row in rows]
    bare = [[at > 0 and not cell.claim and _says(cell.text) for at, cell in enumerate(row)] for row in rows]
    columns = tuple(
        _shared(column, cites) if len(rows) > FEW and not any(is_bare) else None
        for column, is_bare in zip(zip(*made, strict=True), zip(*bare, strict=True), strict=True)
    )
    rest = [[cell for cell, column in zip(row, columns, strict=True) if cell and not column] for row in made]
    by_column = any(columns)  # a row that is marked beside columns that are would seem to be of both
    behind = tuple(
        None if by_column or any(is_bare) else _shared(row, cites) for row, is_bare in zip(rest, bare, strict=True)
    )
    own = [cell for row, shared in zip(rest, behind, strict=True) if not shared for cell in row]
    own += [cell for row in made for cell in row if cell and cell.is_assessment and cell.text[-1:].isdigit()]
    return TableMarks(columns, behind, frozenset(cell.id for cell in own))


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


def _shared(cells: Iterable[Claim | None], cites: Cites) -> Claim | None:
    """The first of several cells that all cite the same."""
    citing = [cell for cell in cells if cell and cites(cell)]
    return citing[0] if len(citing) > 1 and len({frozenset(cites(cell)) for cell in citing}) == 1 else None
