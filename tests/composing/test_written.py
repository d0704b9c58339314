"""A report that a model has written as it is set: claims, cells, disagreements, limits, and what became of findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from markdown_it import MarkdownIt

from fathom.composing.numbering import Numbering, SetText, Telling
from fathom.composing.report import finding_entries
from fathom.composing.sheet import sheet_of
from fathom.composing.written import WrittenText, trimmed, with_left_out
from fathom.render.markdown import blocks
from fathom.report import FindingEntry
from fathom.text.phrases import phrases
from fathom.text.typeset import CONCLUSION
from fathom.verification.quality import Quality
from fathom.verification.units import UnitJudge, lead_ins
from fathom.written import (
    EMPTY,
    Mistake,
    Unit,
    WrittenBlock,
    WrittenReport,
    WrittenSection,
    WrongUnit,
    unit_of,
    units_of,
)
from tests.support.researched import Page, material

OURS = Page("Borg costs 48 EUR a month. It was chosen in May 2024.", title="Minutes")
WEB = Page(
    "Borg costs 51 EUR a month. It is free to restore.\n\nIt was 48.",
    title="Prices",
    kind="web",
    published="2025-01-02",
)
"""Their sentences are 1 and 2, 3 to 5; no finding cites 2."""
FINDINGS = (
    OURS.finding("Borg costs 48 EUR a month."),
    WEB.finding("Borg costs 51 EUR a month.", part=2),
    WEB.finding("It is free to restore.", part=2),
    WEB.finding("It was 48.", part=2, claim="BORG costs 48 EUR  a month."),
)
RESEARCH = material(FINDINGS, [OURS.document, WEB.document])
SHEET = sheet_of(RESEARCH, {page.document.sha256: page.text for page in (OURS, WEB)})
WORDS = phrases("en")


def units(*texts: str) -> tuple[Unit, ...]:
    return tuple(unit for text in texts for unit in units_of(text))


def report(*blocks: WrittenBlock, **fields: Any) -> WrittenReport:
    sections = (WrittenSection(heading="Costs", blocks=blocks),) if blocks else ()
    return WrittenReport(sections=sections, **fields)


def paragraph(*texts: str) -> WrittenBlock:
    return WrittenBlock(kind="paragraph", text=units(*texts))


def set_as(written: WrittenReport, wrong: Mapping[str, Mistake] | None = None) -> tuple[SetText, Numbering]:
    """The report as it is set once every unit is compared; `wrong` is what a check found of some, without repairs."""
    judge = UnitJudge(SHEET, {each.id: each for each in FINDINGS}, {})
    leading = lead_ins(written)
    judged = {}
    for place, unit in written.units():
        if not unit.text:
            continue
        by_rule = judge.leading(place, unit, leading[place.id]) if place.id in leading else judge.judged(place, unit)
        kind = (wrong or {}).get(place.id)
        found = WrongUnit(id=place.id, kind=kind, why="so") if kind else None
        _, judged[place.id] = judge.settled(place, unit, by_rule, found, is_read=True)
    numbering = Numbering(Quality(RESEARCH.documents, findings=FINDINGS), {})
    return WrittenText(written, judged).set(numbering, WORDS), numbering


# ── Sections ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_lead_sections_and_next_steps_are_told_in_this_order_each_with_its_claims() -> None:
    body, numbering = set_as(
        report(
            paragraph("Borg costs 48 EUR a month [1]."),
            lead=units("Borg costs 48 to 51 EUR [so 1, 3]."),
            next_steps=(units("Take Borg [so 1].", "It is free to restore [4]."), units("Ask again [so 3].")),
        )
    )
    assert [(each.heading, each.role) for each in body.sections] == [
        (WORDS.summary, "summary"),
        ("Costs", "section"),
        (WORDS.next_steps, "conclusion"),
    ]
    assert [claim.text for claim in numbering.claims] == [
        "Borg costs 48 to 51 EUR.",
        "Borg costs 48 EUR a month.",
        "Take Borg.",
        "It is free to restore.",
        "Ask again.",
    ]
    assert [claim.citations for claim in numbering.claims] == [("S1", "S2"), ("S1",), ("S1",), ("S2",), ("S2",)]
    (steps,) = body.sections[-1].blocks
    assert (steps.kind, steps.items) == ("steps", (("C3", "C4"), ("C5",)))
    assert [claim.is_assessment for claim in numbering.claims] == [True, False, True, False, True]


def test_a_section_is_of_the_part_that_most_of_it_was_found_for() -> None:
    body, _ = set_as(report(paragraph("Borg costs 51 EUR [3].", "It is free to restore [4].", "It is so [1].")))
    assert body.sections[0].subtask_id == "task_2"


def test_a_sentence_beside_a_finding_is_cited_with_its_own_words() -> None:
    _, numbering = set_as(report(paragraph("It was chosen in May 2024 [2].")))
    (claim,) = numbering.claims
    assert [numbering.evidence[id].quote for id in numbering.evidence] == ["It was chosen in May 2024."]
    assert (claim.status, claim.citations) == ("quoted", ("S1",)) and not numbering.citing


@pytest.mark.parametrize(("kind", "set_kind"), [("list", "list"), ("steps", "steps")])
def test_a_list_has_what_leads_it_in_above_it(kind: Any, set_kind: str) -> None:
    items = (units("It is free to restore [4]. It is so [so 4]."), units("Borg costs 48 EUR a month [1]."))
    body, numbering = set_as(report(WrittenBlock(kind=kind, text=units("Two things follow:"), items=items)))
    lead, listed = body.sections[0].blocks
    assert (lead.kind, lead.items, listed.kind, listed.items) == (
        "paragraph",
        (("C1",),),
        set_kind,
        (("C2", "C3"), ("C4",)),
    )
    assert (numbering.claims[0].status, numbering.claims[0].citations) == ("supported", ())


TABLE = WrittenBlock(
    kind="table",
    columns=("", "a month", "restore"),
    rows=(
        (unit_of("Minutes"), unit_of("48 EUR [1]"), EMPTY),
        (unit_of("Prices"), unit_of("51 EUR [3]"), unit_of("free [4]")),
    ),
)


def test_a_cell_is_a_claim_with_its_row_and_column_and_the_name_of_a_row_is_none() -> None:
    body, numbering = set_as(report(TABLE))
    (table,) = body.sections[0].blocks
    assert (table.kind, table.columns) == ("table", TABLE.columns)
    assert [[(cell.text, cell.claim) for cell in row] for row in table.rows] == [
        [("Minutes", None), ("48 EUR", "C1"), ("", None)],
        [("Prices", None), ("51 EUR", "C2"), ("free", "C3")],
    ]
    assert [claim.lead_in for claim in numbering.claims] == [
        "Minutes | a month",
        "Prices | a month",
        "Prices | restore",
    ]


def test_a_cell_that_cites_nothing_is_told_of_where_it_was_found_wrong() -> None:
    rows = ((unit_of("Minutes"), unit_of("dear")), (unit_of("Prices"), unit_of("not said")))
    bare = WrittenBlock(kind="table", columns=("", "is"), rows=rows)
    body, numbering = set_as(report(bare), {"s1.1.r1c2": "not_said"})
    assert [[cell.claim for cell in row] for row in body.sections[0].blocks[0].rows] == [[None, "C1"], [None, None]]
    assert [claim.status for claim in numbering.claims] == ["unsupported"]


def test_equal_cells_are_all_told() -> None:
    rows = tuple((unit_of(name), unit_of("48 EUR [1]")) for name in ("one", "two"))
    _, numbering = set_as(report(WrittenBlock(kind="table", columns=("", "a month"), rows=rows)))
    assert [claim.text for claim in numbering.claims] == ["48 EUR", "48 EUR"]


# ── Disagreements and limits ───────────────────────────────────────────────────────────────────────────────────────


def test_a_disagreement_has_its_claims_and_a_side_for_each_document_that_it_cites() -> None:
    said = units("The minutes say 48 EUR [1].", "The newer page says 51 EUR [3].")
    body, numbering = set_as(report(disagreements=(said,)))
    (contradiction,) = body.contradictions
    assert [numbering.claims[int(id[1:]) - 1].text for id in contradiction.claims] == [unit.text for unit in said]
    assert [(side.finding, side.source_id, side.date) for side in contradiction.sides] == [
        (FINDINGS[0].id, "S1", ""),
        (FINDINGS[1].id, "S2", "2025-01-02"),
    ]
    assert contradiction.findings == (FINDINGS[0].id, FINDINGS[1].id)
    assert contradiction.description == "The minutes say 48 EUR. [S1] The newer page says 51 EUR. [S2]"


def test_a_disagreement_may_rest_on_what_no_finding_cites() -> None:
    body, _ = set_as(report(disagreements=(units("It was chosen in May 2024 [2]."),)))
    (contradiction,) = body.contradictions
    assert contradiction.sides == () and contradiction.description.endswith("[S1]")


def test_a_limit_that_cites_is_a_claim_and_one_that_was_found_wrong_is_left_out() -> None:
    limits = (
        units("The minutes are of 2024 [so 1, 3].", "Nothing is said of tapes."),
        units("Nothing is said of restoring."),
    )
    body, numbering = set_as(report(limits=limits), {"limit.2.1": "opposite"})
    assert body.limits == (f"The minutes are of 2024. [S1] [S2]{CONCLUSION} Nothing is said of tapes.",)
    assert [(claim.text, claim.citations) for claim in numbering.claims] == [("The minutes are of 2024.", ("S1", "S2"))]


# ── What became of findings ────────────────────────────────────────────────────────────────────────────────────────


def fates(written: WrittenReport) -> list[FindingEntry]:
    body, numbering = set_as(written)
    telling = Telling(RESEARCH, (), numbering, body.sections, (), (), (), "answered")
    return list(finding_entries(telling))


def test_a_finding_is_cited_or_merged_into_one_that_says_the_same_or_left_out() -> None:
    first, other, free, same = fates(report(paragraph("Borg costs 48 EUR a month [1].", "It is so [so 1].")))
    assert (first.fate, first.claims, first.why) == ("cited", ("C1", "C2"), "")
    assert (same.fate, same.claims) == ("merged", ("C1", "C2")) and same.why
    assert [(each.fate, each.claims) for each in (other, free)] == [("left_out", ())] * 2


def test_what_matters_and_no_unit_cites_is_added_in_a_section_of_its_own_each_claim_once() -> None:
    written = report(paragraph("Borg costs 48 EUR a month [1]."))
    added = with_left_out(written, FINDINGS[1:], SHEET, heading="Further", most=2)
    first, further = added.sections
    assert (first, further.heading) == (written.sections[0], "Further")
    items = [unit.said for item in further.blocks[0].items for unit in item]
    assert items == ["Borg costs 51 EUR a month [3].", "It is free to restore [4]."]
    every = with_left_out(added, FINDINGS, SHEET, heading="Further", most=9)
    assert [unit.cites for _, unit in every.units()][-1] == (5,) and len(every.sections) == 3
    assert with_left_out(every, FINDINGS, SHEET, heading="Further", most=9) == every


# ── Too long ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_report_that_is_too_long_loses_its_least_relevant_sentences_and_nothing_that_must_be_there() -> None:
    written = report(
        paragraph("One two three [1].", "Four five six [2].", "Seven eight nine [so 3].", "Ten [4]."),
        TABLE,
        lead=units("It is so [1]."),
    )
    points = {place.id: 2 for place, _ in written.units()} | {"s1.1.1": 9, "s1.1.4": 1}
    kept = trimmed(written, points, most=16, keep=8)
    assert [unit.text for unit in kept.sections[0].blocks[0].text] == ["One two three.", "Seven eight nine."]
    assert kept.lead == written.lead and kept.sections[0].blocks[1] == TABLE
    assert trimmed(written, points, most=19, keep=8).sections[0].blocks[0].text[1].text == "Four five six."
    assert trimmed(written, points, most=10_000, keep=8) == written


# ── Stretches ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_cites_one_thing_here_and_another_there_is_marked_where_it_does() -> None:
    said = "Borg costs 48 EUR [1], once 51 [3], so it is [so 1, 3]."
    same = "It costs 48 EUR [1], since May 2024 [2]."
    body, numbering = set_as(report(paragraph(said, same, "It was chosen in May 2024 [2].")))
    mixed, _, whole = numbering.claims
    assert [(each.text, each.citations, each.is_assessment) for each in mixed.clauses] == [
        ("Borg costs 48 EUR", ("S1",), False),
        (", once 51", ("S2",), False),
        (", so it is.", ("S1", "S2"), True),
    ]
    assert not whole.clauses and body.sections[0].claims == ("C1", "C2", "C3")
    claims = {each.id: each for each in numbering.claims}
    (line,) = blocks(body.sections[0].blocks, claims, WORDS)
    assert line == (
        f"Borg costs 48 EUR [S1], once 51 [S2], so it is. [S1] [S2]{CONCLUSION} It costs 48 EUR, since May 2024. [S1]"
        " It was chosen in May 2024. [S1]"
    )


def test_a_mark_stays_where_its_writer_has_put_it() -> None:
    body, numbering = set_as(report(paragraph("It was chosen in May 2024 [2]; why is open.", "It is dear [so 1, 3].")))
    mixed, plain = numbering.claims
    assert [(each.text, each.citations) for each in mixed.clauses] == [
        ("It was chosen in May 2024", ("S1",)),
        ("; why is open.", ()),
    ]
    assert plain.clauses == ()
    (line,) = blocks(body.sections[0].blocks, {each.id: each for each in numbering.claims}, WORDS)
    assert line == f"It was chosen in May 2024 [S1]; why is open. It is dear. [S1] [S2]{CONCLUSION}"


def test_a_bracket_behind_a_mark_is_no_address_of_a_link() -> None:
    body, numbering = set_as(report(paragraph("It costs 48 EUR [1](in May 2024 [2]) or 51 [3].")))
    (line,) = blocks(body.sections[0].blocks, {each.id: each for each in numbering.claims}, WORDS)
    assert "](" not in line and "48 EUR" in line and "(in May 2024" in line
    assert "<a " not in MarkdownIt("commonmark").render(f"{line}\n\n[S1]: <a.md>").replace('<a href="a.md">', "")
