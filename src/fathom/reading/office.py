"""Documents of Word, presentations of PowerPoint, and workbooks of Excel and LibreOffice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from io import BytesIO
from itertools import zip_longest
from typing import Any

from fathom.errors import Unreadable
from fathom.reading import html, table
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, decode, row_of
from fathom.reading.inline import text_in
from fathom.reading.packages import comments_note, office, reading, repacked, textless
from fathom.reading.page import Element, body_of
from fathom.reading.shapes import diagram, in_order, readable
from fathom.reading.table import MOST_ROWS, names_columns
from fathom.reading.visible import struck_note
from fathom.reading.word_markup import WordMarkup
from fathom.reading.workbook_markup import WorkbookMarkup

MOST_COLUMNS = 500
_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_NOTE = re.compile(r"#(?:foot|end)note-")
_REPEATED = 80
"""Characters of a cell that is repeated in each row that it reaches down to."""
_BEGINNING = 4_000
_RUNNING = frozenset({"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"})
_POINTS = frozenset({"BODY", "OBJECT"})


def read_word(data: bytes) -> ReadDocument:
    """Read a document: its text with headings, lists, tables and notes, without heads and feet of pages, what was
    deleted in revisions, and what is set so that nobody sees it. Nothing in it is run, and nothing fetched. Raises
    `Unreadable` with the reason, and `ConfigurationError` if the package that reads it is not installed."""
    with reading("Documents of Word", package="mammoth"):
        import mammoth

        package, title, changed, authors = office(data)
        options = {"style_map": _STYLES, "include_embedded_style_map": False, "convert_image": lambda _: []}
        markup = WordMarkup(package)
        page = mammoth.convert_to_html(markup.readable(), **options).value
    root = html.parse(page.encode("utf-8", "replace"), declared="utf-8")
    if root is None:
        raise textless(package)
    for link in root.iter("a"):
        if _NOTE.match(link.get("href", "")):  # what leads to a note, and back
            link.text = ""
    for each in root.iter("table"):
        _mark_head(list(each.iter("tr")))
    found = html.read_tree(root, body_of(root), of_the_web=True)
    begins = bool(found.blocks) and found.blocks[0].kind == "heading"
    left_out = struck_note(markup.struck)
    return replace(
        found, title=(not begins and title) or found.title, dated=changed, authors=authors, left_out=left_out
    )


def _mark_head(rows: Sequence[Element]) -> None:
    """Take the first row of a table for its head where it is set in bold, as Word has seldom been told of it."""
    first = list(rows[0]) if len(rows) > 1 else []
    bold = ["".join("".join(map(text_in, cell.iter("strong"))).split()) for cell in first]
    if len(first) > 1 and all(bold) and bold == ["".join(text_in(cell).split()) for cell in first]:
        for cell in first:
            cell.tag = "th"


def read_slides(data: bytes) -> ReadDocument:
    """Read a presentation: each slide under its number and title, "Slide 3: Fees", and its notes below it; without what
    runs through all slides, as dates, feet and numbers do, and hidden slides. Raises as `read_word` does."""
    out, titles, hidden, struck = Composition(), list[str](), list[int](), 0
    with reading("Presentations of PowerPoint", package="pptx"):
        from pptx import Presentation

        package, title, changed, authors = office(data)

        def change(_: str, content: bytes) -> bytes:
            nonlocal struck
            content, places = readable(content)
            struck += places
            return content

        for number, slide in enumerate(Presentation(repacked(package, change)).slides, start=1):
            if slide.element.get("show") in {"0", "false"}:
                hidden.append(number)
                continue
            named = slide.shapes.title
            titles.append(line(named.text_frame.text) if named is not None else "")
            out.write("heading", f"Slide {number}: {titles[-1]}".removesuffix(": "), level=1)
            for shape in in_order(filter(_is_told, slide.shapes)):
                if named is None or shape.shape_id != named.shape_id:
                    _shape(shape, out)
            if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) and notes.text.strip():
                out.write("heading", f"Slide {number}, notes", level=2)
                _paragraphs(notes, out)
    if not any(titles) and all(block.kind == "heading" for block in out.blocks):
        raise Unreadable("it holds no text but that of hidden slides") if hidden else textless(package)
    out.left_out += (*struck_note(struck), *comments_note(package))
    out.left_out += [("hidden slides left out", ", ".join(map(str, hidden)))] if hidden else []
    return out.document(titles[0] or title, dated=changed, authors=authors)


def _role(shape: Any) -> str:
    return shape.placeholder_format.type.name if shape.is_placeholder and shape.placeholder_format.type else ""


def _is_told(shape: Any) -> bool:
    """Whether a shape may have a text of its own: it is empty or the date, the foot or the number of a page else."""
    return _role(shape) not in _RUNNING and not (shape.has_text_frame and not shape.text_frame.text.strip())


def _shape(shape: Any, out: Composition) -> None:
    if getattr(shape, "has_table", False):
        rows: list[list[str]] = [[]]
        for row in shape.table.rows:
            cells = zip(row.cells, [*rows[-1], *[""] * len(row.cells)], strict=False)
            rows.append([above if cell._tc.vMerge else cell.text_frame.text for cell, above in cells])
        out.table(rows)
    elif shape.has_text_frame:
        _paragraphs(shape.text_frame, out, points=_role(shape) in _POINTS)
    for level, text in diagram(shape):
        out.write("list_item", text, level=level)


def _paragraphs(frame: Any, out: Composition, *, points: bool = False) -> None:
    for paragraph in frame.paragraphs:
        out.write("list_item" if points else "paragraph", paragraph.text, level=paragraph.level if points else 0)


def read_workbook(data: bytes) -> ReadDocument:
    """Read a workbook, its sheets under their names: "Sheet Fees". Before a row stands its number, which is cited.
    Cells are read as they show, their dates in ISO 8601; hidden sheets and what is struck through are left out, and
    formulas are what they have last come to. What only has the name of a workbook, HTML or a text, is read as what it
    is. Raises as `read_word` does."""
    if not data.startswith((b"PK", b"\xd0\xcf\x11\xe0")) and (found := _of_another_kind(data)):
        return found
    out, hidden = Composition(), list[str]()
    with reading("Workbooks", package="python_calamine"):
        from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

        title, changed, shows = "", "", None
        authors: tuple[str, ...] = ()
        if data.startswith(b"PK"):
            package, title, changed, authors = office(data)
            markup = WorkbookMarkup(package)
            shows = markup.readable()
            out.left_out += (*struck_note(markup.struck), *comments_note(package))
        try:
            workbook = CalamineWorkbook.from_filelike(shows or BytesIO(data))
        except CalamineError as error:
            what = "damaged" if data.startswith(b"PK") else "encrypted or damaged: save it anew, without a password"
            raise Unreadable(f"it is {what}") from error
        for each in workbook.sheets_metadata:
            if each.visible != SheetVisibleEnum.Visible:
                hidden.append(line(each.name))
            elif each.typ == SheetTypeEnum.WorkSheet:
                sheet = workbook.get_sheet_by_name(each.name)
                if sheet.height > MOST_ROWS or sheet.width > MOST_COLUMNS:
                    raise Unreadable(
                        f"its sheet '{line(each.name)}' has more than {MOST_ROWS:,} rows or {MOST_COLUMNS} columns; "
                        "saved as CSV and given as data, it is counted"
                    )
                rows = [[_cell(cell) for cell in row] for row in sheet.to_python()]
                _fill_down(rows, sheet.start or (0, 0), sheet.merged_cell_ranges or ())
                if any(map(any, rows)):
                    out.write("heading", f"Sheet {each.name}", level=1)
                    _rows(rows, sheet.start[0] + 1 if sheet.start else 1, out)
    if not out.blocks:
        raise Unreadable("its sheets are empty")
    out.left_out += [("hidden sheets left out", ", ".join(hidden))] if hidden else []
    return out.document(title, dated=changed, authors=authors)


def _of_another_kind(data: bytes) -> ReadDocument | None:
    """What programs of the web export under the name of a workbook: a page with a table, or a text with columns."""
    try:
        text = decode(data).lstrip("\ufeff \t\r\n")
    except Unreadable:
        return None
    if text.startswith(("<", "MIME-Version:")):
        if not text.startswith("<") or "urn:schemas-microsoft-com:office:spreadsheet" in text[:_BEGINNING]:
            raise Unreadable("it is of another kind, a workbook in XML or a web archive: save it as .xlsx")
        return html.read(data)
    return table.read(data) if any(sign in text.partition("\n")[0] for sign in "\t;,") else None


def _fill_down(
    rows: Sequence[list[str]], start: tuple[int, int], merged: Iterable[tuple[tuple[int, int], tuple[int, int]]]
) -> None:
    """Repeat what a cell says in the rows that it reaches down to, if they say something themselves."""
    last = {first: end[0] for first, end in merged}
    above: dict[int, tuple[str, int]] = {}
    for at, row in enumerate(rows, start[0]):
        says_something = any(row)
        for number, text in enumerate(row):
            if end := last.get((at, start[1] + number)):
                above[number] = text if len(text) <= _REPEATED else "", end
            elif says_something and not text and at <= above.get(number, ("", -1))[1]:
                row[number] = above[number][0]


def _rows(rows: Sequence[Sequence[str]], first: int, out: Composition) -> None:
    """Write the tables of a sheet; each has a head of its own, or that of the one above."""
    head, before = None, rows[0][:0]
    for number, (row, behind) in enumerate(zip_longest(rows, rows[1:], fillvalue=()), start=first):
        mark = f"{number}\t"
        if not any(before) and names_columns(row, behind, is_first=not head):
            head = out.lead(row_of(row), mark=mark)
        else:
            out.write("table_row", row_of(row), lead_in=head, mark=mark)
        before = row


def _cell(value: object) -> str:
    """A cell as it is read: whole numbers without a point, midnights as days, times that are counted in hours."""
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    return value.isoformat() if isinstance(value, date | time) else line(str(value))
