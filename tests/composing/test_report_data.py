"""Counts in a report: their figures are checked, shown as tables, and traced to what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from markdown_it import MarkdownIt

from fathom.composing.figures import MOST, with_figures
from fathom.composing.numbering import Numbering, Written, judge
from fathom.composing.sections import sections_of
from fathom.evidence import Document, Evidence
from fathom.findings import Finding, Statement
from fathom.report import Claim, Figure, ReportSection, SourceEntry, TableCell, TextBlock
from fathom.text.phrases import phrases
from fathom.verification.quality import Quality
from tests.support.counted import Counted, counted
from tests.support.figures import naming, plain
from tests.support.hostile import HOSTILE

THEMES = counted({"AI": 50, "Cloud": 40, "Security": 30, "Data": 25, "Web": 20})
MONTHS = counted(
    {"2024-01": 4, "2024-02": 7, "2024-04": 2},
    fields=("date",),
    type="date_histogram",
    interval="month",
    title="events: date / month",
)
NOTES = Document(
    sha256="0" * 64, uri="file:///notes.md", title="Notes", kind="file", language="en", retrieved_at="2026-01-01"
)


def noted(text: str) -> Finding:
    span = Evidence(document=NOTES.sha256, start=0, end=len(text), quote=text)
    return Finding(subtask_id="task_1", claim=text, evidence=(span,), confidence=0.8)


def said(*findings: Finding, text: str = "", form: str = "paragraph") -> Statement:
    return Statement.model_validate(
        {"text": text or findings[0].claim, "findings": [finding.id for finding in findings], "form": form}
    )


@dataclass
class Told:
    """A report, as far as it is needed."""

    numbering: Numbering
    sections: tuple[ReportSection, ...]
    figures: tuple[Figure, ...]
    markdown: str

    @property
    def claims(self) -> list[Claim]:
        return self.numbering.claims


def section(*statements: Statement, subtask: str | None = "task_1", heading: str = "Themes") -> Written:
    return Written("section", heading, subtask, statements)


def told(
    *written: Written,
    findings: Iterable[Finding],
    tables: Iterable[Counted],
    language: str = "en",
    beside_tables: bool = False,
) -> Told:
    tables = list(tables)
    documents = {NOTES.sha256: NOTES, **{each.document.sha256: each.document for each in tables}}
    results = {each.document.sha256: each.result for each in tables}
    by_id = {finding.id: finding for finding in findings}
    numbering = Numbering(Quality(documents, findings=tuple(by_id.values())), results)
    sections = sections_of(judge(written, by_id, documents, results), numbering)
    sections, figures = with_figures(
        sections, numbering, phrases(language), language=language, beside_tables=beside_tables
    )
    numbered = {"claims": tuple(numbering.claims), "sources": tuple(numbering.sources.values()), "figures": figures}
    evidence = tuple(numbering.evidence.values())
    markdown = plain(*sections, language=language, title="Events", evidence=evidence, **numbered)
    return Told(numbering, sections, figures, markdown)


def of(table: Counted, claim: str, *rows: int, matched: bool = False, text: str = "") -> Told:
    finding = table.finding(claim, *rows, matched=matched)
    return told(section(said(finding, text=text)), findings=[finding], tables=[table])


# ── The check ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("AI has 50 records.", "supported"),
        ("AI has 50 records and Cloud has 40.", "unjudged"),
        ("AI has 40 records and Cloud has 50.", "unjudged"),
        ("AI makes up 30.3 % of the 165 records.", "unjudged"),
        ("AI makes up 31.3 % of the 165 records.", "unsupported"),
        ("AI and Cloud have 90 records together.", "unjudged"),
        ("AI and Cloud have 91 records together.", "unsupported"),
    ],
)
def test_what_was_worked_out_is_supported_and_a_figure_that_does_not_follow_is_not(sentence: str, status: str) -> None:
    (claim,) = of(THEMES, "AI has 50 records.", 0, 1, matched=True, text=sentence).claims
    assert (claim.status, claim.verified) == (status, status == "supported")


def test_a_wrong_share_is_marked_where_it_stands() -> None:
    report = of(THEMES, "AI has 50 records.", 0, matched=True, text="AI accounts for 31.3 % of the 165 records.")
    assert "AI accounts for 31.3 % of the 165 records. [S1] (not supported)" in report.markdown


def test_each_sentence_over_counts_is_judged_by_itself_and_a_finding_s_own_words_as_one() -> None:
    two = of(THEMES, "AI has 50 records.", 0, text="AI has 50 records. AI has 51 records.")
    assert [claim.status for claim in two.claims] == ["supported", "unsupported"]
    table = counted({"St. Ives. Bay": 50, "Cloud": 40})
    (one,) = of(table, "St. Ives. Bay has 50 records.", 0).claims
    assert one.text == "St. Ives. Bay has 50 records."


def test_a_sentence_may_rest_on_a_document_and_on_counts() -> None:
    counts, note = THEMES.finding("AI has 50 records.", 0), noted("The first conference about AI was held in Kyoto.")
    both = "AI has 50 records, and the first conference about AI was held in Kyoto."
    wrong = "AI has 50 records, and the first conference about AI was held in Osaka."
    report = told(
        section(said(counts, note, text=both), said(counts, note, text=wrong)), findings=[counts, note], tables=[THEMES]
    )
    assert [claim.status for claim in report.claims] == ["unjudged", "unjudged"]
    assert report.claims[0].citations == ("S1", "S2")


def test_what_records_say_is_compared_word_by_word() -> None:
    finding = noted("The keynote was about tides.")
    wrong = said(finding, text="The keynote was about 12 storms.")
    report = told(section(said(finding), wrong), findings=[finding], tables=[])
    assert [claim.status for claim in report.claims] == ["quoted", "unsupported"]


# ── Sources ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_dataset_is_one_origin_however_often_it_was_asked() -> None:
    themes, months = THEMES.finding("AI has 50 records.", 0), MONTHS.finding("2024-02 has 7 records.", 1)
    report = told(
        section(said(themes, months, text="AI has 50 records and 2024-02 has 7.")),
        findings=[themes, months],
        tables=[THEMES, MONTHS],
    )
    (claim,) = report.claims
    assert (claim.citations, claim.origins) == (("S1", "S2"), 1)
    assert not report.numbering.alone, "that is said of pages alone"


def test_a_source_tells_what_was_asked_of_whom_and_when() -> None:
    report = of(THEMES, "AI has 50 records.", 0)
    entry = next(iter(report.numbering.sources.values()))
    assert (entry.kind, entry.records) == ("dataset", 165)
    assert entry.query == THEMES.document.query and entry.query.startswith("analyze {")
    listed = next(line for line in report.markdown.splitlines() if line.startswith("- [S1]"))
    assert listed == (
        "- [S1] events: event_theme (country = India) "
        '`analyze {"filters": [{"field": "country", "op": "eq", "value": "India"}], "group_by": ["event_theme"]}`, '
        "records counted: 165, asked 2026-01-02"
    )


def entry(kind: str, **changed: object) -> SourceEntry:
    fields = {"id": "S1", "uri": "file:///x", "title": "X", "sha256": "0" * 64, "retrieved_at": "2026-01-02"}
    return SourceEntry.model_validate(fields | {"kind": kind} | changed)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_documents_data_and_pages_stand_apart(language: str) -> None:
    words = phrases(language)
    sources = (
        entry("web", uri="https://a.example", site="a.example"),
        entry("dataset", id="S2", uri="mcp:events", query="analyze {}"),
        entry("file", id="S3"),
    )
    lines = naming(*sources, language=language).splitlines()
    headings = [line.removeprefix("### ") for line in lines if line.startswith("### ")]
    assert headings == [words.your_documents, words.your_data, words.the_web]
    assert next(line for line in lines if line.startswith("- [S2]")).startswith("- [S2] X `analyze {}`")
    alone = naming(*sources[1:2], language=language)
    assert "### " not in alone


@pytest.mark.parametrize("text", [*HOSTILE, "`", "a`b``c", "x" * 500, "[S9]", "\x1b]0;owned\x07\u202e"])
def test_what_was_asked_of_a_dataset_is_inert(text: str) -> None:
    source = entry("dataset", uri=f"mcp:{text}", query=f"analyze {text}", title=text)
    markdown = naming(source)
    listed = markdown.partition("## Sources")[2].partition("\n\n---\n\n")[0]
    page = MarkdownIt("commonmark").enable(["strikethrough", "table"]).render(listed)
    assert set(re.findall(r"<(\w+)", page)) <= {"ul", "li", "code"}
    assert len(max(markdown.splitlines(), key=len)) < 1_300
    assert not re.search("[\x1b\u202e]", page)


# ── Figures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_figure_shows_the_numbers_of_the_snapshot() -> None:
    report = of(THEMES, "AI has 50 records.", 0)
    (figure,) = report.figures
    assert (figure.id, figure.kind, figure.source_id, figure.subtask_id) == ("F1", "bar", "S1", "task_1")
    assert figure.columns == ("event_theme", "records")
    assert dict(zip(figure.labels, figure.values, strict=True)) == {
        "AI": 50,
        "Cloud": 40,
        "Security": 30,
        "Data": 25,
        "Web": 20,
    }
    assert all(" | ".join(row) in THEMES.text for row in figure.rows)
    assert "| AI | 50 |\n| Cloud | 40 |" in report.markdown
    assert report.markdown.index("AI has 50 records. [S1]") < report.markdown.index("**F1** · events: event")


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (MONTHS, "line"),
        (counted({"AI": 3}), "table"),
        (counted({"2024-01": 4, "2024-02": 7}, fields=("date",), type="date_histogram"), "table"),
        (counted({"2024-01": 4, "2024-02": 7, "": 1}, fields=("date",), type="date_histogram"), "table"),
        (counted({("AI", "2024"): 3, ("AI", "2023"): 2}, fields=("theme", "year")), "bar"),
    ],
)
def test_a_picture_is_drawn_where_it_tells_something(table: Counted, kind: str) -> None:
    (figure,) = of(table, f"It has {table.result.aggregation.buckets[0].count} records.", 0).figures
    assert figure.kind == kind


def test_groups_of_several_fields_are_named_by_all_of_them() -> None:
    table = counted({("AI", "2024"): 3, ("", "2023"): 2}, fields=("theme", "year"))
    (figure,) = of(table, "AI has 3 records.", 0).figures
    assert figure.labels == ("AI / 2024", "(no value) / 2023")


def test_a_grouped_histogram_is_lines_unless_they_are_too_many() -> None:
    def histogram(groups: int) -> Counted:
        counts = {(f"g{group}", f"2024-0{month}"): 1 for group in range(groups) for month in (1, 2, 3)}
        return counted(counts, fields=("theme", "date"), type="date_histogram")

    kinds = [of(histogram(groups), "g0 has 1 record.", 0).figures[0].kind for groups in (8, 9)]
    assert kinds == ["line", "table"]


def test_a_figure_shows_the_measure_that_the_report_tells_of() -> None:
    measures = {"AI": {"mean": 12.5, "sum": 625.0}, "Cloud": {"mean": 7.25, "sum": 290.0}}
    table = counted({"AI": 50, "Cloud": 40}, statistics=measures)
    (mean,) = of(table, "The mean price of AI is 12.5.", 0).figures
    (total,) = of(table, "The prices of AI add up to 625.", 0).figures
    assert (mean.value_name, mean.values) == ("mean of price", (12.5, 7.25))
    assert (total.value_name, total.values) == ("sum of price", (625.0, 290.0))
    assert mean.columns == ("event_theme", "records", "mean of price")
    assert total.columns == ("event_theme", "records", "sum of price")


def test_a_measure_that_a_group_lacks_is_shown_as_a_table() -> None:
    table = counted({"AI": 50, "Cloud": 40}, statistics={"AI": {"mean": 12.5}, "Cloud": {}})
    (figure,) = of(table, "The mean price of AI is 12.5.", 0).figures
    assert (figure.kind, figure.values) == ("table", (50.0, 40.0))


@pytest.mark.parametrize(
    ("language", "note"),
    [("en", "… and 12 more groups with 1,150 records"), ("ja", "… ほか12グループ、1,150件")],
)
def test_a_long_table_is_cut_and_says_what_it_leaves_out(language: str, note: str) -> None:
    table = counted({f"theme {number}": 100 - number for number in range(25)}, distinct=32, other=760)
    finding = table.finding("theme 0 has 100 records.", 0)
    report = told(section(said(finding)), findings=[finding], tables=[table], language=language)
    assert note in report.markdown  # 78 + … + 76 of the rows, and 760 besides
    assert len([line for line in report.markdown.splitlines() if line.startswith("| theme")]) == 20
    assert len(report.figures[0].rows) == 25
    assert (report.figures[0].more_groups, report.figures[0].more_records) == (7, 760)


def test_figures_stand_with_their_subtask_and_are_numbered_in_the_order_of_the_report() -> None:
    themes = THEMES.finding("AI has 50 records.", 0, subtask="task_2")
    months = MONTHS.finding("2024-02 has 7 records.", 1, subtask="task_1")
    summary = Written("summary", "Summary", None, (said(themes), said(months)))
    report = told(
        summary,
        section(said(months, text="In 2024-02 there are 7 records."), subtask="task_1", heading="Months"),
        section(said(themes, text="There are 50 records of AI."), subtask="task_2"),
        findings=[themes, months],
        tables=[THEMES, MONTHS],
    )
    assert [(figure.id, figure.title) for figure in report.figures] == [
        ("F1", "events: date / month"),
        ("F2", "events: event_theme (country = India)"),
    ]
    assert [each.figures for each in report.sections] == [(), ("F1",), ("F2",)]


def test_a_figure_without_a_section_of_its_own_stands_where_it_is_cited() -> None:
    finding = THEMES.finding("AI has 50 records.", 0, subtask="task_1.2")
    summary = Written("summary", "Summary", None, (said(finding),))
    report = told(summary, findings=[finding], tables=[THEMES])
    assert report.sections[0].figures == ("F1",)


def test_the_same_counts_are_shown_once_and_there_are_not_too_many() -> None:
    again = counted({"AI": 50, "Cloud": 40, "Security": 30, "Data": 25, "Web": 20}, at="2026-01-02T04:00:00+00:00")
    others = [counted({"AI": number, "Cloud": 1}) for number in range(2, 12)]
    tables = [THEMES, again, *others]
    findings = [each.finding(f"AI has {each.result.aggregation.buckets[0].count} records.", 0) for each in tables]
    text = [said(finding, text=f"{at}: {finding.claim}") for at, finding in enumerate(findings)]
    report = told(section(*text), findings=findings, tables=tables)
    assert len(report.figures) == MOST
    assert [figure.source_id for figure in report.figures[:2]] == ["S1", "S2"]


def test_a_report_with_tables_of_its_own_has_few_figures_and_none_of_what_a_table_says_better() -> None:
    two_fields = counted({("AI", "2024"): 3, ("AI", "2023"): 2}, fields=("theme", "year"))
    tables = [two_fields, *(counted({"AI": number, "Cloud": 1}) for number in range(4, 9))]
    findings = [each.finding(f"AI has {each.result.aggregation.buckets[0].count} records.", 0) for each in tables]
    report = told(section(*map(said, findings)), findings=findings, tables=tables, beside_tables=True)
    assert [figure.source_id for figure in report.figures] == ["S2", "S3", "S4"]


def test_what_a_table_of_the_report_shows_by_a_field_is_no_figure_by_that_field_too() -> None:
    cities = counted({"Delhi": 3, "Pune": 2}, fields=("city",))
    mean = counted({"AI": 50, "Cloud": 41}, title="the same with measures")
    tables = [THEMES, mean, cities]
    names = ("AI has 50 records.", "AI has 50 of 91.", "Delhi has 3.")
    findings = [each.finding(name, 0) for each, name in zip(tables, names, strict=True)]
    report = told(section(*map(said, findings)), findings=findings, tables=tables, beside_tables=True)
    claim = next(each for each in report.claims if each.citations == ("S2",))
    table = TextBlock(kind="table", columns=("Theme",), rows=((TableCell(text="AI 50", claim=claim.id),),))
    composed = tuple(each.model_copy(update={"blocks": (table,)}) for each in report.sections)
    _, figures = with_figures(composed, report.numbering, phrases("en"), language="en", beside_tables=True)
    assert [figure.source_id for figure in figures] == ["S3"]


CELLS = [*HOSTILE, "a | b", "`a|b`", "\\| x", "[S9]", "|", "\\", "x" * 300, "\x1b[2J", "**F2** · x [S1]"]


@pytest.mark.parametrize("key", CELLS)
def test_a_cell_is_text_and_one_cell(key: str) -> None:
    table = counted({key: 50, "Cloud": 40}, fields=(key,), title=key)
    report = of(table, "It has 50 records.", 0)
    body = report.markdown.partition("## Themes")[2].partition("## Sources")[0]
    page = MarkdownIt("commonmark").enable(["strikethrough", "table"]).render(body)
    assert set(re.findall(r"<(\w+)", page)) <= {
        "p",
        "strong",
        "code",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert page.count("<td") == 4 and page.count("<th>") + page.count("<th ") == 2
    assert page.count("<strong>") == 1
    assert not re.search(r"(?<!`)\[S9\](?!`)", body) and "\x1b" not in body


def test_columns_that_count_are_named_in_the_language_of_the_report() -> None:
    table = counted({"人工知能": 50, "クラウド": 40}, fields=("records",))
    measured = counted({"AI": 2, "Cloud": 1}, statistics={"AI": {"mean": 1.5}, "Cloud": {"mean": 2.5}})
    findings = [table.finding("人工知能は50件です。", 0), measured.finding("AIの平均は1.5です。", 0)]
    report = told(section(*map(said, findings)), findings=findings, tables=[table, measured], language="ja").markdown
    assert "| records | 件数 |\n" in report
    assert "| event_theme | 件数 | priceの平均 |\n" in report


def test_a_long_histogram_counts_its_further_steps() -> None:
    months = {f"20{year}-{month:02}": 1 for year in (22, 23) for month in range(1, 13)}
    table = counted(months, fields=("date",), type="date_histogram", interval="month")
    assert "\n\n… and 4 more steps with 4 records\n" in of(table, "2022-01 has 1 record.", 0).markdown
