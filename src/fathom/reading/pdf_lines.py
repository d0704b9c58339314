"""The lines of text of a PDF, page by page.

PDFium is a large library in C++, which is to be fed with files of strangers in a process of their own alone (see
`fathom.reading.bounded`).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from statistics import median_low
from typing import Any

from fathom.errors import Unreadable
from fathom.reading import ocr

MOST_SCANNED = 20
"""Pages without text that are read as pictures: each takes some seconds."""
_SMALLEST = 1.5
_WHITE = 250
"""Of each colour, from 255 for white: on white it is not seen."""
_BROKEN = "\ufffe\x02"  # PDFium joins the lines of a broken word with such a mark
CELL = "\t"
"""Stands in a line between two cells of a table."""
_GAP = 1.0
"""Room between two cells, in heights of a line; what stands between two words of a line that is set flush is less."""
_LINE = re.compile(f"[^\r\n{_BROKEN}]+[{_BROKEN}]?")

Line = tuple[str, float, float, float, float]
"""Text, left, bottom, right and top, in points."""
_Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


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
    pages: list[list[Line]] = []
    scanned: list[int] = []
    said = 0
    for number in range(min(len(pdf), most_pages)):
        if said >= most_characters:
            break
        pages.append([])
        with suppress(pypdfium2.PdfiumError):  # one broken page leaves the others
            page = pdf[number]
            pages[-1] += _whole(_lines(page, raw))
            if not pages[-1] and next(page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=3), None):
                scanned.append(number)
            page.close()
        said += sum(len(line[0]) for line in pages[-1])
    if scanned and not said and len(scanned) > MOST_SCANNED:
        raise Unreadable(f"it is a scan of more than {MOST_SCANNED} pages: split it into parts")
    left_out: tuple[tuple[str, str], ...] = ()
    for at, number in enumerate(scanned):
        try:
            if at == MOST_SCANNED:
                raise Unreadable(f"of pages that are pictures the first {MOST_SCANNED} are read: split it into parts")
            pages[number] += _read_from_picture(pdf[number])
        except Unreadable as error:
            if not said:
                raise
            left_out = (
                (f"page {number + 1}" + f" and {len(scanned) - at - 1} more" * (at + 1 < len(scanned)), str(error)),
            )
            break  # its other pages are worth reading without these
    title, author = (str(pdf.get_metadata_value(name)) for name in ("Title", "Author"))
    pdf.close()
    return pages, title, author, left_out


def _read_from_picture(page: Any) -> list[Line]:
    """The lines of a page that is a picture; in points."""
    ocr.engine()
    width, height = page.get_size()
    scale = min(ocr.LONGEST_SIDE / max(width, height, 1.0), 4.0)
    lines = ocr.written(page.render(scale=scale).to_pil())
    page.close()
    return [(text, *(round(side / scale, 1) for side in sides)) for text, *sides in lines]


def _lines(page: Any, raw: Any) -> Iterator[Line]:
    """The visible lines of a page, in the order of the file, each without those of its characters that are not."""
    text_page = page.get_textpage()
    text = text_page.get_text_range(errors="surrogatepass") if text_page.count_chars() else ""
    places = list(accumulate((1 + (char > "\uffff") for char in text), initial=0))  # PDFium counts in UTF-16
    sight = _Sight(page, text_page, raw)
    for match in _LINE.finditer(text):
        boxes = {
            at: None if text[at].isspace() or text[at] in _BROKEN else sight.box(places[at])
            for at in range(*match.span())
        }
        if seen := [box for box in boxes.values() if box]:
            _, bottoms, rights, tops = zip(*seen, strict=True)
            shown, right = "", seen[0][0]
            for at, box in boxes.items():
                if box:
                    shown = shown.rstrip() + CELL if box[0] - right > _GAP * (box[3] - box[1]) else shown
                    right = box[2]
                shown += text[at] if box or text[at].isspace() or text[at] in _BROKEN else ""
            sides = (seen[0][0], median_low(bottoms), max(rights), median_low(tops))  # whatever is raised or lowered
            yield shown.strip(), *(round(side, 1) for side in sides)  # type: ignore[misc]
    text_page.close()


def _whole(lines: Iterable[Line]) -> list[Line]:
    """The lines, those put together that PDFium has parted where letters are raised or lowered."""
    whole: list[Line] = []
    for line in lines:
        text, left, bottom, right, top = line
        if whole:
            before, start, low, end, high = whole[-1]
            height = min(high - low, top - bottom)
            is_beside = -height < left - end < _GAP * (high - low)
            if is_beside and min(high, top) - max(low, bottom) > height / 2:
                larger = max(whole[-1], line, key=lambda each: (each[4] - each[2], each[3] - each[1]))
                whole[-1] = (f"{before} {text}", start, larger[2], max(end, right), larger[4])
                continue
        whole.append(line)
    return whole


class _Sight:
    """What a person sees of the text of a page."""

    def __init__(self, page: Any, text_page: Any, raw: Any) -> None:
        self._page, self._text, self._raw = page, text_page.raw, raw
        self._bounds: _Box = page.get_bbox()
        self._unpainted: dict[int | None, bool] = {}

    def box(self, at: int) -> _Box | None:
        """Where a character is; `None` when it is tiny, off the page, or has no colour of its own and no ground."""
        raw, text = self._raw, self._text
        index = raw.FPDFText_GetCharIndexFromTextIndex(text, at)
        rect = raw.FS_RECTF()
        if index < 0 or not raw.FPDFText_GetLooseCharBox(text, index, rect):
            return None
        box = rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top)
        if box[3] - box[1] < _SMALLEST or not _holds(self._bounds, box):
            return None
        piece = raw.FPDFText_GetTextObject(text, index)  # drawn at once, so in one colour
        known = ctypes.addressof(piece.contents) if piece else None
        if known not in self._unpainted:
            self._unpainted[known] = self._is_unpainted(piece, index)
        return None if self._unpainted[known] and not any(_holds(each, box) for each in self._painted) else box

    def _is_unpainted(self, piece: Any, index: int) -> bool:
        """Whether text is white, or not drawn at all, as behind the picture of a scan."""
        fill, stroke = self._raw.FPDFText_GetFillColor, self._raw.FPDFText_GetStrokeColor
        mode = max(0, self._raw.FPDFTextObj_GetTextRenderMode(piece)) & 3  # whether it cuts, too, says nothing
        parts = [ctypes.c_uint() for _ in range(4)]
        return all(
            paint(self._text, index, *parts) and (min(part.value for part in parts[:3]) >= _WHITE or not parts[3].value)
            for paint in ((fill,), (stroke,), (fill, stroke), ())[mode]
        )

    @cached_property
    def _painted(self) -> list[_Box]:
        """The places of the page that are painted with anything but text."""
        kinds = (self._raw.FPDF_PAGEOBJ_PATH, self._raw.FPDF_PAGEOBJ_IMAGE, self._raw.FPDF_PAGEOBJ_SHADING)
        return [each.get_bounds() for each in self._page.get_objects(filter=kinds, max_depth=3)]


def _holds(outer: _Box, box: _Box) -> bool:
    """Whether the middle of a box is within another."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]
