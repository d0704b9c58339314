"""The lines of a text with their indentation, and the tables that are drawn with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from fathom.evidence import BlockKind, Span
from fathom.reading.document import BlockList, line_spans
from fathom.text.stopwords import FUNCTION_WORDS

SIMPLE_BORDER = re.compile(r"=+(?:[ \t]+=+)+$")
GRID_BORDER = re.compile(r"\+(?:[-=]{2,}\+)+$")
_COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")

_UNWRAPPED = 90
"""Characters of a line that show that nobody broke the lines beside it because they were full."""
_LABEL = re.compile(r"\s*\w+:\s")
SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
_WORD = re.compile(r"[^\W\d_]+")
_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())
_ROOM, _SHARE, _MUCH, _FULL, _JOINED, _APART, _BEGINS, _GOES_ON, _LABELLED = (
    0.8,
    8.0,
    2.0,
    -0.7,
    -2.0,
    0.4,
    0.8,
    -0.7,
    0.8,
)
"""Logarithms of how much likelier each sign is between notes than in prose that was wrapped, estimated by hand."""
_SURE = 1.5
"""Sum of them from which lines are notes."""


def room_left(lines: Sequence[str]) -> list[int]:
    """Of each line but the first, how much room its first word had on the line before; 0 or less when it had none.

    >>> room_left(["a line that is full", "and", "the rest of it"])
    [-4, 12]
    """
    width = max((len(line) for line in lines if " " in line or line.lstrip()[0] > "\u3000"), default=0)
    firsts = [1 if line.lstrip()[0] > "\u3000" else 1 + len(line.split(None, 1)[0]) for line in lines[1:]]
    room = [width - len(line) - first for line, first in zip(lines, firsts, strict=False)]
    is_long = any(line.rstrip().rfind(" ") > _UNWRAPPED for line in lines)
    if is_long and any(left > 0 for left in room):  # all of them full: wrapped at a width of its own
        return [(1 << 30) - len(line) - first for line, first in zip(lines, firsts, strict=False)]
    return room


def are_notes(lines: Sequence[str], room: Sequence[int]) -> bool:
    """Whether each line of a stretch says something of its own, `room` being what `room_left` tells.

    Each line break speaks for it or against: whether the word behind it had room before it, whether a word like "of" or
    "the" stands beside it, and whether a sentence goes on there in small letters.
    """
    width = max(map(len, lines))
    sure = _LABELLED * sum(bool(_LABEL.match(line)) for line in lines)
    for before, line, left in zip(lines, lines[1:], room, strict=False):
        sure += min(_MUCH, _ROOM + _SHARE * left / width) if left > 0 else _FULL
        if before.rstrip().endswith(SENTENCE_ENDS):
            sure += _APART
            continue
        beside = (*_WORD.findall(before)[-1:], *_WORD.findall(line)[:1])
        sure += _JOINED if any(word.casefold() in _FUNCTION_WORDS for word in beside) else _APART
        first = line.lstrip()[0]
        sure += _BEGINS if first.isupper() or first.isdigit() else _GOES_ON if first.islower() else 0.0
    return len(lines) > 2 and sure > _SURE


def going_on(lines: Sequence[str], room: Sequence[int]) -> set[int]:
    """Which lines of notes are the rest of the one before: it had no room for their first word, and ends no sentence;
    where other lines begin in small letters as well, that tells nothing, and none is.

    >>> notes = ["30 pounds when booking, taken off the first bill. One deposit per", "household.", "Later: we keep it"]
    >>> going_on(notes, room_left(notes))
    {1}
    """
    small = {at for at, line in enumerate(lines) if at and line.lstrip()[0].islower()}
    full = {at for at in small if room[at - 1] <= 0 and not lines[at - 1].rstrip().endswith(SENTENCE_ENDS)}
    return full if full == small else set()


@dataclass(frozen=True)
class Line:
    """One line; its start is that of its first visible character."""

    start: int
    end: int
    indent: int


@dataclass(frozen=True)
class ParserPosition:
    """Where in the text the parser is."""

    indent: int = 0
    level: int = 0
    kind: BlockKind = "paragraph"
    lead_in: Span | None = None
    top: bool = True
    lists: int = 0
    depth: int = 0


class Lines:
    """A text by its lines, and the blocks found in it so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.out = BlockList(text)
        self.lines = [self._line(start, end) for start, end in line_spans(text)]

    def _line(self, start: int, end: int) -> Line:
        at, indent = start, 0
        while at < end and self.text[at] in " \t\ufeff\v\f":
            indent += 8 - indent % 8 if self.text[at] == "\t" else self.text[at] == " "
            at += 1
        while end > at and self.text[end - 1].isspace():
            end -= 1
        return Line(at, end, indent)

    def words(self, at: int) -> str:
        """Text of a line, without the white space around it."""
        return self.text[self.lines[at].start : self.lines[at].end]

    def blank(self, at: int) -> bool:
        """Whether a line holds nothing."""
        return self.lines[at].start == self.lines[at].end

    def is_columns(self, at: int, end: int) -> bool:
        """Whether the lines up to the next blank one are set in columns."""
        run = list(takewhile(lambda line: not self.blank(line), range(at, end)))
        return len(run) > 1 and sum(bool(_COLUMNS.search(self.words(line))) for line in run) * 3 >= len(run) * 2

    def grid_table(self, at: int, end: int, place: ParserPosition) -> int:
        """Add the rows of a table drawn with `+---+`."""
        head: Span | None = None
        rows: list[tuple[int, int]] = []
        start: int | None = None
        while at < end and not self.blank(at) and self.words(at)[0] in "+|":
            words = self.words(at)
            if words[0] == "+" or set(words) <= set("|=-+ "):
                if start is not None:
                    rows.append((self.lines[start].start, self.lines[at - 1].end))
                start = None
                if "=" in words and rows:
                    head = self._cells(*rows[-1])
                    head = head if head.start < head.end else None
                    rows = []
            elif start is None:
                start = at
            at += 1
        for a, b in rows:
            span = self._cells(a, b)
            self.out.add("table_row", span.start, span.end, level=place.lists, lead_in=head)
        return at

    def _cells(self, start: int, end: int) -> Span:
        cells = self.text[start:end].rstrip("| ")
        return Span(start=start + len(cells) - len(cells.lstrip("| ")), end=start + len(cells))

    def simple_table(self, at: int, end: int, place: ParserPosition) -> int:
        """Add the rows between lines of `=`; returns the line behind the table, or 0 when it has no end."""
        borders = [at]
        after = at + 1
        while after < end and len(borders) < 3:
            if SIMPLE_BORDER.match(self.words(after)):
                borders.append(after)
                if after + 1 >= end or self.blank(after + 1):
                    break
            after += 1
        if len(borders) < 2:
            return 0
        head: Span | None = None
        if len(borders) == 3 and (titles := [n for n in range(at + 1, borders[1]) if not self.blank(n)]):
            head = Span(start=self.lines[titles[0]].start, end=self.lines[titles[-1]].end)
        row: tuple[int, int] | None = None
        for number in range(borders[-2] + 1, borders[-1]):
            line = self.lines[number]
            if self.blank(number) or set(self.words(number)) <= {"-", " "}:
                continue
            if row and line.indent > place.indent:  # the first column is empty: the row goes on
                row = (row[0], line.end)
                continue
            if row:
                self.out.add("table_row", *row, level=place.lists, lead_in=head)
            row = (line.start, line.end)
        if row:
            self.out.add("table_row", *row, level=place.lists, lead_in=head)
        return borders[-1] + 1
