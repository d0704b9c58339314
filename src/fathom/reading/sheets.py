"""Workbooks of Excel and LibreOffice: their sheets as tables, each row with its number."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from io import BytesIO
from itertools import zip_longest

from fathom.errors import Unreadable
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, row_of
from fathom.reading.packages import office, reading
from fathom.reading.table import MOST_ROWS

MOST_COLUMNS = 500


def read(data: bytes) -> ReadDocument:
    """Read a workbook, its sheets under their names: "Sheet Fees". Before a row stands its number, which is cited.
    Hidden sheets are left out, and formulas are what they have last come to.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: the package that reads it is not installed.
    """
    out = Composition()
    with reading("Workbooks", package="python_calamine"):
        from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

        title, changed = office(data)[1:] if data.startswith(b"PK") else ("", "")
        try:
            workbook = CalamineWorkbook.from_filelike(BytesIO(data))
        except CalamineError as error:
            what = "damaged" if data.startswith(b"PK") else "encrypted or damaged: save it anew, without a password"
            raise Unreadable(f"it is {what}") from error
        for sheet in workbook.sheets_metadata:
            if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible:
                held = workbook.get_sheet_by_name(sheet.name)
                if held.height > MOST_ROWS or held.width > MOST_COLUMNS:
                    raise Unreadable(
                        f"its sheet '{line(sheet.name)}' has more than {MOST_ROWS:,} rows or {MOST_COLUMNS} columns; "
                        "saved as CSV and given as data, it is counted"
                    )
                rows = [[_cell(cell) for cell in row] for row in held.to_python()]
                if any(map(any, rows)):
                    out.write("heading", f"Sheet {sheet.name}", level=1)
                    _rows(rows, held.start[0] + 1 if held.start else 1, out)
    if not out.blocks:
        raise Unreadable("its sheets are empty")
    return out.document(title, dated=changed)


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
    match value:
        case bool():
            return str(value).upper()
        case float():
            return f"{value:.15g}"
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case date() | time():
            return value.isoformat(*[" "] * isinstance(value, datetime))
        case _:
            return line(str(value))
