"""Documents of Word, presentations of PowerPoint, and workbooks of Excel and LibreOffice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from io import BytesIO
from itertools import zip_longest
from typing import Any
from zipfile import ZipFile

from lxml import etree

from fathom.errors import Unreadable
from fathom.reading import html
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, row_of
from fathom.reading.inline import text_in
from fathom.reading.packages import office, part, reading, textless, tree
from fathom.reading.page import Element, body_of
from fathom.reading.table import MOST_ROWS

MOST_COLUMNS = 500
MOST_TAGS = 1_500_000
"""In a part of a document of Word: each takes a kilobyte of memory, and a page of text has 500."""
_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NOTE = re.compile(r"#(?:foot|end)note-")
_TINY = frozenset("01234")
"""Half points."""
_RUNNING = frozenset({"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"})
_POINTS = frozenset({"BODY", "OBJECT"})


def read_word(data: bytes) -> ReadDocument:
    """Read a document: its text with headings, lists, tables and notes, without heads and feet of pages, what was
    deleted in revisions, and what is set so that nobody sees it. Nothing in it is run, and nothing fetched. Raises
    `Unreadable` with the reason, and `ConfigurationError` if the package that reads it is not installed."""
    with reading("Documents of Word", package="mammoth"):
        import mammoth

        package, title, changed, authors = office(data)
        told = {"style_map": _STYLES, "include_embedded_style_map": False, "convert_image": lambda _: []}
        page = mammoth.convert_to_html(_seen(package), **told).value
    root = html.parse(page.encode("utf-8", "replace"), declared="utf-8")
    if root is None:
        raise textless(package)
    for link in root.iter("a"):
        if _NOTE.match(link.get("href", "")):  # what leads to a note, and back
            link.text = ""
    for table in root.iter("table"):
        _mark_head(list(table.iter("tr")))
    found = html.read_tree(root, body_of(root), of_the_web=True)
    begins = bool(found.blocks) and found.blocks[0].kind == "heading"
    return replace(found, title=(not begins and title) or found.title, dated=changed, authors=authors)


def _seen(package: ZipFile) -> BytesIO:
    """The texts of a document without what is hidden, white or tiny."""
    written = BytesIO()
    with ZipFile(written, "w") as copy:
        for name in dict.fromkeys(package.namelist()):
            content = part(package, name) if name.endswith((".xml", ".rels")) else b""
            if content.count(b"<") > MOST_TAGS:
                raise Unreadable(f"it has more than {MOST_TAGS:,} tags: split it")
            if b"rPr" in content:
                root = tree(content)
                for run in filter(_is_unseen, root.iter(f"{_W}r")):
                    run[:] = []
                content = etree.tostring(root)
            copy.writestr(name, content)
    return written


def _is_unseen(run: Element) -> bool:
    told = {etree.QName(each).localname: each.get(f"{_W}val", "") for each in run.iterfind(f"{_W}rPr/*")}
    if told.get("vanish", "0") not in {"0", "false", "off"} or told.get("sz") in _TINY:
        return True
    is_white = told.get("color", "").lower() == "ffffff" and not {"highlight", "shd"}.intersection(told)
    is_in_box = next(run.iterancestors(f"{_W}tbl", f"{_W}txbxContent"), None) is not None  # which may be dark
    return is_white and not is_in_box and not run.findall(f"../{_W}pPr/{_W}shd")


def _mark_head(rows: Sequence[Element]) -> None:
    """Take the first row of a table for its head where it is set in bold, as Word has seldom been told of it."""
    first = list(rows[0]) if len(rows) > 1 else []
    bold = ["".join("".join(map(text_in, cell.iter("strong"))).split()) for cell in first]
    if len(first) > 1 and all(bold) and bold == ["".join(text_in(cell).split()) for cell in first]:
        for cell in first:
            cell.tag = "th"


def read_slides(data: bytes) -> ReadDocument:
    """Read a presentation: each slide under its number and title, "Slide 3: Fees", and its notes below it; without what
    runs through all slides, as dates, feet and numbers do. Raises as `read_word` does."""
    out, titles = Composition(), list[str]()
    with reading("Presentations of PowerPoint", package="pptx"):
        from pptx import Presentation

        package, title, changed, authors = office(data)
        for number, slide in enumerate(Presentation(BytesIO(data)).slides, start=1):
            named = slide.shapes.title
            titles.append(line(named.text_frame.text) if named is not None else "")
            out.write("heading", f"Slide {number}: {titles[-1]}".removesuffix(": "), level=1)
            for shape in _shapes(slide.shapes):
                if named is None or shape.shape_id != named.shape_id:
                    _shape(shape, out)
            if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) and notes.text.strip():
                out.write("heading", f"Slide {number}, notes", level=2)
                _paragraphs(notes, out)
    if not any(titles) and all(block.kind == "heading" for block in out.blocks):
        raise textless(package)
    return out.document(titles[0] or title, dated=changed, authors=authors)


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """The shapes, those in groups included, in the order in which they were put there."""
    for shape in shapes:
        yield from _shapes(shape.shapes) if hasattr(shape, "shapes") else (shape,)


def _shape(shape: Any, out: Composition) -> None:
    role = shape.placeholder_format.type.name if shape.is_placeholder and shape.placeholder_format.type else ""
    if getattr(shape, "has_table", False):
        out.table([cell.text_frame.text for cell in row.cells] for row in shape.table.rows)
    elif shape.has_text_frame and role not in _RUNNING:
        _paragraphs(shape.text_frame, out, points=role in _POINTS)


def _paragraphs(frame: Any, out: Composition, *, points: bool = False) -> None:
    for paragraph in frame.paragraphs:
        out.write("list_item" if points else "paragraph", paragraph.text, level=paragraph.level if points else 0)


def read_workbook(data: bytes) -> ReadDocument:
    """Read a workbook, its sheets under their names: "Sheet Fees". Before a row stands its number, which is cited.
    Hidden sheets are left out, and formulas are what they have last come to. Raises as `read_word` does."""
    out = Composition()
    with reading("Workbooks", package="python_calamine"):
        from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

        _, title, changed, authors = office(data) if data.startswith(b"PK") else (None, "", "", ())
        try:
            workbook = CalamineWorkbook.from_filelike(BytesIO(data))
        except CalamineError as error:
            what = "damaged" if data.startswith(b"PK") else "encrypted or damaged: save it anew, without a password"
            raise Unreadable(f"it is {what}") from error
        for each in workbook.sheets_metadata:
            if (each.typ, each.visible) == (SheetTypeEnum.WorkSheet, SheetVisibleEnum.Visible):
                sheet = workbook.get_sheet_by_name(each.name)
                if sheet.height > MOST_ROWS or sheet.width > MOST_COLUMNS:
                    raise Unreadable(
                        f"its sheet '{line(each.name)}' has more than {MOST_ROWS:,} rows or {MOST_COLUMNS} columns; "
                        "saved as CSV and given as data, it is counted"
                    )
                rows = [[_cell(cell) for cell in row] for row in sheet.to_python()]
                if any(map(any, rows)):
                    out.write("heading", f"Sheet {each.name}", level=1)
                    _rows(rows, sheet.start[0] + 1 if sheet.start else 1, out)
    if not out.blocks:
        raise Unreadable("its sheets are empty")
    return out.document(title, dated=changed, authors=authors)


def _rows(rows: Sequence[Sequence[str]], first: int, out: Composition) -> None:
    """Write the tables of a sheet; each has a head of its own, or that of the one above."""
    head, before = None, rows[0][:0]
    for number, (row, behind) in enumerate(zip_longest(rows, rows[1:], fillvalue=()), start=first):
        told, mark = list(filter(None, row)), f"{number}\t"
        names_columns = len(told) > 1 and not any(cell[0].isdigit() or cell[0] == "-" for cell in told)
        has_figures = any(cell[:1].isdigit() for cell in behind)
        if not any(before) and names_columns and any(behind) and (has_figures or not head):
            head = out.lead(row_of(row), mark=mark)
        else:
            out.write("table_row", row_of(row), lead_in=head, mark=mark)
        before = row


def _cell(value: object) -> str:
    """A cell as it is read: whole numbers without a point, midnights as days."""
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    return value.isoformat() if isinstance(value, date | time) else line(str(value))
