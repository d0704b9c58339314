"""PDF: the lines of its pages joined into paragraphs, each under the number of the page on which it begins."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median

from fathom.errors import Unreadable
from fathom.evidence import Block, BlockKind
from fathom.reading.document import ReadDocument, row_of
from fathom.reading.inline import collapsed
from fathom.reading.pdf_lines import CELL, Line, read_pages
from fathom.reading.titles import given_authors, given_title
from fathom.text.characters import is_cjk

MOST_PAGES = 2_000
MOST_CHARACTERS = 5_000_000
_EDGE_LINES = 3
_LONGEST_HEAD = 120
_LEADER = ". . ."
"""Leads in a table of contents to the number of a page."""
_FEWEST_DOTS = 3
_NUMBER = re.compile(r"\d{1,4}$")
_FEWEST_ENTRIES = 5
"""Lines of a page that lead to pages further and further behind: a table of contents, and no list of prices."""
_FEWEST_ROWS = 3
"""Lines of as many cells that are a table."""
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:page|seite|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of|von)\s*\d{1,4})?(?:\s*頁|\s*ページ)?\W*", re.I
)
_ITEM = re.compile(r"[•‣◦▪●○■□–・*]\s*(?=\S)|\(?(?P<count>\d{1,2}|[a-z]|[ivx]{2,4})[.)]\s+(?=\S)")
_END = re.compile(r"[.!?。！？:：;)\]」』\"”]$")
_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|第\s*[\d一二三四五六七八九十]{1,3}\s*[章節])\s+\S"
)
_BREAKS = str.maketrans("", "", "\ufffe\x02\u00ad")


def read(data: bytes) -> ReadDocument:
    """Read a PDF. Its snapshot is its text, under a heading for each page: "Page 3".

    Pages that are pictures are read as `fathom.reading.ocr` does, if that extra is installed. A scan of nothing is
    refused, as is a file that is encrypted or broken.

    Raises:
        Unreadable: with the reason.
    """
    bounds = {"most_pages": MOST_PAGES, "most_characters": MOST_CHARACTERS}
    pages, title, author, left_out = read_pages(data, **bounds)
    return replace(document_of(pages, title), authors=given_authors(author), left_out=left_out)


def document_of(pages: Sequence[Sequence[Line]], claimed: str) -> ReadDocument:
    """The document that lines on pages make, `claimed` being the title that the file gives.

    Raises:
        Unreadable: they are none.
    """
    numbered = [[_line(line, number) for line in page] for number, page in enumerate(pages, start=1)]
    lines = [line for line in _body(numbered) if line.text]
    if not lines:
        raise Unreadable("it holds no text: its pages are empty, or pictures without writing that can be read")
    return _document(lines, claimed)


@dataclass(frozen=True)
class _Line:
    """One line of a page; the offsets are in points, from the lower left corner."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    page: int
    """Its number, from 1."""
    broken: bool = False
    """Whether its last word goes on in the next line."""
    cells: tuple[str, ...] = ()
    """What it consists of, when wide gaps part it."""

    @property
    def height(self) -> float:
        return self.top - self.bottom


def _line(line: Line, page: int) -> _Line:
    words = line[0]
    broken = words.endswith(("\ufffe", "\x02", "\u00ad"))
    shown = words.translate(_BREAKS).encode("utf-8", "replace").decode("utf-8")
    cells = () if _LEADER in shown else tuple(map(collapsed, shown.split(CELL)))
    return _Line(collapsed(shown), *line[1:], page=page, broken=broken, cells=cells)


def _body(pages: Sequence[Sequence[_Line]]) -> Iterator[_Line]:
    """The lines of all pages without what is repeated at the head and the foot of them, and without their numbers."""
    sides = [_sides(page) for page in pages]
    seen: dict[str, set[int]] = defaultdict(set)
    for at, (head, foot) in enumerate(sides):
        for line in (*head, *foot):
            seen[_shape(line)].add(at)
    often = max(3, 0.3 * len(pages))
    # left and right pages may have heads of their own
    heads = {shape for shape, on in seen.items() if len(on) * (3 - len({at % 2 for at in on})) >= often}
    for page, (head, foot) in zip(pages, sides, strict=True):
        dropped = {id(line) for line in _contents(page)}
        for side in (head, foot):
            for line in side:
                repeated = _shape(line) in heads and len(line.text) <= _LONGEST_HEAD
                if not repeated and not (len(pages) > 1 and _PAGE_NUMBER.fullmatch(line.text)):
                    break
                dropped.add(id(line))
        yield from (line for line in page if id(line) not in dropped)


def _contents(page: Sequence[_Line]) -> list[_Line]:
    """The lines of a page that are of a table of contents."""
    entries = [(line, int(found[0])) for line in page if (found := _NUMBER.search(line.text)) and _leads(found)]
    rises = all(one <= other for (_, one), (_, other) in pairwise(entries))
    return [line for line, _ in entries] if len(entries) >= _FEWEST_ENTRIES and rises else []


