"""Where text is on a page of a PDF."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

SOFT = "\u00ad"
"""A hyphen that is only there because a line ends."""
_HYPHENS = ("-", "‐", SOFT)
GAP = 1.0
"""Room between two cells, in heights of a line; between two words of a line that is set flush it is less."""
Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


class Cell(NamedTuple):
    """A piece of a line that a wide gap parts from the next one; its sides in points."""

    text: str
    left: float
    right: float


@dataclass(frozen=True)
class Line:
    """A line of text; the sides are in points, in a page that is turned so that the line is level."""

    cells: tuple[Cell, ...]
    """At least one, in order."""
    bottom: float
    top: float
    page: int = 0
    """The number of its page, from 1."""
    is_apart: bool = False
    """Whether it is no part of what is around it: a comment."""
    row: tuple[str, ...] = ()
    """Its cells and the blank ones between them, when it is a row of a table."""

    @classmethod
    def of(cls, text: str, left: float, bottom: float, right: float, top: float) -> Line:
        """A line that is one cell."""
        return cls((Cell(text, left, right),), bottom, top)

    @cached_property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @cached_property
    def left(self) -> float:
        return min(cell.left for cell in self.cells)

    @cached_property
    def right(self) -> float:
        return max(cell.right for cell in self.cells)

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    @property
    def is_broken(self) -> bool:
        """Whether its last word may go on in the next line."""
        return self.text[-1:] in _HYPHENS and self.text[-2:-1].isalnum()


def turned(box: Box, quarters: int) -> Box:
    """A box of a page that is turned to the right."""
    for _ in range(quarters % 4):
        box = box[1], -box[2], box[3], -box[0]
    return box


def holds(outer: Box, box: Box) -> bool:
    """Whether the middle of a box is within another."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]
