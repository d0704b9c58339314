"""Tables as CSV: what they hold, and nothing that a spreadsheet would calculate."""

from __future__ import annotations

import csv
import io

import pytest

from fathom.text.tabular import as_csv


@pytest.mark.parametrize(
    "cell", ["=1+1", "=cmd|' /C calc'!A1", "@SUM(A1)", "+1+2", "-A1", "- see above", "\t=1", " =1"]
)
def test_what_a_spreadsheet_would_calculate_is_text(cell: str) -> None:
    assert list(csv.reader(io.StringIO(as_csv([cell], [[cell]])))) == [[f"'{cell}"], [f"'{cell}"]]


@pytest.mark.parametrize(
    "cell", ["-5", "-5.25", "+3", "-1,234.50", "-1 234,5", "-2e-9", "-7.5 %", "5", "a=b", "", "x@y.org"]
)
def test_numbers_and_other_text_are_as_they_are(cell: str) -> None:
    assert list(csv.reader(io.StringIO(as_csv(["a", "b"], [[cell, "x"]])))) == [["a", "b"], [cell, "x"]]
