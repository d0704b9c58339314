"""Small tables in files."""

from __future__ import annotations

import pytest

from fathom.errors import Unreadable
from fathom.reading.readers import read_bytes
from fathom.reading.table import MOST_ROWS


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".csv", 'kind,day,note\npaper,Monday,"tied, dry"\nglass,,in crates\n'),
        (".csv", "\ufeffkind;day;note\r\npaper;Monday;tied, dry\r\nglass;;in crates\r\n"),
        (".tsv", "kind\tday\tnote\n\npaper\tMonday\ttied, dry\nglass\t\tin crates\n"),
    ],
)
def test_a_small_table_is_read_row_by_row_under_its_first_row(suffix: str, data: str) -> None:
    read = read_bytes(data.encode(), suffix)

    assert read.text == "kind | day | note\npaper | Monday | tied, dry\nglass |  | in crates"
    assert [read.text[block.start : block.end] for block in read.blocks] == read.text.split("\n")[1:]
    for block in read.blocks:
        assert block.kind == "table_row" and block.lead_in is not None
        assert read.text[block.lead_in.start : block.lead_in.end] == "kind | day | note"


def test_a_table_that_holds_data_is_left_to_be_counted_and_says_how() -> None:
    with pytest.raises(Unreadable, match="more than 1,000 rows; given as data, it is counted"):
        read_bytes(b"n\n" + b"1\n" * MOST_ROWS, ".csv")
