"""What is filled in on a page of a PDF, or written onto it: values of forms, typed notes, comments."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median_low
from typing import Any, NamedTuple

from fathom.reading.pdf_places import Box, Cell, Line, holds, turned

_MOST = 2_000
"""Entries of a page that are read."""
_LONGEST = 100_000
"""Characters of one."""
_PASSWORD = 1 << 13
_COLOR = re.compile(r"((?:\d{0,9}\.?\d{1,9}\s{1,9}){1,4})(g|rg|k)\b")
_TYPE = re.compile(r"(\d{0,9}\.?\d{1,9})\s{1,9}Tf\b")


class Entry(NamedTuple):
    """What is on a page besides what is drawn, and where."""

    text: str
    box: Box
    is_mark: bool = False
    """Whether it says that a box is ticked, or not."""
    is_comment: bool = False


def with_entries(lines: Sequence[Line], entries: Iterable[Entry]) -> list[Line]:
    """The lines of a page with what is filled in beside its labels, and comments behind all of them."""
    placed = list(lines)
    usual = median_low(line.height for line in lines) if lines else 12.0
    shown = " ".join(" ".join(line.text for line in lines).split())
    for entry in sorted(entries, key=lambda each: (-each.box[3], each.box[0])):
        if not entry.is_comment:
            _place(entry, placed, usual)
        elif entry.text not in shown:  # else it repeats what it marks
            left, bottom, right, _ = entry.box
            comment = Line.of(f"Comment: {entry.text}", left, bottom, right, bottom + usual)
            placed.append(replace(comment, is_apart=True))
    return placed


def _place(entry: Entry, lines: list[Line], usual: float) -> None:
    """Put an entry into the line that it is beside; else it is a line of its own, below the one above it."""
    left, bottom, right, top = entry.box
    own = Line.of(entry.text, left, max(bottom, top - usual), right, top)
    level = [line for line in lines if bottom < line.middle < top or line.bottom < own.middle < line.top]
    under = " ".join(cell.text for line in level for cell in line.cells if cell.left < right and cell.right > left)
    if not entry.is_mark and entry.text in under:
        return  # drawn on the page, too
    before = [line for line in level if line.left < left]
    behind = [line for line in level if entry.is_mark or line.left - right < usual]
    if before or behind:
        line = (
            max(before, key=lambda each: (max(cell.left for cell in each.cells if cell.left < left), each.bottom))
            if before
            else min(behind, key=_left)
        )
        lines[lines.index(line)] = replace(line, cells=tuple(sorted((*line.cells, *own.cells), key=_left)))
        return
    over = [line for line in lines if line.bottom >= top - usual / 2 and not line.is_apart]
    beside = [line for line in over if line.left < right and line.right > left] or over
    lines.insert(lines.index(min(beside, key=lambda each: each.bottom)) + 1 if beside else 0, own)


def _left(piece: Line | Cell) -> float:
    return piece.left


# ── What PDFium knows of them ──────────────────────────────────────────────────────────────────────────────────────


def entries_of(page: Any, raw: Any) -> tuple[list[Entry], list[int]]:
    """What is on a page besides what is drawn, without what is hidden or empty, and which notes draw something else.

    These are captions of buttons, stamps, signatures.
    """
    found: list[Entry] = []
    drawing: list[int] = []
    turn = page.get_rotation() // 90
    for at in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST)):
        if not (note := raw.FPDFPage_GetAnnot(page, at)):
            continue
        kind, rect = raw.FPDFAnnot_GetSubtype(note), raw.FS_RECTF()
        raw.FPDFAnnot_GetRect(note, rect)
        box = rect.left, min(rect.bottom, rect.top), rect.right, max(rect.bottom, rect.top)
        hidden = raw.FPDFAnnot_GetFlags(note) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW)
        silent = raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_FILEATTACHMENT
        text, is_mark, is_comment, draws = "", False, False, False
        if hidden or kind in silent or not holds(page.get_bbox(), box) or _is_unseen(_string(raw, note, b"DA")):
            pass
        elif kind == raw.FPDF_ANNOT_WIDGET:
            text, is_mark, draws = _filled(raw, page.formenv, note) if page.formenv else ("", False, True)
        else:
            text, is_comment = _string(raw, note, b"Contents"), kind != raw.FPDF_ANNOT_FREETEXT
            draws = is_comment or not text
        raw.FPDFPage_CloseAnnot(note)
        if text and (is_comment or min(box[2] - box[0], box[3] - box[1]) > 1):
            found.append(Entry(text, turned(box, turn), is_mark, is_comment))
        if draws:
            drawing.append(at)
    return found, drawing


def keep_only(drawing: Container[int], page: Any, raw: Any) -> None:
    """Make some notes of a page all that is drawn when it is opened once more."""
    for at in reversed(range(raw.FPDFPage_GetAnnotCount(page))):
        if at not in drawing:
            raw.FPDFPage_RemoveAnnot(page, at)
    while (piece := raw.FPDFPage_GetObject(page, 0)) and raw.FPDFPage_RemoveObject(page, piece):
        raw.FPDFPageObj_Destroy(piece)
    raw.FPDFPage_GenerateContent(page)
    raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)


def _filled(raw: Any, forms: Any, field: Any) -> tuple[str, bool, bool]:
    """What a field of a form holds, whether that is the mark of a box to tick, and whether to see what it draws."""
    kind = raw.FPDFAnnot_GetFormFieldType(forms, field)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return "☒" if raw.FPDFAnnot_IsChecked(forms, field) else "☐", True, False
    is_typed = kind in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX)
    if is_typed and raw.FPDFAnnot_GetFormFieldFlags(forms, field) & _PASSWORD:
        return "", False, False
    options = range(min(raw.FPDFAnnot_GetOptionCount(forms, field), _MOST))
    chosen = [at for at in options if raw.FPDFAnnot_IsOptionSelected(forms, field, at)]
    value = ", ".join(_text(partial(raw.FPDFAnnot_GetOptionLabel, forms, field, at)) for at in chosen)
    if not value and is_typed:
        value = _text(partial(raw.FPDFAnnot_GetFormFieldValue, forms, field))
    shown = _text(partial(raw.FPDFAnnot_GetAP, field, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL)) if not value else ""
    return value, False, not is_typed or "tj" in shown.lower()


def _string(raw: Any, note: Any, key: bytes) -> str:
    return _text(partial(raw.FPDFAnnot_GetStringValue, note, key))


def _text(get: Callable[..., int]) -> str:
    """A text of PDFium, on one line; what is behind its longest part is not read."""
    size = min(get(None, 0), 2 * _LONGEST)
    buffer = ctypes.create_string_buffer(max(size, 2))
    get(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return " ".join(buffer.raw.decode("utf-16-le", "replace").partition("\0")[0].split())


def _is_unseen(style: str) -> bool:
    """Whether text of a style ("/Helv 12 Tf 1 g") is white or tiny; a size of 0 is one that fits."""
    color, size = _COLOR.search(style), _TYPE.search(style)
    parts = [float(part) for part in color[1].split()] if color else []
    white = max(parts) < 0.02 if color and color[2] == "k" else bool(parts) and min(parts) > 0.98
    return white or bool(size and 0 < float(size[1]) < 1.5)
