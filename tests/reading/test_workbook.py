"""The cells of a workbook are read as a person sees them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from fathom.errors import Unreadable
from fathom.reading.cell_formats import shown as as_shown
from fathom.reading.readers import read_bytes
from tests.support.office import altered, parts, strict, workbook
from tests.support.readers import shown


def rows(data: bytes, suffix: str = ".xlsx") -> list[str]:
    return [text for kind, text in shown(read_bytes(data, suffix)) if kind == "table_row"]


EURO = '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-'


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.075, "0.0%", "7.5%"), (0.0845, "0.00%", "8.45%"), (-0.5, "0%", "-50%"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"), (-12.3, "$#,##0.00", "-$12.30"), (1234.5, EURO, "1,234.50 €"),
        (0, EURO, "- €"), (12, "[$USD] 0.00", "USD 12.00"), (501, "00000", "00501"),
        (23_400_000, '"$"0.0,,"M"', "$23.4M"),
        (1_234, "#,##0,", "1"), (-1200, "#,##0_);[Red]\\(#,##0\\)", "(1,200)"), (0, '0;-0;"none"', "none"),
        (5_551_234, "000-0000", "555-1234"), (2_065_551_234, "(000) 000-0000", "(206) 555-1234"), (5, "0,000", "0,005"),
        (1.234e-5, "0.00E+00", None), (12_345_678, "##0.0E+0", None), (0.5, "# ?/?", None), (5.5, "# ??/16", None),
        (1500, '[>=1000]0.0,"k";0', "1.5k"), (500, '[>=1000]0.0,"k";0', "500"),
        (5.5, "0.##", "5.5"), (5, "0.##", "5"), (0.25, ".00", ".25"), (1.005, "0.00", "1.01"), (-0.001, "0.00", "0.00"),
        (12, "0\\ \\k\\g", "12 kg"), (5, 'General" units"', "5 units"), (7, ";;;", ""), (1e30, "0", "1" + "0" * 30),
        ("a1", '"Item "@', "Item a1"), ("b", '0;-0;0;@" m"', "b m"), ("b", "0.00", None), ("b", "@", None),
        (5, "General", None), (5, "@", None), (46_000, "yyyy-mm-dd", None), (1.5, "[h]:mm", None),
        (float("nan"), "0", None),
        (5, '"', ""), (5, "0;", "5"), (-5, "0;", ""), (5, "[" * 300, "[" * 255), (5, "0/0", None), (5, "?/", None),
    ],
)  # fmt: skip
def test_a_number_is_read_as_its_format_shows_it(value: float | str, code: str, text: str | None) -> None:
    told = as_shown(value, code)
    assert (told if told is None else " ".join(told.split())) == text


def _sheet(fill: Callable[[Any, Any], object]) -> bytes:
    return workbook(lambda made: fill(made, made.add_worksheet("A")))


@pytest.mark.parametrize("change", [bytes, strict])
def test_formats_struck_cells_and_cells_merged_downwards_show_in_a_sheet(change: Callable[[bytes], bytes]) -> None:
    def fill(made: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, ["Region", "Rate"])
        sheet.merge_range(1, 0, 3, 0, "North")
        sheet.write_number(1, 1, 0.075, made.add_format({"num_format": 10}))
        sheet.write_datetime(2, 1, date(2026, 5, 1), made.add_format({"num_format": "d mmm yyyy"}))
        sheet.write_number(3, 1, 1.1041666, made.add_format({"num_format": "[h]:mm"}))
        sheet.write(4, 0, "South", made.add_format({"num_format": '"the "@'}))
        gone = made.add_format({"font_strikeout": True})
        sheet.write_rich_string(4, 1, gone, "310", made.add_format(), " 365")
        sheet.write_row(5, 0, ["Old", 99], gone)
        sheet.merge_range(6, 0, 8, 1, "A note")
        sheet.write_comment(0, 0, "Why?")

    read = read_bytes(change(_sheet(fill)), ".xlsx")
    assert [text for _, text in shown(read)[1:]] == [
        "North | 7.50%", "North | 2026-05-01", "North | 26:30:00", "the South | 365", "A note",
    ]  # fmt: skip
    assert dict(read.left_out).keys() == {"struck text left out", "comments left out"}


def test_a_formula_that_was_never_calculated_is_read_as_one_and_a_value_that_was_stays() -> None:
    def fill(_: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, ["x", 2, 3])
        for row, (formula, value) in enumerate((("=B1+C1", 0), ("=B1-2", 0), ("=B1*3", 6), ("=A1", "")), start=1):
            sheet.write_formula(row, 1, formula, None, value)

    due = _sheet(fill)
    plain = ["x | 2 | 3", "| =B1+C1 (not calculated)", "| =B1-2 (not calculated)", "| 6"]
    assert rows(due)[:4] == plain
    book = parts(due)["xl/workbook.xml"].replace(b' fullCalcOnLoad="1"', b"")
    assert rows(altered(due, {"xl/workbook.xml": book}))[:4] == ["x | 2 | 3", "| 0", "| 0", "| 6"]
    sheet = parts(due)["xl/worksheets/sheet1.xml"]
    for empty in (b"<v></v>", b"<v/>", b""):
        changed = altered(
            due, {"xl/workbook.xml": book, "xl/worksheets/sheet1.xml": sheet.replace(b"</f><v>0</v>", b"</f>" + empty)}
        )
        assert rows(changed)[:4] == plain


def test_hidden_sheets_are_said_to_be_left_out() -> None:
    def fill(made: Any) -> None:
        made.add_worksheet("A").write(0, 0, "x")
        made.add_worksheet("Old").hide()

    assert read_bytes(workbook(fill), ".xlsx").left_out == (("hidden sheets left out", "Old"),)


PAGE = "<html><table><tr><th>Month</th><th>Visitors</th></tr><tr><td>May</td><td>1840</td></tr></table></html>"


@pytest.mark.parametrize("text", [PAGE, f"\n {PAGE}", "Month\tVisitors\r\nMay\t1840\r\n", "Month;Visitors\nMay;1840"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("suffix", [".xls", ".xlsx"])
def test_a_page_or_a_text_under_the_name_of_a_workbook_is_read_as_what_it_is(
    text: str, encoding: str, suffix: str
) -> None:
    assert rows(text.encode(encoding), suffix) == ["May | 1840"]


@pytest.mark.parametrize(
    "data", [b"MIME-Version: 1.0\nX: y\n", b"<Workbook xmlns='urn:schemas-microsoft-com:office:spreadsheet'/>"]
)
def test_workbooks_of_other_kinds_say_what_they_are(data: bytes) -> None:
    with pytest.raises(Unreadable, match=r"save it as \.xlsx"):
        read_bytes(data, ".xls")
