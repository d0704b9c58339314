"""A written report as its question, or an outline, wishes it."""

from __future__ import annotations

from typing import Any

from fathom.composing.template import in_outline
from fathom.composing.wishes import as_wished
from fathom.preferences import Length, LengthUnit, ReportPreferences, ReportTemplate, TemplateSection
from fathom.written import EMPTY, WrittenBlock, WrittenReport, WrittenSection, unit_of, units_of
from tests.support.researched import Page, material, write_ask

PAGES = (Page("Borg costs 48 EUR.", title="Minutes"), Page("restic costs 71 EUR.", title="Prices of 2019"))
RESEARCH = material([page.finding(page.text) for page in PAGES], [page.document for page in PAGES])
SHEET = write_ask(RESEARCH).sheet


def section(heading: str, *texts: str, **block: Any) -> WrittenSection:
    fields = {"kind": "paragraph", "text": tuple(unit for text in texts for unit in units_of(text)), **block}
    return WrittenSection(heading=heading, blocks=(WrittenBlock(**fields),))


REPORT = WrittenReport(
    title="Backups",
    lead=units_of("Borg is cheaper [so 1, 2]. It is [1]."),
    sections=(
        section("Borg", "Borg costs 48 EUR [1]. It was chosen in 2024 [1]."),
        section("Tape drives", "They cost more [1]."),
        section("Points", kind="list", items=tuple((unit_of(f"Point {n} [1]."),) for n in range(5))),
        section(
            "Table",
            kind="table",
            columns=("", "a month"),
            rows=((unit_of("Borg"), unit_of("48 EUR [1]")), (unit_of("restic"), unit_of("71 EUR [2]"))),
        ),
    ),
    limits=((unit_of("Nothing is said of restic."),),),
)


def wished(*lengths: tuple[int, LengthUnit], **wishes: Any) -> WrittenReport:
    preferences = ReportPreferences(
        topic="Backups", lengths=tuple(Length(most=most, unit=unit) for most, unit in lengths), **wishes
    )
    return as_wished(REPORT, preferences, documents=RESEARCH.documents, sheet=SHEET)


def said(report: WrittenReport) -> list[str]:
    return [unit.text for _, unit in report.units() if unit.text]


def test_without_a_wish_a_report_stays_as_it_is() -> None:
    assert wished() == REPORT


def test_what_is_excluded_is_gone_by_its_words_its_heading_and_the_title_of_what_it_cites() -> None:
    without = wished(exclusions=("restic", "tape drives", "prices"))
    assert [each.heading for each in without.sections] == ["Borg", "Points", "Table"]
    assert without.lead == REPORT.lead[1:] and without.limits == (), "one of its sources is excluded"
    (table,) = without.sections[-1].blocks
    assert [[cell.text for cell in row] for row in table.rows] == [["Borg", "48 EUR"]], "a row goes with its name"


def test_a_column_of_what_is_excluded_is_empty() -> None:
    (table,) = wished(exclusions=("month",)).sections[-1].blocks
    assert [row[1] for row in table.rows] == [EMPTY, EMPTY]


def test_what_names_other_years_alone_is_gone() -> None:
    assert "It was chosen in 2024." not in said(wished(since="2025-01-01"))
    assert "It was chosen in 2024." in said(wished(since="2024-06-01"))


def test_a_report_has_no_more_points_and_rows_and_no_more_sentences_than_are_wished_for() -> None:
    pointed = wished((1, "items"))
    blocks = {each.heading: each.blocks[0] for each in pointed.sections}
    assert (len(blocks["Points"].items), len(blocks["Table"].rows), len(blocks["Borg"].text)) == (1, 1, 2)
    assert said(wished((3, "sentences"))) == ["Borg is cheaper.", "It is.", "Borg costs 48 EUR."]


# ── An outline ─────────────────────────────────────────────────────────────────────────────────────────────────────


def outlined(*headings: str, title: str = "") -> WrittenReport:
    sections = tuple(TemplateSection(heading=heading) for heading in headings)
    return in_outline(REPORT, ReportTemplate(title=title, sections=sections))


def test_a_report_has_the_headings_of_its_outline_in_that_order_and_no_others() -> None:
    made = outlined("TABLE", "Nothing", "borg", title="Ours")
    assert made.title == "Ours" and [each.heading for each in made.sections] == ["TABLE", "borg"]
    assert [len(each.blocks) for each in made.sections] == [1, 3], "what has another heading follows the one before it"
    assert (outlined("Borg").title, said(outlined("Borg", "Table"))) == ("Backups", said(REPORT))


def test_what_comes_before_the_first_heading_of_an_outline_is_put_under_it() -> None:
    assert [each.heading for each in outlined("Results", "More").sections] == ["Results"]
