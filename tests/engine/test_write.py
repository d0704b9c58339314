"""What a report may cite, whoever has outlined or written it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fathom.engine.steps.write import citing_only, each_once, only_given
from fathom.evidence import Evidence
from fathom.findings import Finding, Statement
from fathom.report import Outline, OutlineSection
from fathom.written import EMPTY, WrittenBlock, WrittenReport, WrittenSection, unit_of
from tests.support.researched import Page, material, write_ask


def finding(claim: str, subtask_id: str = "task_1") -> Finding:
    evidence = Evidence(document="0" * 64, start=0, end=len(claim), quote=claim)
    return Finding(subtask_id=subtask_id, claim=claim, evidence=(evidence,))


KNOWN = {found.id: found for found in (finding(f"Claim {number % 4}.", f"task_{number}") for number in range(1, 7))}
ids = st.lists(st.sampled_from([*KNOWN, "finding_invented"])).map(tuple)
sections = st.recursive(
    st.builds(OutlineSection, heading=st.just("h"), findings=ids),
    lambda below: st.builds(
        OutlineSection, heading=st.just("h"), findings=ids, sections=st.lists(below, max_size=2).map(tuple)
    ),
    max_leaves=4,
)
outlines = st.builds(
    Outline, title=st.just("t"), summary=ids, sections=st.lists(sections, max_size=3).map(tuple), conclusion=ids
)


def told(outline: Outline) -> list[str]:
    def below(section: OutlineSection) -> list[str]:
        return [*section.findings, *(id for child in section.sections for id in below(child))]

    return [*outline.summary, *(id for section in outline.sections for id in below(section)), *outline.conclusion]


@given(outlines)
def test_each_claim_is_told_by_one_finding_in_one_section_and_nothing_else_is(outline: Outline) -> None:
    clean = each_once(outline, KNOWN.values())
    for part in (
        {"summary": (), "conclusion": ()},
        {"sections": (), "conclusion": ()},
        {"sections": (), "summary": ()},
    ):
        ids = told(clean.model_copy(update=part))
        assert len(ids) == len(set(ids))
    ids = told(clean)
    assert len({KNOWN[id].claim for id in ids}) == len(set(ids))
    assert {KNOWN[id].claim for id in ids} == {KNOWN[id].claim for id in told(outline) if id in KNOWN}


def test_a_citation_of_what_is_not_on_the_sheet_is_dropped_and_what_says_nothing_is_left_out() -> None:
    page = Page("The sea is deep. Land is dry.")
    sheet = write_ask(material([page.finding("The sea is deep.")], [page.document]), [page]).sheet
    block = WrittenBlock(
        kind="table",
        text=(unit_of("It is so [1, 3], and so [2]."), EMPTY),
        columns=("a", "b"),
        rows=((unit_of("deep [1]"), EMPTY), (EMPTY, unit_of("dry [77]"))),
    )
    report = WrittenReport(lead=(EMPTY,), sections=(WrittenSection(heading="h", blocks=(block,)),))

    made = only_given(report, sheet)

    assert made.lead == ()
    (kept,) = made.sections[0].blocks
    assert [unit.said for unit in kept.text] == ["It is so [1], and so [2]."]
    assert [[cell.said for cell in row] for row in kept.rows] == [["deep [1]", ""], ["", "dry"]]


def test_a_citation_that_the_writer_of_a_section_was_not_given_is_dropped() -> None:
    sea, land = finding("The sea is deep."), finding("Land is dry.")
    said = (
        Statement(text="The sea is deep.", findings=(sea.id, land.id, "finding_invented")),
        Statement(text="Who knows?", findings=("finding_invented",)),
    )
    assert [statement.findings for statement in citing_only(said, (sea,))] == [(sea.id,), ()]
