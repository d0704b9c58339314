"""What a model writes, as units with what they cite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fathom.written import (
    EMPTY,
    Clause,
    Place,
    Unit,
    WrittenBlock,
    WrittenReport,
    WrittenSection,
    unit_of,
    units_of,
)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("It is deep [3].", [("It is deep.", (3,))]),
        ("It is deep. [3]", [("It is deep.", (3,))]),
        ("It is deep. [3].", [("It is deep.", (3,))]),
        ("It is deep![3]", [("It is deep!", (3,))]),
        ("90 days [46], then 180 [57, 58].", [("90 days", (46,)), (", then 180.", (57, 58))]),
        ("It is deep [3][4] [3].", [("It is deep.", (3, 4))]),
        ("It is deep [3], [4].", [("It is deep.", (3, 4))]),
        ("It is deep [6–8].", [("It is deep.", (6, 7, 8))]),
        ("It is deep [12-99].", [("It is deep.", (12, 99))]),
        ("It is deep [3;4、5].", [("It is deep.", (3, 4, 5))]),
        ("48 EUR [3]", [("48 EUR", (3,))]),
        ("Since [3] it is deep", [("Since", (3,)), (" it is deep", ())]),
        ("海は深い[3]。", [("海は深い。", (3,))]),
        ("海は深い。[3、4]", [("海は深い。", (3, 4))]),
        ("It is so [A], [3b] or [].", [("It is so [A], [3b] or [].", ())]),
        ("", [("", ())]),
    ],
)
def test_sentence_item_and_cell_are_read_alike(text: str, clauses: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(each.text, each.cites) for each in unit_of(text).clauses] == clauses


@pytest.mark.parametrize(
    "text",
    [
        "It pays [so 3, 7].",
        "It pays. [So: 3, 7]",
        "It is 48 EUR [3], so it pays [so 7].",
        "It pays [3, so 7].",
        "It pays [so 3, so: 7].",
    ],
)
def test_a_conclusion_says_so(text: str) -> None:
    unit = unit_of(text)
    assert (unit.is_conclusion, unit.cites) == (True, (3, 7))
    assert not unit_of("It is so [3, 7].").is_conclusion


@pytest.mark.parametrize(
    "text", [" " * 200_000 + "x", "a" * 200_000 + " b [1]", "." * 200_000 + "x [1]", "[1, so " * 40_000]
)
def test_what_a_model_repeats_without_end_is_read_all_the_same(text: str) -> None:
    assert "".join(unit.text for unit in units_of(text)) and unit_of(text).text


def test_a_text_is_read_sentence_by_sentence_wherever_its_marks_are() -> None:
    assert [unit.said for unit in units_of("It is old. [3, 7] It costs\n48 EUR [4]. Why?")] == [
        "It is old [3, 7].",
        "It costs 48 EUR [4].",
        "Why?",
    ]
    assert [unit.said for unit in units_of("深い。[3]浅い[so 4、5]。")] == ["深い [3]。", "浅い [so 4, 5]。"]


def test_a_bracket_that_is_no_mark_stays_in_the_text() -> None:
    unit = unit_of("argv[0] names it [3].", is_mark=lambda text: text != "argv[0]")
    assert (unit.text, unit.cites) == ("argv[0] names it.", (3,))


WORDS = st.sampled_from("the sea is deep, 48 EUR (mostly) a. 海 argv".split())
MARKS = st.sampled_from([" [3]", "[4, 17]", " [so 3, 7]", " [6–8]"])
SENTENCES = st.builds(
    lambda clauses, stop: "".join(f" {' '.join(words)}{mark}" for words, mark in clauses) + stop,
    st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=4), MARKS | st.just("")), min_size=1, max_size=4),
    st.sampled_from(["", ".", "!", "。"]),
)
ANY = st.text(st.sampled_from('ab .!?。[]so 3,7–-;、海\n:(*"') | st.characters(), max_size=60)


@given(SENTENCES)
def test_a_unit_said_and_read_again_is_the_same(text: str) -> None:
    unit = unit_of(text)
    again = unit_of(unit.said)
    assert (again.text, again.cites, again.is_conclusion) == (unit.text, unit.cites, unit.is_conclusion)
    assert again.said == unit.said


@given(ANY | SENTENCES)
def test_whatever_is_written_is_read_and_no_letter_is_lost(text: str) -> None:
    def letters(*texts: str) -> list[str]:
        return [char for each in texts for char in each if char.isalpha() and char.lower() not in "so"]

    assert letters(unit_of(text).said) == letters(*(unit.said for unit in units_of(text))) == letters(text)


def test_citations_of_what_is_not_given_can_be_left_out() -> None:
    assert unit_of("90 days [46], then 180 [57, 58].").citing_only({46, 58}).said == "90 days [46], then 180 [58]."


# ── A report ───────────────────────────────────────────────────────────────────────────────────────────────────────

UNITS = SENTENCES.map(unit_of)
SEVERAL = st.lists(UNITS, min_size=1, max_size=3).map(tuple)
ITEMS = st.lists(SEVERAL, min_size=1, max_size=3).map(tuple)
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.builds(
        WrittenBlock,
        kind=st.just("table"),
        text=SEVERAL,
        columns=st.just(("column",) * width),
        rows=st.lists(st.lists(UNITS, min_size=width, max_size=width).map(tuple), min_size=1, max_size=3).map(tuple),
    )
)
BLOCKS = (
    TABLES
    | st.builds(WrittenBlock, kind=st.just("paragraph"), text=SEVERAL)
    | st.builds(WrittenBlock, kind=st.sampled_from(["list", "steps"]), text=SEVERAL, items=ITEMS)
)
SECTIONS = st.builds(WrittenSection, heading=st.just("h"), blocks=st.lists(BLOCKS, min_size=1, max_size=3).map(tuple))
REPORTS = st.builds(
    WrittenReport,
    lead=SEVERAL,
    sections=st.lists(SECTIONS, max_size=3).map(tuple),
    disagreements=ITEMS,
    next_steps=ITEMS,
    limits=ITEMS,
)


@given(REPORTS)
def test_a_report_mapped_by_itself_is_itself_and_each_unit_has_a_place_of_its_own(report: WrittenReport) -> None:
    seen: list[tuple[Place, Unit]] = []

    def same(place: Place, unit: Unit) -> Unit:
        seen.append((place, unit))
        return unit

    assert report.mapped(same) == report
    assert sorted(seen) == sorted(report.units(), key=lambda each: each[0])
    assert len({place.id for place, _ in seen}) == len(seen)


TABLE = WrittenBlock(
    kind="table",
    columns=("", "a month", "restore"),
    rows=tuple(tuple(map(unit_of, row)) for row in (("Borg", "48 EUR [1]", "free [2]"), ("restic", "71 EUR [3]", ""))),
)
LIST = WrittenBlock(
    kind="list",
    text=(unit_of("Two things:"),),
    items=((unit_of("It is so [4]."),), (unit_of("And so [5]."),)),
)
REPORT = WrittenReport(sections=(WrittenSection(heading="h", blocks=(TABLE, LIST)),))


def test_a_cell_is_told_by_its_row_and_its_column() -> None:
    labels = {place.id: place.label for place, _ in REPORT.units() if place.label}
    assert labels == {
        "s1.1.r1c1": "row",
        "s1.1.r1c2": "Borg | a month",
        "s1.1.r1c3": "Borg | restore",
        "s1.1.r2c1": "row",
        "s1.1.r2c2": "restic | a month",
        "s1.1.r2c3": "restic | restore",
    }


def test_units_that_are_left_out_take_an_empty_row_list_or_section_with_them() -> None:
    def without(*ids: str) -> WrittenReport:
        return REPORT.mapped(lambda place, unit: None if place.id.startswith(ids) else unit)

    emptied = without("s1.1.r1c2").sections[0].blocks[0]
    assert [cell.text for cell in emptied.rows[0]] == ["Borg", "", "free"]
    assert len(without("s1.1.r2").sections[0].blocks[0].rows) == 1
    assert [block.kind for block in without("s1.2.i").sections[0].blocks] == ["table"], "a lead-in alone says nothing"
    assert without("s1.").sections == ()


def test_a_row_has_as_many_cells_as_there_are_columns_and_a_unit_a_clause() -> None:
    with pytest.raises(ValidationError, match="more or fewer cells"):
        WrittenBlock(kind="table", columns=("a",), rows=((EMPTY, EMPTY),))
    with pytest.raises(ValidationError):
        Unit(clauses=())
    assert Unit(clauses=(Clause(text=""),)) == EMPTY
