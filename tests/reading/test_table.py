"""Small tables in files."""

from __future__ import annotations

import pytest

from fathom.errors import Unreadable
from fathom.reading.readers import read_bytes
from fathom.reading.table import MOST_ROWS
from tests.support.readers import lead_ins, shown


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


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Name|Region|Units\nWidget|EU|12\n", "Name | Region | Units\nWidget | EU | 12"),
        ("Name\tPrice, net\nRope\t1,5\n", "Name | Price, net\nRope | 1,5"),
        ("Name;Price, net, EUR;Pack, pcs\nRope;12,50;4\n", "Name | Price, net, EUR | Pack, pcs\nRope | 12,50 | 4"),
        ("Name;Price\nRope;1,50\nTau;2,75\n", "Name | Price\nRope | 1,50\nTau | 2,75"),
        ("Name,Note\nRope,new; long\nTau,old\n", "Name | Note\nRope | new; long\nTau | old"),
        ("sep=;\r\nName;Note\r\nRope;a,b\r\n", "Name | Note\nRope | a,b"),
        ('"sep=|"\nName|Note\nRope|a,b\n', "Name | Note\nRope | a,b"),
        ('Name, "Note, long", Day\nRope, "a, b", 3\n', "Name | Note, long | Day\nRope | a, b | 3"),
    ],
)
def test_what_parts_the_cells_is_what_all_rows_agree_on(data: str, text: str) -> None:
    assert read_bytes(data.encode(), ".csv").text == text


@pytest.mark.parametrize("above", ["Stock list\nas of 3 May\n\n", "Stock list,,\nas of 3 May,,\n,,\n"])
def test_what_is_above_a_table_does_not_lead_its_rows(above: str) -> None:
    read = read_bytes(f"{above}Item,Units,Place\nRope,12,Hall\nTau,7,Barn\n".encode(), ".csv")

    assert read.text == "Stock list\n\nas of 3 May\n\nItem | Units | Place\nRope | 12 | Hall\nTau | 7 | Barn"
    lead_in = read.blocks[-1].lead_in
    assert lead_in is not None and read.text[lead_in.start : lead_in.end] == "Item | Units | Place"


@pytest.mark.parametrize("after", ["", 'Pipe,"3"" wide",Hall\n', 'Note,"two\nlines",Barn\n'])
def test_a_quotation_mark_that_is_never_closed_costs_no_row(after: str) -> None:
    table = f'Item,Size,Place\nTube,5" wide,Barn\nHose,"7 wide,Shed\nRope,9,Attic\n{after}'
    rows = read_bytes(table.encode(), ".csv").text.split("\n")

    assert rows[1:4] == ['Tube | 5" wide | Barn', 'Hose | "7 wide | Shed', "Rope | 9 | Attic"]
    assert len(rows) == 4 + bool(after)


CLUBS = "No,Club,Child\n1,Chess,Amara\n2,Choir,Leo\n"
FEES = "Club,Leader,Fee\nChess,Mr Fenner,0.00\nCookery,Mrs Oduya,24.00\n"


@pytest.mark.parametrize("empty", ["\n", ",,\n", ",,\n\n , ,\n"])
def test_each_of_two_tables_one_below_the_other_is_led_by_its_own_head(empty: str) -> None:
    read = read_bytes(f"{CLUBS}{empty}Fees,,\n{FEES}{empty}Only the part entered so far.,,\n".encode(), ".csv")

    assert lead_ins(read) == {
        "1 | Chess | Amara": "No | Club | Child",
        "2 | Choir | Leo": "No | Club | Child",
        "Chess | Mr Fenner | 0.00": "Club | Leader | Fee",
        "Cookery | Mrs Oduya | 24.00": "Club | Leader | Fee",
    }
    notes = [text for kind, text in shown(read) if kind == "paragraph"]
    assert notes == ["Fees", "Only the part entered so far."]


def test_rows_behind_an_empty_one_that_name_no_columns_belong_to_the_table_above_it() -> None:
    read = read_bytes(f"{CLUBS}\n3,Choir,Ravi\n\n4,Chess,Isla\n".encode(), ".csv")

    assert set(lead_ins(read).values()) == {"No | Club | Child"} and len(read.blocks) == 4
