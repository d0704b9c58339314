"""The lines of text of a PDF, page by page.

PDFium is a large library in C++, which is to be fed with files of strangers in a process of their own alone (see
`fathom.reading.bounded`).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from fathom.errors import Unreadable

_SMALLEST = 1.5
_WHITE = (255, 255, 255)
_LINE = re.compile("[^\r\n\ufffe\x02]+[\ufffe\x02]?")  # PDFium joins the lines of a broken word with such a mark

Line = tuple[str, float, float, float, float]


def read_pages(data: bytes, *, most_pages: int, most_characters: int) -> tuple[str, list[list[Line]]]:
    """The title that the file claims, and for each page its lines: `(text, left, bottom, right, top)`, in points.

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
    said = 0
    for number in range(min(len(pdf), most_pages)):
        if said >= most_characters:
            break
        pages.append([])
        with suppress(pypdfium2.PdfiumError):  # one broken page leaves the others
            page = pdf[number]
            pages[-1] += _lines(page, raw)
            page.close()
        said += sum(len(line[0]) for line in pages[-1])
    title = str(pdf.get_metadata_value("Title"))
    pdf.close()
    return title, pages


def _lines(page: Any, raw: Any) -> Iterator[Line]:
    """The visible lines of a page, in the order of the file."""
    text_page = page.get_textpage()
    text = text_page.get_text_range() if text_page.count_chars() else ""
    width, height = page.get_size()
    painted: list[tuple[float, float, float, float]] | None = None
    for match in _LINE.finditer(text):
        words = match[0]
        inner = words.strip()
        if not inner:
            continue
        first = match.start() + words.index(inner)
        begin = _box(text_page, raw, first)
        end = _box(text_page, raw, first + len(inner) - 1) or begin
        if begin is None or end is None:
            continue
        box = (begin[0], min(begin[1], end[1]), max(begin[2], end[2]), max(begin[3], end[3]))
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        if begin[3] - begin[1] < _SMALLEST or not (-1 <= middle[0] <= width + 1 and -1 <= middle[1] <= height + 1):
            continue
        if _is_white(text_page, raw, first):
            painted = _painted(page, raw) if painted is None else painted
            if not any(a <= middle[0] <= c and b <= middle[1] <= d for a, b, c, d in painted):
                continue
        yield inner, *(round(side, 1) for side in box)  # type: ignore[misc]
    text_page.close()


def _box(text_page: Any, raw: Any, at: int) -> tuple[float, float, float, float] | None:
    """Left, bottom, right and top of a character."""
    index = raw.FPDFText_GetCharIndexFromTextIndex(text_page.raw, at)
    rect = raw.FS_RECTF()
    if index < 0 or not raw.FPDFText_GetLooseCharBox(text_page.raw, index, rect):
        return None
    return rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top)


def _is_white(text_page: Any, raw: Any, at: int) -> bool:
    index = raw.FPDFText_GetCharIndexFromTextIndex(text_page.raw, at)
    parts = [ctypes.c_uint() for _ in range(4)]
    if index < 0 or not raw.FPDFText_GetFillColor(text_page.raw, index, *parts):
        return False
    drawn = raw.FPDFTextObj_GetTextRenderMode(raw.FPDFText_GetTextObject(text_page.raw, index))
    if drawn in {raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP}:  # as behind the picture of a scan
        return True
    return tuple(part.value for part in parts[:3]) == _WHITE or parts[3].value == 0


def _painted(page: Any, raw: Any) -> list[tuple[float, float, float, float]]:
    """The places of a page that are painted with anything but text."""
    kinds = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING)
    return [each.get_bounds() for each in page.get_objects(filter=kinds, max_depth=3)]