def _leads(number: re.Match[str]) -> bool:
    before = number.string[: number.start()]
    return before[len(before.rstrip(". ")) :].count(".") >= _FEWEST_DOTS


def _sides(page: Sequence[_Line]) -> tuple[list[_Line], list[_Line]]:
    """The first and the last lines of a page, the outermost first."""
    ordered = sorted(page, key=lambda line: -line.bottom)
    return ordered[:_EDGE_LINES], ordered[: -_EDGE_LINES - 1 : -1]


def _shape(line: _Line) -> str:
    return f"{''.join(_DIGITS.sub('#', line.text).split())}@{line.bottom // 6:.0f}"


def _document(lines: Sequence[_Line], claimed: str) -> ReadDocument:
    """The paragraphs of the lines, each page's under a heading of its own."""
    usual = median(line.height for line in lines)
    steps = [
        a.bottom - b.bottom for a, b in pairwise(lines) if a.page == b.page and 0 < a.bottom - b.bottom < 4 * usual
    ]
    step = sorted(steps)[len(steps) // 4] if steps else usual * 1.2
    pieces: list[str] = []
    blocks: list[Block] = []
    length = page = 0

    def write(kind: BlockKind, text: str, level: int) -> None:
        nonlocal length
        gap = "" if not length else "\n" if kind == blocks[-1].kind == "table_row" else "\n\n"
        pieces.append(gap + text)
        blocks.append(Block(kind=kind, start=length + len(gap), end=length + len(gap) + len(text), level=level))
        length += len(gap) + len(text)

    title = given_title(claimed)
    rows = _rows(lines)
    for group in _paragraphs(lines, usual, step, rows):
        text = _joined(group)
        if group[0].page != page:
            page = group[0].page
            write("heading", f"Page {page}", 1)
        if group[0] in rows:
            write("table_row", row_of(group[0].cells), 0)
        elif _is_heading(group, text, usual):
            title = title or text
            write("heading", text, 2)
        elif item := _ITEM.match(text):
            write("list_item", text[item.end() :], 0)
        else:
            write("paragraph", text, 0)
    return ReadDocument(text="".join(pieces), title=title[:300], markup="plain", blocks=tuple(blocks))


def _rows(lines: Sequence[_Line]) -> frozenset[_Line]:
    """The rows of tables: lines one under the other that have as many cells each."""
    runs = (list(run) for _, run in groupby(lines, key=lambda line: (line.page, len(line.cells))))
    return frozenset(line for run in runs if len(run) >= _FEWEST_ROWS and len(run[0].cells) > 1 for line in run)


def _paragraphs(lines: Sequence[_Line], usual: float, step: float, rows: frozenset[_Line]) -> Iterator[list[_Line]]:
    """The lines in groups; a paragraph that goes on at the top of the next page or column is one."""
    group: list[_Line] = []
    for line in lines:
        if group and (line in rows or group[-1] in rows or _begins(line, group, usual, step)):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _begins(line: _Line, group: Sequence[_Line], usual: float, step: float) -> bool:
    """Whether a line begins a paragraph."""
    before = group[-1]
    ended = _END.search(before.text) is not None
    widest = max(each.right for each in group)
    short = before.right < widest - 0.15 * (widest - min(each.left for each in group)) if len(group) > 1 else False
    item = _ITEM.match(line.text)
    if item and not before.broken and (not item["count"] or ended or short or _ITEM.match(group[0].text)):
        return True  # else "see Eq." may be followed by "2."
    if abs(line.height - before.height) > 0.15 * usual:
        return True
    drop = before.bottom - line.bottom
    if line.page != before.page or drop < -usual:  # the next page, or the next column
        return ended or not (line.text[0].islower() or is_cjk(line.text[0]) or before.broken)
    if abs(drop) < 0.5 * usual:  # a cell beside another, or a line in pieces
        return line.left - before.right > 2 * usual
    if drop > 1.4 * step and drop > 1.5 * usual:
        return True
    indented = usual < line.left - before.left < 6 * usual and len(group) != 1
    return ended and (short or indented)


def _joined(group: Sequence[_Line]) -> str:
    """The text of a paragraph on one line, words that were broken put together."""
    text = group[0].text
    for before, line in pairwise(group):
        if before.broken:
            text += line.text
        elif text[-1] == "-" and text[-2:-1].isalpha() and line.text[0].islower():
            text = text[:-1] + line.text
        elif _wide(text[-1]) and _wide(line.text[0]):
            text += line.text
        else:
            text += " " + line.text
    return text


def _wide(char: str) -> bool:
    return is_cjk(char) or "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uff65"


def _is_heading(group: Sequence[_Line], text: str, usual: float) -> bool:
    """Whether a paragraph is a heading: short, no sentence, and larger than the text around it or numbered."""
    if len(group) > 3 or len(text) > 120 or text[-1] in ".,;:。、，" or not any(char.isalpha() for char in text):
        return False
    larger = group[0].height > 1.15 * usual
    return larger or (len(group) == 1 and len(text) < 80 and _NUMBERED.match(text) is not None and text[-1].isalnum())
