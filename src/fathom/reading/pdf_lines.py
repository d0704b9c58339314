"""The lines of text of a PDF, page by page.

PDFium is a large library in C++, which is to be fed with files of strangers in a process of their own alone (see
`fathom.reading.bounded`).
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, groupby
from statistics import median_high, median_low
from typing import Any, NamedTuple

from fathom.errors import Unreadable
from fathom.reading import ocr
from fathom.reading.inline import EXPONENT
from fathom.reading.pdf_entries import entries_of, keep_only, with_entries
from fathom.reading.pdf_places import GAP, Box, Cell, Line, holds, turned

MOST_SCANNED = 20
"""Pages without text that are read as pictures: each takes some seconds."""
_SMALLEST = 1.5
_WHITE = 250
"""Of each colour, from 255 for white: on white it is not seen."""
_BROKEN = "\ufffe\x02"  # PDFium joins the lines of a broken word with such a mark
_SMALL = 0.85
"""The size of a raised letter, at most, in that of the line."""
_NAMELESS = 0.1
"""The share of control characters in the letters of a page, above which its text is no text: in the tests of five
readers of PDF such pages have .11 to 1, and pages of which most can be read at most .07."""
_LINE = re.compile(f"[^\r\n{_BROKEN}]+[{_BROKEN}]?")


def read_pages(
    data: bytes, *, most_pages: int, most_characters: int
) -> tuple[list[list[Line]], str, str, tuple[tuple[str, str], ...]]:
    """The lines of each page, the title and the author that the file claims, and which pages are not read, and why.

    Raises:
        Unreadable: with the reason.
    """
    import pypdfium2  # type: ignore[import-untyped]
    from pypdfium2 import raw

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD
        raise Unreadable("it is encrypted" if locked else "it is no PDF, or a broken one") from error
    with suppress(pypdfium2.PdfiumError):
        pdf.init_forms()
    pages: list[list[Line]] = []
    scanned: list[int] = []
    said = 0
    for number in range(min(len(pdf), most_pages)):
        if said >= most_characters:
            break
        pages.append([])
        with suppress(pypdfium2.PdfiumError):  # one broken page leaves the others
            page = pdf[number]
            found = _whole(_lines(page, raw))
            entries, drawing = entries_of(page, raw)
            pictures = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=3)
            if is_nameless := _is_nameless(found):
                found = []
            if is_nameless or (not found and next(pictures, None)):
                scanned.append(number)  # the picture shows the entries, too
            elif drawing:
                keep_only(drawing, page, raw)
                page.close()
                page = pdf[number]
                found += _whole(_lines(page, raw))
            pages[-1] += with_entries(found, entries)
            page.close()
        said += sum(len(line.text) for line in pages[-1])
    if scanned and not said and len(scanned) > MOST_SCANNED:
        raise Unreadable(f"it is a scan of more than {MOST_SCANNED} pages: split it into parts")
    left_out: list[tuple[str, str]] = []
    if pdf.get_formtype() == raw.FORMTYPE_XFA_FULL:
        left_out.append(("form", "it is made with XFA, which is not read: print it to a PDF"))
    for at, number in enumerate(scanned):
        try:
            if at == MOST_SCANNED:
                raise Unreadable(f"of pages that are pictures the first {MOST_SCANNED} are read: split it into parts")
            pages[number] += (written := _read_from_picture(pdf[number]))
            said += len(written)
        except Unreadable as error:
            if not said:
                raise
            more = f" and {len(scanned) - at - 1} more" * (at + 1 < len(scanned))
            left_out.append((f"page {number + 1}{more}", str(error)))
            break  # its other pages are worth reading without these
    title, author = (str(pdf.get_metadata_value(name)) for name in ("Title", "Author"))
    pdf.close()
    return pages, title, author, tuple(left_out)


def _is_nameless(lines: Iterable[Line]) -> bool:
    """Whether letters are control characters: their font does not say which letters they are."""
    letters = [char for line in lines for char in line.text if not char.isspace() and char not in _BROKEN]
    return sum(unicodedata.category(char) == "Cc" for char in letters) > _NAMELESS * len(letters)


def _read_from_picture(page: Any) -> list[Line]:
    """The lines of a page that is a picture; in points."""
    width, height = page.get_size()
    scale = min(ocr.LONGEST_SIDE / max(width, height, 1.0), 4.0)
    lines = ocr.written(page.render(scale=scale).to_pil())
    page.close()
    return [Line.of(text, *(round(side / scale, 1) for side in sides)) for text, *sides in lines]


def _lines(page: Any, raw: Any) -> Iterator[Line]:
    """The visible lines of a page, in the order of the file, each without those of its characters that are not."""
    text_page = page.get_textpage()
    text = text_page.get_text_range(errors="surrogatepass") if text_page.count_chars() else ""
    places = list(accumulate((1 + (char > "\uffff") for char in text), initial=0))  # PDFium counts in UTF-16
    sight = _Sight(page, text_page, raw)
    for match in _LINE.finditer(text):
        blank = [char.isspace() or char in _BROKEN for char in match[0]]
        glyphs = [None if blank[at] else sight.glyph(places[match.start() + at]) for at in range(len(blank))]
        if any(glyphs):
            letters = zip(match[0], glyphs, blank, strict=True)
            yield _line([(char, glyph) for char, glyph, is_blank in letters if glyph or is_blank])
    text_page.close()


def _line(letters: Sequence[tuple[str, _Glyph | None]]) -> Line:
    """The line that letters make, in order, one of which at least can be seen; an exponent is behind a `^`."""
    seen = [glyph for _, glyph in letters if glyph]
    exponents = set(_exponents(letters, seen))
    cells: list[Cell] = []
    shown, start, right = "", seen[0].box[0], seen[0].box[0]
    for at, (char, glyph) in enumerate(letters):
        if glyph:
            if shown.strip() and glyph.box[0] - right > GAP * glyph.size:
                cells.append(Cell(shown.strip(), start, right))
                shown, start = "", glyph.box[0]
            right = glyph.box[2]
        shown += "^" + char if at in exponents else char
    cells.append(Cell(shown.strip(), start, right))
    bottoms, tops = ([glyph.box[side] for glyph in seen] for side in (1, 3))  # whatever is raised or lowered
    return Line(tuple(cells), round(median_low(bottoms), 1), round(median_low(tops), 1))


def _exponents(letters: Sequence[tuple[str, _Glyph | None]], seen: Sequence[_Glyph]) -> Iterator[int]:
    """Where in a line exponents begin, and the marks of notes."""
    size = median_high(glyph.size for glyph in seen)
    level = median_low(glyph.base for glyph in seen if glyph.size > _SMALL * size)
    is_raised, raised = False, list[bool]()
    for _, glyph in reversed(letters):  # a blank is as the letter behind it
        is_raised = glyph.is_above(level, size) if glyph else is_raised
        raised.append(is_raised)
    at = 0
    for above, group in groupby(reversed(raised)):
        end = at + len(list(group))
        if above and at and EXPONENT.fullmatch("".join(char for char, _ in letters[at:end])):
            yield at
        at = end


def _whole(lines: Iterable[Line]) -> list[Line]:
    """The lines, those put together that PDFium has parted where letters are raised or lowered, or far apart."""
    whole: list[Line] = []
    for line in lines:
        if whole:
            before = whole[-1]
            height = min(before.height, line.height)
            gap = line.left - before.right
            overlap = min(before.top, line.top) - max(before.bottom, line.bottom)
            if gap >= GAP * before.height and overlap > 0.8 * max(before.height, line.height):
                whole[-1] = replace(before, cells=(*before.cells, *line.cells))
                continue
            if -height < gap < GAP * before.height and overlap > height / 2:
                larger = max(before, line, key=lambda each: (each.height, each.top))
                is_raised = line.middle > before.middle and line.height < _SMALL * before.height and gap < height / 2
                between = "^" if is_raised and EXPONENT.fullmatch(line.text) else "" if line.text[0] in ",.;:)" else " "
                last, first = before.cells[-1], line.cells[0]
                joint = Cell(f"{last.text}{between}{first.text}", last.left, first.right)
                cells = (*before.cells[:-1], joint, *line.cells[1:])
                whole[-1] = Line(cells, larger.bottom, larger.top)
                continue
        whole.append(line)
    return whole


class _Glyph(NamedTuple):
    """A letter as it is seen, in a page that is turned so that it is upright."""

    box: Box
    base: float
    """How high the line is that it is written on."""

    @property
    def size(self) -> float:
        return self.box[3] - self.box[1]

    def is_above(self, level: float, size: float) -> bool:
        """Whether it is raised in a line of this level, with letters of this size."""
        return self.base - level > size / (10 if self.size < _SMALL * size else 4) and self.size < 1.1 * size


class _Sight:
    """What a person sees of the text of a page."""

    def __init__(self, page: Any, text_page: Any, raw: Any) -> None:
        self._page, self._text, self._raw = page, text_page.raw, raw
        self._bounds: Box = page.get_bbox()
        self._pieces: dict[int | None, tuple[int, float, float, bool, bool]] = {}
        self._rect, self._x, self._y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()

    def glyph(self, at: int) -> _Glyph | None:
        """A character; `None` when it is tiny, off the page, or has no colour of its own and no ground."""
        raw, text, rect, x, y = self._raw, self._text, self._rect, self._x, self._y
        index = raw.FPDFText_GetCharIndexFromTextIndex(text, at)
        if index < 0 or not raw.FPDFText_GetLooseCharBox(text, index, rect):
            return None
        box = rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top)
        piece = raw.FPDFText_GetTextObject(text, index)  # drawn at once, so at one angle and in one colour
        known = ctypes.addressof(piece.contents) if piece else None
        if known not in self._pieces:
            mode = max(0, raw.FPDFTextObj_GetTextRenderMode(piece)) & 3  # whether it cuts, too, says nothing
            angle = -raw.FPDFText_GetCharAngle(text, index)  # PDFium counts to the right
            place = round(angle / (math.pi / 2)) % 4, math.cos(angle), math.sin(angle)
            self._pieces[known] = *place, mode < 3, self._is_unpainted(mode, index)
        turn, cosine, sine, is_drawn, is_unpainted = self._pieces[known]
        raw.FPDFText_GetCharOrigin(text, index, x, y)
        glyph = _Glyph(turned(box, turn), y.value * cosine - x.value * sine)
        if glyph.size < _SMALLEST or not holds(self._bounds, box):
            return None
        if not is_unpainted or any(holds(each, box) for each in self._painted):
            return glyph
        return glyph if is_drawn and self._shows(box) else None

    def _is_unpainted(self, mode: int, index: int) -> bool:
        """Whether text is white, as PDFium says of patterns, too, or not drawn at all, as behind a picture of it."""
        fill, stroke = self._raw.FPDFText_GetFillColor, self._raw.FPDFText_GetStrokeColor
        parts = [ctypes.c_uint() for _ in range(4)]
        return all(
            paint(self._text, index, *parts) and (min(part.value for part in parts[:3]) >= _WHITE or not parts[3].value)
            for paint in ((fill,), (stroke,), (fill, stroke), ())[mode]
        )

    @cached_property
    def _painted(self) -> list[Box]:
        """The places of the page that are painted with anything but text."""
        kinds = (self._raw.FPDF_PAGEOBJ_PATH, self._raw.FPDF_PAGEOBJ_IMAGE, self._raw.FPDF_PAGEOBJ_SHADING)
        return [each.get_bounds() for each in self._page.get_objects(filter=kinds, max_depth=3)]

    def _shows(self, box: Box) -> bool:
        """Whether anything but white is to be seen at a place of the page."""
        drawn, corners = self._drawn, []
        for x, y in (box[:2], box[2:]):
            across, down = ctypes.c_int(), ctypes.c_int()
            size = 0, 0, drawn.width, drawn.height, 0
            self._raw.FPDF_PageToDevice(self._page, *size, x, y, across, down)
            corners.append((max(0, across.value), max(0, down.value)))
        (left, right), (top, bottom) = (sorted(each) for each in zip(*corners, strict=True))
        rows = range(top * drawn.stride, min(bottom + 1, drawn.height) * drawn.stride, drawn.stride)
        return any(min(drawn.buffer[row + left : row + right + 1], default=255) < _WHITE for row in rows)

    @cached_property
    def _drawn(self) -> Any:
        """The page as a picture in shades of grey."""
        return self._page.render(scale=min(1.0, ocr.LONGEST_SIDE / max(self._page.get_size())), grayscale=True)
