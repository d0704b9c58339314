"""What the extractive reasoner tells, where, and in which words."""

from __future__ import annotations

import pytest

from fathom.asks import (
    AllocateQueries,
    AssessDepth,
    OutlineReport,
    Reflect,
    SynthesizeSubtask,
    WriteSection,
)
from fathom.evidence import Evidence
from fathom.findings import DepthEvaluation, Finding, Statement, Synthesis
from fathom.plan import Subtask
from fathom.reasoners.extractive.allocate import allocate_queries
from fathom.reasoners.extractive.assess import assess_depth, reflect
from fathom.reasoners.extractive.outline import outline_report
from fathom.reasoners.extractive.synthesize import synthesize
from fathom.reasoners.extractive.write import write_section
from fathom.report import Outline, OutlineSection
from tests.support.reasoner_pages import CURRENTS, TIDES, described, extract, sentences

QUERY = "What causes tides and what drives an ocean current?"
SUBTASKS = (
    Subtask(subtask_id="task_1", description="What causes tides", focus_area="Tides"),
    Subtask(subtask_id="task_2", description="What drives an ocean current", focus_area="Ocean currents"),
)


def found(subtask: Subtask) -> tuple[Finding, ...]:
    ask = extract(QUERY, TIDES, CURRENTS)
    return sentences(ask.model_copy(update={"subtask": subtask}))


FINDINGS = (*found(SUBTASKS[0]), *found(SUBTASKS[1]))


def outline(findings: tuple[Finding, ...] = FINDINGS, *, max_words: int = 400) -> Outline:
    return outline_report(
        OutlineReport(
            query=QUERY,
            language="en",
            subtasks=SUBTASKS,
            syntheses=(),
            findings=findings,
            documents=(TIDES[0], CURRENTS[0]),
            max_words=max_words,
        )
    )


def told(sections: tuple[OutlineSection, ...]) -> list[str]:
    return [id for section in sections for id in (*section.findings, *told(section.sections))]


def statements(findings: tuple[Finding, ...]) -> list[Statement]:
    ask = WriteSection(
        query=QUERY,
        language="en",
        role="section",
        section=OutlineSection(heading="Tides", findings=tuple(finding.id for finding in findings)),
        findings=findings,
        documents=(TIDES[0], CURRENTS[0]),
    )
    return list(write_section(ask).statements)


def test_nothing_is_told_twice() -> None:
    made = outline()
    ids = [*made.summary, *told(made.sections), *made.conclusion]
    spans = {finding.id: finding.evidence[0].id for finding in FINDINGS}

    assert ids and len(ids) == len(set(ids))
    assert len({spans[id] for id in ids}) == len(ids)


def test_sections_follow_the_plan_and_carry_its_words() -> None:
    made = outline()
    assert [section.heading for section in made.sections] == ["Tides", "Ocean currents"]
    assert [section.subtask_id for section in made.sections] == ["task_1", "task_2"]


def test_what_answers_a_part_is_of_it() -> None:
    by_id = {finding.id: finding for finding in FINDINGS}
    first = {each.subtask_id: each.findings for each in outline().sections if each.role == "summary"}
    assert first and {id: {by_id[each].subtask_id for each in found} for id, found in first.items()} == {
        id: {id} for id in first
    }


def test_a_short_report_tells_less() -> None:
    long, short = outline(max_words=400), outline(max_words=50)
    assert len(told(short.sections)) + len(short.summary) < len(told(long.sections)) + len(long.summary)


def test_items_stand_under_their_lead_in_once() -> None:
    items = tuple(
        sorted((f for f in FINDINGS if f.lead_in and f.lead_in.quote.endswith(":")), key=lambda f: f.evidence[0].start)
    )
    items = tuple({finding.evidence[0].start: finding for finding in items}.values())

    assert [(s.form, s.text) for s in statements(tuple(items))] == [
        ("lead_in", "A spring tide needs the following:"),
        ("item", "the sun and the moon in line with the earth;"),
        ("item", "no storm that holds the water back."),
    ]


def test_a_term_stands_before_what_it_means() -> None:
    term = Evidence(document=TIDES[0].sha256, start=0, end=5, quote="Tides")
    meaning = FINDINGS[0].model_copy(update={"lead_in": term, "claim": "What the moon does to the sea."})
    assert [s.text for s in statements((meaning,))] == ["Tides: What the moon does to the sea."]


# ── Depth, plan, allocation ────────────────────────────────────────────────────────────────────────────────────────


def assessed(findings: tuple[Finding, ...], description: str = "What causes tides") -> DepthEvaluation:
    subtask = Subtask(subtask_id="task_1", description=description)
    return assess_depth(AssessDepth(query=QUERY, language="en", subtask=subtask, findings=findings, max_depth=3))


def test_no_finding_is_superficial_and_leads_nowhere() -> None:
    verdict = assessed(())
    assert (verdict.depth_quality, verdict.is_sufficient, verdict.drill_down_needed) == ("superficial", False, False)
    assert verdict.missing == ()


def test_findings_that_hold_the_terms_are_enough() -> None:
    verdict = assessed(found(SUBTASKS[0]))
    assert verdict.is_sufficient and verdict.depth_quality != "superficial"


def test_a_later_round_asks_for_what_is_missing_and_never_twice() -> None:
    subtask = Subtask(subtask_id="task_1", description="What causes tides")
    ask = AllocateQueries(
        query=QUERY,
        language="en",
        subtask=subtask,
        sources=(described(QUERY, [TIDES[1]]),),
        feedback=DepthEvaluation(is_sufficient=False, depth_quality="adequate", missing=("Kelvin waves", "tides")),
        asked=("Tides",),
        max_queries=4,
    )
    assert [query.text for query in allocate_queries(ask).allocations[0].queries] == ["Kelvin waves"]
    assert allocate_queries(ask.model_copy(update={"asked": ("tides", "Kelvin waves")})).allocations == ()


def test_a_source_without_documents_is_not_asked() -> None:
    empty = described(QUERY, []).model_copy(update={"documents": 0})
    ask = AllocateQueries(query=QUERY, language="en", subtask=SUBTASKS[0], sources=(empty,), max_queries=4)
    assert allocate_queries(ask).allocations == ()


def synthesis(subtask_id: str, confidence: float) -> Synthesis:
    return Synthesis(subtask_id=subtask_id, text="x", findings=("finding_1",), confidence=confidence)


@pytest.mark.parametrize(
    ("syntheses", "not_found"),
    [
        ((synthesis("task_1", 0.9), synthesis("task_2", 0.9)), ()),
        ((synthesis("task_1", 0.9),), ("task_2",)),
        ((), ("task_1", "task_2")),
        ((synthesis("task_1", 0.05),), ("task_2",)),
    ],
)
def test_what_has_no_findings_is_not_in_the_sources_and_not_asked_again(
    syntheses: tuple[Synthesis, ...], not_found: tuple[str, ...]
) -> None:
    ask = Reflect(query=QUERY, language="en", subtasks=SUBTASKS, evaluations={}, syntheses=syntheses)
    answer = reflect(ask)

    assert (answer.needs_improvement, answer.not_found) == (False, not_found)


def test_a_synthesis_quotes_its_best_findings() -> None:
    made = synthesize(SynthesizeSubtask(query=QUERY, language="en", subtask=SUBTASKS[0], findings=FINDINGS))
    best = max(FINDINGS, key=lambda finding: finding.relevance)
    assert made.text.startswith(best.claim) and made.findings[0] == best.id and made.confidence > 0.5
