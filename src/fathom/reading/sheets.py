"""Workbooks of Excel and LibreOffice: their sheets as tables, each row with its number."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from io import BytesIO
from itertools import zip_longest

from fathom.errors import Unreadable
from fathom.reading.composition import Composition, line
from fathom.reading.document import ReadDocument, row_of
from fathom.reading.packages import Properties, damage_told, needs, office, opened
from fathom.reading.table import MOST_ROWS

MOST_COLUMNS = 500


def read(data: bytes) -> ReadDocument:
    """Read a workbook of Excel since 2007, its sheets under their names: "Sheet Fees". Before a row stands its number,
    by which it is cited; hidden sheets are left out, and formulas are what they have last come to.

    Raises:
        Unreadable: with the reason.
        ConfigurationError: the package that reads it is not installed.
    """
    needs("python_calamine", "Workbooks")
    return _sheets(data, office(data)[1])


def read_others(data: bytes) -> ReadDocument:
    """The same of a workbook of LibreOffice, or of an older or a binary one of Excel."""
    needs("python_calamine", "Workbooks")
    if data.startswith(b"PK"):
        opened(data)
    return _sheets(data, Properties())


def _sheets(data: bytes, properties: Properties) -> ReadDocument:
    out = Composition()
    with damage_told():
        from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

        try:
            workbook = CalamineWorkbook.from_filelike(BytesIO(data))
        except PasswordError as error:
            raise Unreadable("it is encrypted: save it without a password") from error
        for sheet in workbook.sheets_metadata:
            if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible:
                held = workbook.get_sheet_by_name(sheet.name)
                if held.height > MOST_ROWS or held.width > MOST_COLUMNS:
                    raise Unreadable(
                        f"its sheet '{line(sheet.name)}' has more than {MOST_ROWS:,} rows or {MOST_COLUMNS} columns; "
                        "saved as CSV and given as data, it is counted"
                    )
                first = held.start[0] + 1 if held.start else 1
                _sheet(sheet.name, [[_cell(cell) for cell in row] for row in held.to_python()], first, out)
    if not out.blocks:
        raise Unreadable("its sheets are empty")
    return out.document(properties.title, dated=properties.dated)


def _sheet(name: str, rows: Sequence[Sequence[str]], first: int, out: Composition) -> None:
    if not any(map(any, rows)):
        return
    out.write("heading", f"Sheet {name}", level=1)
    head = None
    before: Sequence[str] = ()
    for number, (row, behind) in enumerate(zip_longest(rows, rows[1:], fillvalue=()), start=first):
        text = row_of(row)
        if not any(before) and text and any(behind) and _is_head(row, behind, again=head is not None):
            head = out.lead(text, mark=f"{number}\t")
        elif text:
            out.write("table_row", text, lead_in=head, mark=f"{number}\t")
        before = row


def _is_head(row: Sequence[str], behind: Sequence[str], *, again: bool) -> bool:
    """Whether a row names the columns of those below it, of which a sheet may have several tables."""
    told = [cell for cell in row if cell]
    words = len(told) > 1 and not any(cell[0].isdigit() or cell[0] == "-" for cell in told)
    return words and (not again or any(cell and cell[0].isdigit() for cell in behind))


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
