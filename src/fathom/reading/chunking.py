"""Documents cut into the pieces that a search finds: a section, or a part of a long one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fathom.evidence import Block
from fathom.reading.document import ReadDocument, line_spans
from fathom.reading.titles import bare_heading
from fathom.text.display import display
from fathom.text.sentences import sentences

TARGET = 1_500
"""Characters at which a section is split, at the end of a block."""
LONGEST = 3_000
"""Characters at which a block is split, at the end of a sentence or a line."""
_MARKED = re.compile(r"[^\W_]|\|")
_LONGEST_HEADING = 1_000
"""Characters of a heading; the time to take marks out of a line grows with its square."""


@dataclass(frozen=True)
class Chunk:
    """A stretch of a snapshot under one heading."""

    start: int
    end: int
    headings: tuple[str, ...]
    """The headings it stands under, outermost first, without their numbers and without the document's title."""
    blocks: tuple[Block, ...]
    """Its blocks, headings excluded."""


def chunks(document: ReadDocument, *, under: list[tuple[int, str]] | None = None) -> list[Chunk]:
    """The chunks of a document, in order, without overlap; together they hold all of its blocks but headings.

    Of a document in parts, `under` holds the levels and the texts of the headings that a part begins under, and then of
    those that the next one does.
    """
    found: list[Chunk] = []
    title = bare_heading(document.title).casefold()
    for path, blocks in _sections(document, [] if under is None else under):
        headings = tuple(heading for heading in path if heading)
        if headings and headings[0].casefold() == title:
            headings = headings[1:]
        pieces = [piece for block in blocks for piece in _pieces(document.text, block)]
        for group in _groups(document.text, pieces):
            start = _start(document.text, group[0], found[-1].end if found else 0)
            found.append(
                Chunk(start=start, end=max(block.end for block in group), headings=headings, blocks=tuple(group))
            )
    return found


def _sections(document: ReadDocument, path: list[tuple[int, str]]) -> Iterator[tuple[list[str], list[Block]]]:
    """The blocks between two headings, with the headings above them."""
    blocks: list[Block] = []
    for block in document.blocks:
        if block.kind != "heading":
            blocks.append(block)
            continue
        if blocks:
            yield [heading for _, heading in path], blocks
            blocks = []
        shown = document.text[block.start : min(block.end, block.start + _LONGEST_HEADING)]
        text = bare_heading(display(shown, document.markup))
        path[:] = [*((level, heading) for level, heading in path if level < block.level), (block.level, text)]
    if blocks:
        yield [heading for _, heading in path], blocks


def _start(text: str, first: Block, after: int) -> int:
    """Where a chunk starts: at its first block with its number or its empty cells, or at the lead-in before it when
    nothing else stands between."""
    lead_in = first.lead_in
    if lead_in and after <= lead_in.start < first.start < lead_in.end + 200:
        return lead_in.start
    line = max(after, text.rfind("\n", after, first.start) + 1)
    is_part = first.kind in {"list_item", "table_row"} and _MARKED.search(text[line : first.start][-12:])
    return line if is_part else first.start


def _announces(said: str, block: Block, following: Block) -> bool:
    """Whether a block leads to the one behind it: by a colon, or as what stands over its list."""
    return said.endswith((":", "：")) or (following.lead_in is not None and following.lead_in.start == block.start)


def _groups(text: str, blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Blocks in groups of about equal length, none far above `TARGET`; what announces code or a list stays with it."""
    total = blocks[-1].end - blocks[0].start
    target = total / max(1, round(total / TARGET))
    group: list[Block] = []
    for block in blocks:
        far = group and block.start - group[-1].end > LONGEST  # nothing but white space in between
        if far or (
            group and block.end - group[0].start > target * 1.15 and group[-1].end - group[0].start > target / 2
        ):
            last = group[-1]
            announces = not far and len(group) > 1 and _announces(text[last.start : last.end], last, block)
            cut = len(group) - (announces and group[-1].kind != "code")
            yield group[:cut]
            group = group[cut:]
        group.append(block)
    if group:
        yield group


def _pieces(text: str, block: Block) -> Iterator[Block]:
    """The block itself, or its parts when it is very long."""
    if block.end - block.start <= LONGEST:
        yield block
        return
    if block.kind == "code":
        lines = line_spans(text[block.start : block.end])
        parts: Iterable[tuple[int, int]] = [(block.start + a, block.start + b) for a, b in lines if b > a]
    else:
        parts = sentences(text, start=block.start, end=block.end)
    start: int | None = None
    for (a, b), (_, following) in pairwise([*_hard_split(parts), (block.end, block.end)]):
        start = a if start is None else start
        if following - start > TARGET or b == block.end:
            yield block.model_copy(update={"start": start, "end": b})
            start = None


def _hard_split(parts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Parts of at most `LONGEST` characters: what has neither sentences nor lines is cut where it must be."""
    for start, end in parts:
        while end - start > LONGEST:
            yield start, start + LONGEST
            start += LONGEST
        yield start, end
