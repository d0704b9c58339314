"""The sheet of a report: what findings cite, and what is beside that, numbered once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.composing.sheet import MOST_ROWS, NEIGHBOUR, sheet_of
from fathom.data.snapshots import records_in
from fathom.evidence import text_digest
from fathom.findings import Finding
from fathom.sheet import Sheet, SheetSentence
from fathom.text.sentences import sentences
from tests.support.counted import counted
from tests.support.researched import Page, material

WORDS = st.sampled_from("The sea is deep and wide near buoys 3,682 metres".split())
SENTENCES = st.lists(WORDS, min_size=2, max_size=9).map(lambda words: f"{' '.join(words).capitalize()}.")
PARAGRAPHS = st.lists(st.lists(SENTENCES, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=4)
PAGES = st.lists(PARAGRAPHS.map("\n\n".join), min_size=1, max_size=3, unique=True)


def on_sheet(sheet: Sheet) -> list[tuple[int, SheetSentence]]:
    return [(number, sentence) for number, _, sentence in sheet]


@given(PAGES, st.data())
def test_every_cited_sentence_is_on_the_sheet_once_and_what_is_beside_it_is_whole(
    texts: list[str], data: st.DataObject
) -> None:
    pages = [Page(text, title=f"Page {at}") for at, text in enumerate(texts)]
    whole = {page.document.sha256: sentences(page.text) for page in pages}
    findings: list[Finding] = []
    for page in pages:
        places = whole[page.document.sha256]
        for start, end in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=4)):
            findings.append(page.finding(page.text[start:end], part=data.draw(st.integers(1, 2))))
    by_digest = {page.document.sha256: page.text for page in pages}

    sheet = sheet_of(material(findings, [page.document for page in pages]), by_digest)

    numbered = on_sheet(sheet)
    assert [number for number, _ in numbered] == [*sheet.numbers]
    spans = [sentence.evidence[0] for _, sentence in numbered]
    assert len({span.id for span in spans}) == len(spans)
    for span, (_, sentence) in zip(spans, numbered, strict=True):
        assert by_digest[span.document][span.start : span.end] == span.quote
        assert (span.start, span.end) in whole[span.document], "a whole sentence"
        paragraph = by_digest[span.document][: span.start].count("\n\n")
        near = [each for each in spans if each.document == span.document]
        cited = [each for each in near if any(each.id == own.id for f in findings for own in f.evidence)]
        assert sentence.findings or any(
            by_digest[each.document][: each.start].count("\n\n") == paragraph for each in cited
        ), "what is beside a cited sentence is of its paragraph"
    for document in sheet.documents:
        starts = [each.evidence[0].start for each in document.sentences]
        assert starts == sorted(starts)
    behind = {id for _, sentence in numbered for id in sentence.findings}
    assert behind == {finding.id for finding in findings}
    assert {span.id for finding in findings for span in finding.evidence} <= {span.id for span in spans}


TEXT = "It is old. It is deep. It is blue. It is salt.\n\nIt is far away."
PAGE = Page(TEXT, title="Sea")


def said(sheet: Sheet) -> list[tuple[str, bool]]:
    """What is on a sheet, and whether a finding cites it."""
    return [(sentence.text, bool(sentence.findings)) for _, sentence in on_sheet(sheet)]


@pytest.mark.parametrize(
    ("quote", "beside"),
    [
        ("It is deep.", ["It is old.", "It is deep.", "It is blue."]),
        ("It is salt.", ["It is blue.", "It is salt."]),
        ("It is far away.", ["It is far away."]),
    ],
)
def test_beside_a_cited_sentence_are_those_before_and_after_it_in_its_paragraph(quote: str, beside: list[str]) -> None:
    research = material([PAGE.finding(quote)], [PAGE.document])
    sheet = sheet_of(research, {PAGE.document.sha256: TEXT})
    assert said(sheet) == [(text, text == quote) for text in beside]
    assert said(sheet_of(research, {})) == said(sheet_of(research, {PAGE.document.sha256: TEXT}, neighbours=False))


def test_what_is_beside_is_short_and_no_part_of_what_is_cited() -> None:
    long = Page(f"It is {'so ' * NEIGHBOUR}old. It is deep. It is {'so ' * NEIGHBOUR}blue.")
    assert said(
        sheet_of(material([long.finding("It is deep.")], [long.document]), {long.document.sha256: long.text})
    ) == [("It is deep.", True)]
    both = [PAGE.finding("It is deep."), PAGE.finding("It is deep. It is blue.")]
    sheet = sheet_of(material(both, [PAGE.document]), {PAGE.document.sha256: TEXT})
    assert said(sheet) == [
        ("It is old.", False),
        ("It is deep.", True),
        ("It is deep. It is blue.", True),
        ("It is salt.", False),
    ]


def test_a_sentence_that_several_findings_cite_names_all_of_them() -> None:
    one, two = PAGE.finding("It is deep."), PAGE.finding("It is deep.", "It is salt.", part=2)
    sheet = sheet_of(material([one, two], [PAGE.document]), {})
    assert [sentence.findings for _, sentence in on_sheet(sheet)] == [(one.id, two.id), (two.id,)]


def test_documents_come_in_the_order_of_the_plan_and_markup_is_gone() -> None:
    other = Page("**Land** is `dry`.", title="Land", markup="markdown")
    findings = [other.finding(other.text, part=1), PAGE.finding("It is salt.", part=2)]
    sheet = sheet_of(material(findings, [PAGE.document, other.document]), {})
    assert [each.document.title for each in sheet.documents] == ["Land", "Sea"]
    assert said(sheet)[0] == ("Land is dry.", True)


def test_an_item_is_under_what_leads_its_list_in() -> None:
    page = Page("Two things follow:\n\n- It is dark.\n- It is cold.", markup="markdown")
    findings = [
        page.finding("It is dark.", lead="Two things follow:"),
        page.finding("It is cold.", lead="Two things follow:"),
    ]
    sheet = sheet_of(material(findings, [page.document]), {})
    assert [(each.text, each.lead) for _, each in on_sheet(sheet)] == [
        ("It is dark.", "Two things follow:"),
        ("It is cold.", "Two things follow:"),
    ]


def test_a_line_keeps_its_lead_though_another_finding_read_it_without() -> None:
    page = Page("Budget is set.\n\n3. backups\n\nrestore test ok", title="Ops")
    both = page.finding("Budget is set.", "restore test ok")
    led = page.finding("restore test ok", lead="3. backups", claim="The restore test was ok.")
    for findings in ([both, led], [led, both]):
        sheet = sheet_of(material(findings, [page.document]), {page.document.sha256: page.text})
        assert ("restore test ok", "3. backups") in [(each.text, each.lead) for _, each in on_sheet(sheet)]


# ── Data ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_counts_are_on_the_sheet_row_by_row_with_what_was_computed_from_them_last() -> None:
    table = counted({"AI": 50, "Cloud": 40})
    fact = table.finding("AI has 50 records, 25.0 % more than Cloud.", 0, 1, matched=True)
    sheet = sheet_of(material([fact], [], counts=[table]), {})
    assert [(each.text, each.lead, each.computed) for _, each in on_sheet(sheet)] == [
        ("matched records: 90", "", False),
        ("AI | 50", "event_theme | records", False),
        ("Cloud | 40", "event_theme | records", False),
        (fact.claim, "", True),
    ]
    for _, sentence in on_sheet(sheet):
        assert all(table.text[each.start : each.end] == each.quote for each in sentence.evidence)
    (last,) = [sentence for _, sentence in on_sheet(sheet) if sentence.computed]
    assert (last.evidence, last.findings) == (fact.evidence, (fact.id,))


def test_a_long_table_says_how_many_rows_are_not_on_the_sheet() -> None:
    table = counted({f"theme {at}": 1_000 - at for at in range(MOST_ROWS + 7)})
    sheet = sheet_of(material([table.finding("theme 0 has 1,000 records.", 0)], [], counts=[table]), {})
    assert sheet.documents[0].left_out == 7
    assert sum(bool(each.lead) for _, each in on_sheet(sheet)) == MOST_ROWS


RECORDS = "# 7\ncountry: India\nsummary: The keynote was about tides and what moves them, which took all morning.\n"


def test_what_a_record_says_is_under_its_short_fields() -> None:
    (record,) = records_in(RECORDS)
    place = record.fields["summary"]
    page = Page(RECORDS, title="events", kind="dataset")
    finding = page.finding(RECORDS[place.start : place.end])
    sheet = sheet_of(material([finding], [page.document]), {text_digest(RECORDS): RECORDS})
    assert [(each.lead, each.findings) for _, each in on_sheet(sheet)] == [("country: India", (finding.id,))]
