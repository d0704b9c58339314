"""Where the marks of what is cited are put."""

from __future__ import annotations

from typing import Any

import pytest

from fathom.report import Claim, TableCell
from fathom.text.marking import carriers, table_marks


def claim(cites: str, *, text: str = "x", **more: Any) -> Claim:
    """A claim named after the sources that it cites: `12` for S1 and S2."""
    fields = {"id": text, "text": text, "citations": [f"S{one}" for one in cites], "evidence": ()}
    return Claim.model_validate({**fields, "status": "supported", "verified": True, "confidence": 1.0, **more})


def sources(claim: Claim) -> tuple[str, ...]:
    return claim.citations


WEAK: dict[str, Any] = {"status": "partial", "verified": False}
CONCLUSION: dict[str, Any] = {"is_assessment": True}


@pytest.mark.parametrize(
    ("claims", "marked"),
    [
        ([], []),
        ([claim("1")], [True]),
        ([claim("1"), claim("1"), claim("1")], [False, False, True]),
        ([claim("1"), claim("2"), claim("2")], [True, False, True]),
        ([claim("12"), claim("21")], [False, True]),
        ([claim("1"), claim("12")], [True, True]),
        ([claim("1"), claim("1", **WEAK), claim("1")], [True, True, True]),
        ([claim("1"), claim("1", **CONCLUSION), claim("1", **CONCLUSION)], [True, True, True]),
    ],
)
def test_sentences_that_cite_the_same_are_marked_once_behind_the_last_one(
    claims: list[Claim], marked: list[bool]
) -> None:
    assert carriers(claims, sources) == marked


def table(*rows: str) -> tuple[list[str], list[str], str]:
    """What the columns, the rows and the cells of a table are marked with; of each row the cells cite what their words
    say; `-` is an empty cell, and `?` one with words and no claim."""
    claims = {
        f"{row}{at}": claim(cites.strip("."), text=f"{row}{at}")
        for row, line in zip("abcd", rows, strict=False)
        for at, cites in enumerate(line.split())
        if cites not in ("-", "?")
    }
    cells = [
        [
            TableCell(text="not said" if cites == "?" else "", claim=id if (id := f"{row}{at}") in claims else None)
            for at, cites in enumerate(line.split())
        ]
        for row, line in zip("abcd", rows, strict=False)
    ]
    marks = table_marks(cells, claims, sources)
    shown = [["".join(each.citations) if each else "" for each in places] for places in (marks.columns, marks.rows)]
    return shown[0], shown[1], " ".join(sorted(marks.cells))


def test_a_column_that_cites_one_thing_is_marked_in_its_head() -> None:
    assert table("- 1 2", "- 1 2", "- 1 3") == (["", "S1", ""], ["", "", ""], "a2 b2 c2")


def test_with_two_rows_or_two_sources_in_a_column_each_row_is_marked_once() -> None:
    assert table("- 1 1", "- 2 2") == (["", "", ""], ["S1", "S2"], "")
    assert table("- 12 12", "- 3 3", "- 1 3") == (["", "", ""], ["S1S2", "S3", ""], "c1 c2")


def test_a_cell_alone_keeps_its_mark() -> None:
    assert table("- 1 2", "- - 2", "- - 2") == (["", "", "S2"], ["", "", ""], "a1")


def test_a_cell_that_cites_nothing_takes_no_mark_from_the_others() -> None:
    assert table("- 1", "- .", "- 1") == (["", "S1"], ["", "", ""], "")


def test_a_column_or_a_row_in_which_a_cell_makes_no_claim_is_not_marked_as_a_whole() -> None:
    assert table("- 1", "- ?", "- 1") == (["", ""], ["", "", ""], "a1 c1")
    assert table("- 1 1 ?", "- 2 2 -") == (["", "", "", ""], ["", "S2"], "a1 a2")


def test_a_conclusion_that_ends_in_a_figure_is_no_number_of_degrees() -> None:
    claims = {text: claim("1", text=text, **CONCLUSION) for text in ("20", "about 30 years", "25")}
    rows = [[TableCell(text=text, claim=text)] for text in claims]

    assert table_marks(rows, claims, sources).cells == {"20", "25"}
