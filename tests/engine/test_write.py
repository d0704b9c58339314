"""What the outline and the writer may cite."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fathom.engine.steps.write import only_given, told_once
from fathom.evidence import Evidence
from fathom.findings import Finding, Statement
from fathom.report import Outline, OutlineSection, Section


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
    clean = told_once(outline, KNOWN.values())
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


def test_a_citation_that_the_writer_was_not_given_is_dropped_and_counted() -> None:
    sea, land = finding("The sea is deep."), finding("Land is dry.")
    section = Section(
        statements=(
            Statement(text="The sea is deep.", findings=(sea.id, land.id, "finding_invented")),
            Statement(text="Who knows?", findings=("finding_invented",)),
        )
    )

    statements, invented = only_given(section, (sea,))

    assert [statement.findings for statement in statements] == [(sea.id,), ()]
    assert invented == 3
