"""PDF: the lines of its pages joined into paragraphs, each under the number of the page on which it begins."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from fathom.errors import Unreadable
from fathom.reading.composition import Composition
from fathom.reading.document import ReadDocument, row_of
from fathom.reading.hyphens import Hyphens
from fathom.reading.inline import collapsed
from fathom.reading.pdf_lines import read_pages
from fathom.reading.pdf_places import SOFT, Line
from fathom.reading.pdf_rows import END, arranged
from fathom.reading.titles import given_authors, given_title
from fathom.text.characters import is_cjk

MOST_PAGES = 2_000
MOST_CHARACTERS = 5_000_000
_EDGE_LINES = 3
_LONGEST_HEAD = 120
_APART = 1.4
"""Steps from one line to the next, at least, between two paragraphs."""
_FEWEST_DOTS = 3
"""Lead in a table of contents to the number of a page."""
_FEWEST_ENTRIES = 5
"""Lines of a page that lead to pages further and further behind: a table of contents, and no list of prices."""
_PAGE = r"(?:page|seite|p\.|s\.)"
_PAGE_NUMBER = re.compile(
    rf"(?P<head>.{{0,120}}?)(?P<mark>[\t|·•–—-]\s{{0,9}}{_PAGE}?|\b{_PAGE}|^\W{{0,9}})\s{{0,9}}"
    r"(?P<number>\d{1,4}|[ivxlc]{1,6})(?:\s{0,9}(?:/|of|von)\s{0,9}\d{1,4})?(?:\s{0,9}(?:頁|ページ))?\W{0,9}",
    re.IGNORECASE,
)
_NUMBER_FIRST = re.compile(
    r"\W{0,9}(?P<number>\d{1,4}|[ivxlc]{1,6})\s{0,9}[\t|·•–—]\s{0,9}(?P<head>.{0,120})", re.IGNORECASE
)
_ITEM = re.compile(r"[•‣◦▪●○■□–・*]\s*(?=\S)|\(?(?P<count>\d{1,2}|[a-z]|[ivx]{2,4})[.)]\s+(?=\S)")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|第\s*[\d一二三四五六七八九十]{1,3}\s*[章節])\s+\S"
)
_BREAKS = str.maketrans("", "", "\ufffe\x02")


def read(data: bytes) -> ReadDocument:
    """Read a PDF. Its snapshot is its text, under a heading for each page: "Page 3".

    Pages that are pictures are read as `fathom.reading.ocr` does, if that extra is installed. A scan of nothing is
    refused, as is a file that is encrypted or broken.

    Raises:
        Unreadable: with the reason.
    """
    pages, title, author, left_out = read_pages(data, most_pages=MOST_PAGES, most_characters=MOST_CHARACTERS)
    return replace(document_of(pages, title), authors=given_authors(author), left_out=left_out)


def document_of(pages: Sequence[Sequence[Line]], claimed: str) -> ReadDocument:
    """The document that lines on pages make, `claimed` being the title that the file gives.

    Raises:
        Unreadable: they are none.
    """
    cleaned = ([_cleaned(line, number) for line in page] for number, page in enumerate(pages, start=1))
    body = _body([[line for line in page if line.text] for page in cleaned])
    lines = [line for page in body for line in arranged(page)]
    if not lines:
        raise Unreadable("it holds no text: its pages are empty, or pictures without writing that can be read")
    usual = median(line.height for line in lines)
    composed = Composition()
    page = 0
    title = given_title(claimed)
    hyphens = Hyphens(line.text for line in lines)
    for group in _paragraphs(lines, usual, _step(lines)):
        text = _joined(group, hyphens)
        if group[0].page != page:
            page = group[0].page
            composed.write("heading", f"Page {page}", level=1)
        if group[0].row:
            composed.write("table_row", row_of(group[0].row))
        elif _is_heading(group, text, usual):
            title = title or text
            composed.write("heading", text, level=2)
        elif item := _ITEM.match(text):
            composed.write("list_item", text if item["count"] else text[item.end() :])
        else:
            composed.write("paragraph", text)
    return composed.document(title)


def _cleaned(line: Line, page: int) -> Line:
    cells = (cell._replace(text=_shown(cell.text)) for cell in line.cells)
    return replace(line, cells=tuple(cell for cell in cells if cell.text) or line.cells[:0], page=page)


def _shown(text: str) -> str:
    """A text as it is read, with the hyphen that PDFium puts a mark for at the end of a line."""
    end = {"\ufffe": "-", "\x02": "-", SOFT: SOFT}.get(text[-1:], "")
    return collapsed(text.translate(_BREAKS).encode("utf-8", "replace").decode("utf-8")) + end


def _body(pages: Sequence[Sequence[Line]]) -> Iterator[Sequence[Line]]:
    """The lines of each page without what is repeated at the head and the foot of them, and without their numbers.

    A page that would be empty without these is what it is.
    """
    sides = [_sides(page) for page in pages]
    seen: dict[str, set[int]] = defaultdict(set)
    for at, (head, foot) in enumerate(sides):
        for line in (*head, *foot):
            if len(line.text) > _LONGEST_HEAD:
                continue
            seen[_shape(line)].add(at)
            if number := _page_number(line):
                seen[f"{number[1] - at}#{number[0]}"].add(at)
                seen[f"#{number[0]}@{line.bottom // 6:.0f}"].add(at)
    often = max(3, 0.3 * len(pages))
    # left and right pages may have heads of their own
    heads = {shape for shape, on in seen.items() if len(on) * (3 - len({at % 2 for at in on})) >= often}
    every = [line for page in pages for line in page]
    step = min(_step(every) or 1.0, 1.5 * median(line.height for line in every)) if every else 1.0
    for at, (page, both) in enumerate(zip(pages, sides, strict=True)):
        dropped = {id(line) for line in _contents(page)}
        numbered = {id(line) for side in both for line in side if _is_numbered(line, at, seen, heads)}
        for side, inwards in zip(both, (-step, step), strict=True):
            outer: list[Line] = []
            for line in side:
                if id(line) in numbered or (_shape(line) in heads and _is_apart(line, page, inwards)):
                    dropped.update(map(id, [*outer, line]))
                elif _shape(line) in heads:
                    outer.append(line)
                else:
                    break
        yield [line for line in page if id(line) not in dropped] or page


def _is_apart(line: Line, page: Sequence[Line], step: float) -> bool:
    """Whether a line is further from the next one on a side of it, above for a `step` upwards, than lines of text."""
    return all(not 0 < (each.bottom - line.bottom) / step < _APART for each in page)


def _is_numbered(line: Line, at: int, seen: Mapping[str, set[int]], heads: Container[str]) -> bool:
    """Whether a line is at the edge of other pages, too, but for a number in it that counts up with them."""
    if not (number := _page_number(line)):
        return False
    head, value = number
    counts = any(near != at and abs(near - at) <= 2 for near in seen[f"{value - at}#{head}"])
    return counts and (not head or f"#{head}@{line.bottom // 6:.0f}" in heads)


def _page_number(line: Line) -> tuple[str, int] | None:
    """What a line at the edge of a page says besides a number that is set apart, and the number."""
    text = "\t".join(cell.text for cell in line.cells)
    found = _PAGE_NUMBER.fullmatch(text) or _NUMBER_FIRST.fullmatch(text)
    if not found:
        return None
    written = found["number"].lower()
    return "".join(found["head"].split()), int(written) if written.isdecimal() else _roman(written)


def _roman(written: str) -> int:
    values = [_ROMAN[char] for char in written]
    return sum(-one if one < other else one for one, other in pairwise([*values, 0]))


def _contents(page: Sequence[Line]) -> list[Line]:
    """The lines of a page that are of a table of contents, which little else is in; a form to fill in is none."""
    found = ((at, line.text.rstrip("0123456789")) for at, line in enumerate(page))
    entries = [
        (at, int(page[at].text[len(text) :]))
        for at, text in found
        if 0 < len(page[at].text) - len(text) <= 4 and text[len(text.rstrip(". ")) :].count(".") >= _FEWEST_DOTS
    ]
    rises = all(one <= other for (_, one), (_, other) in pairwise(entries))
    if len(entries) < _FEWEST_ENTRIES or not rises or 2 * len(entries) < entries[-1][0] - entries[0][0]:
        return []
    return [page[at] for at, _ in entries]


def _sides(page: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """The first and the last lines of a page, the outermost first."""
    ordered = sorted((line for line in page if not line.is_apart), key=lambda line: -line.bottom)
    return ordered[:_EDGE_LINES], ordered[: -_EDGE_LINES - 1 : -1]


def _shape(line: Line) -> str:
    return f"{''.join(line.text.split())}@{line.bottom // 6:.0f}"


def _step(lines: Sequence[Line]) -> float:
    """How far lines of text are from each other, at least most of them."""
    usual = median(line.height for line in lines)
    steps = [
        a.bottom - b.bottom for a, b in pairwise(lines) if a.page == b.page and 0 < a.bottom - b.bottom < 4 * usual
    ]
    return sorted(steps)[len(steps) // 4] if steps else usual * 1.2


def _paragraphs(lines: Sequence[Line], usual: float, step: float) -> Iterator[list[Line]]:
    """The lines in groups; a paragraph that goes on at the top of the next page or column is one."""
    group: list[Line] = []
    for line in lines:
        if group and (line.row or group[-1].row or _begins(line, group, usual, step)):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _begins(line: Line, group: Sequence[Line], usual: float, step: float) -> bool:
    """Whether a line begins a paragraph."""
    before = group[-1]
    if line.is_apart or before.is_apart:
        return True
    ended = END.search(before.text) is not None
    widest = max(each.right for each in group)
    short = before.right < widest - 0.15 * (widest - min(each.left for each in group)) if len(group) > 1 else False
    item = _ITEM.match(line.text)
    if item and not before.is_broken and (not item["count"] or ended or short or _ITEM.match(group[0].text)):
        return True  # else "see Eq." may be followed by "2."
    if abs(line.height - before.height) > 0.15 * usual:
        return True
    drop = before.bottom - line.bottom
    if line.page != before.page or drop < -usual:  # the next page, or the next column
        return ended or not (line.text[0].islower() or is_cjk(line.text[0]) or before.is_broken)
    if abs(drop) < 0.5 * usual:  # a cell beside another, or a line in pieces
        return line.left - before.right > 2 * usual
    if drop > _APART * step and drop > 1.5 * usual:
        return True
    indented = usual < line.left - before.left < 6 * usual and len(group) != 1
    return ended and (short or indented)


def _joined(group: Sequence[Line], hyphens: Hyphens) -> str:
    """The text of a paragraph on one line, words that were broken put together."""
    text = group[0].text
    for before, line in pairwise(group):
        if before.is_broken:
            text = hyphens.joined(text, line.text)
        elif _wide(text[-1]) and _wide(line.text[0]):
            text += line.text
        else:
            text += " " + line.text
    return text.replace(SOFT, "")


def _wide(char: str) -> bool:
    return is_cjk(char) or "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uff65"


def _is_heading(group: Sequence[Line], text: str, usual: float) -> bool:
    """Whether a paragraph is a heading: short, no sentence, and larger than the text around it or numbered."""
    if len(group) > 3 or len(text) > 120 or text[-1] in ".,;:。、，" or not any(char.isalpha() for char in text):
        return False
    larger = group[0].height > 1.15 * usual
    return larger or (len(group) == 1 and len(text) < 80 and _NUMBERED.match(text) is not None and text[-1].isalnum())
