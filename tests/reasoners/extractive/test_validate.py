"""Do the findings hold? What the rules of the validator see, and what they say of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.asks import ValidateFindings
from fathom.data.turns import SubQuestion
from fathom.evidence import Document
from fathom.findings import Check, Finding, Validation, ValidationIssue
from fathom.reasoners.extractive.validate import validate_findings
from tests.reasoners.extractive.material import a_document, a_finding, a_question

A, B, C, D = (a_document(name) for name in "abcd")
LOGS = a_question("How long does Orlin keep audit logs?")
QUERY = LOGS.question


def validated(
    findings: Sequence[Finding],
    *documents: Document,
    questions: Sequence[SubQuestion] = (LOGS,),
    query: str = QUERY,
    **more: Any,
) -> Validation:
    ask = ValidateFindings(
        query=query,
        language=more.pop("language", "en"),
        findings=tuple(findings),
        questions=tuple(questions),
        documents=documents,
        **more,
    )
    return validate_findings(ask)


def of(kind: Check, validation: Validation) -> list[ValidationIssue]:
    return [issue for issue in validation.issues if issue.type == kind]


KEPT = a_finding("Orlin keeps audit logs for 90 days.", A, B, C)


def test_what_several_sources_say_of_the_question_passes() -> None:
    validation = validated([KEPT], A, B, C)

    assert validation.status == "PASSED" and validation.issues == ()
    assert validation.confidence_scores == {"task_1": 1.0} and validation.overall_confidence == 1.0


def test_two_sources_that_cannot_both_be_right_are_a_grave_issue() -> None:
    other = a_finding("Orlin retains audit logs for 180 days.", D)

    validation = validated([KEPT, other], A, B, C, D)

    (issue,) = of("contradiction", validation)
    assert issue.severity == "high" and set(issue.findings) == {KEPT.id, other.id}
    assert "90 days" in issue.description and "180 days" in issue.description and issue.suggested_action
    assert validation.status == "NEEDS_REVISION" and validation.overall_confidence == pytest.approx(0.8)


def test_what_rests_on_fewer_than_three_sources_is_weak() -> None:
    three, two = (validated([a_finding(KEPT.claim, *documents)], A, B, C) for documents in ((A, B, C), (A, B)))

    assert of("evidence_strength", three) == []
    (issue,) = of("evidence_strength", two)
    assert (issue.severity, issue.question) == ("medium", "task_1")
    assert two.overall_confidence == pytest.approx(0.9)


def test_three_findings_of_one_source_each_are_weak_and_their_answer_is_not() -> None:
    findings = [a_finding(f"Orlin keeps audit logs {way}.", each) for way, each in zip("xyz", (A, B, C), strict=True)]

    validation = validated(findings, A, B, C)

    (issue,) = of("evidence_strength", validation)
    assert issue.severity == "low" and len(issue.findings) == 3
    assert validation.status == "PASSED" and validation.overall_confidence == 1.0


def test_pages_of_one_site_are_one_source() -> None:
    pages = [a_document(name, kind="web", site="orlin.example") for name in "pqr"]
    assert of("evidence_strength", validated([a_finding(KEPT.claim, *pages)], *pages))


def test_a_question_that_nothing_answers_is_told_with_its_words() -> None:
    backups = a_question("Where does Orlin store encrypted backups?", "task_2")

    validation = validated([KEPT], A, B, C, questions=(LOGS, backups))

    (issue,) = of("coverage", validation)
    assert (issue.severity, issue.question) == ("high", "task_2")
    assert backups.question in issue.description
    assert validation.confidence_scores == {"task_1": 1.0, "task_2": 0.0}
    assert validation.status == "NEEDS_REVISION" and validation.overall_confidence == 0.5


def test_a_question_that_is_answered_in_part_is_told_with_what_is_missing() -> None:
    asked = a_question("How long does Orlin keep audit logs, encrypted, compressed and indexed?")

    (issue,) = of("coverage", validated([KEPT], A, B, C, questions=[asked]))

    assert issue.severity == "medium"
    assert (
        "encrypted, compressed, indexed" in issue.description
        and "encrypted compressed indexed" in issue.suggested_action
    )


def test_a_comparison_is_covered_by_what_was_found_for_its_sides() -> None:
    one, other = a_finding("Orlin keeps audit logs.", A), a_finding("Merid keeps audit logs.", B, subtask="task_2")
    both = a_question("Orlin and Merid: audit logs", "task_3", depends_on=("task_1", "task_2"))

    assert of("coverage", validated([one, other], A, B, questions=[both], query="Orlin, Merid")) == []


def test_findings_of_a_child_cover_the_question_of_its_parent() -> None:
    child = a_finding(KEPT.claim, A, subtask="task_1.2")
    assert of("coverage", validated([child], A)) == []


def test_a_finding_that_shares_no_word_with_the_question_is_beside_the_point() -> None:
    stray = a_finding("Bananas ripen faster in paper bags.", D)

    validation = validated([KEPT, stray], A, B, C, D)

    (issue,) = of("relevance", validation)
    assert issue.findings == (stray.id,) and issue.severity == "medium"
    assert validation.overall_confidence == pytest.approx(0.75)


@pytest.mark.parametrize("findings", [[], [a_finding("Bananas ripen faster in paper bags.", D)]])
def test_without_any_finding_to_the_point_it_has_failed(findings: list[Finding]) -> None:
    validation = validated(findings, D)
    assert validation.status == "FAILED" and validation.overall_confidence == 0.0


def test_a_check_that_was_not_asked_for_finds_nothing() -> None:
    findings = [KEPT, a_finding("Orlin retains audit logs for 180 days.", D), a_finding("Bananas ripen.", D)]
    for check in ("contradiction", "coverage", "evidence_strength", "relevance"):
        validation = validated(findings, A, B, C, D, validation_checks=(check,))
        assert {issue.type for issue in validation.issues} <= {check}


# ── Data ───────────────────────────────────────────────────────────────────────────────────────────────────────────

TITLE = "Events: records by event_theme where country = India"
TABLE, LATER = (
    a_document(name, kind="dataset", uri="file:///events.parquet", title=TITLE) for name in ("table", "later")
)
PAGE = a_document("page", kind="dataset", uri="file:///events.parquet", title="Events: records")
THEMES = a_question("How are events distributed across themes?", "sq_1")


def a_row(document: Document, count: int) -> Finding:
    claim = f"AI is the largest group, with {count} records."
    return a_finding(claim, document, locator="event_theme = AI", quote=f"AI | {count}")


def test_a_count_of_all_records_is_strong_by_itself_and_answers_what_asks_for_a_distribution() -> None:
    validation = validated([a_row(TABLE, 50)], TABLE, questions=[THEMES], query="India events by theme")

    assert validation.issues == () and validation.status == "PASSED"
    assert validation.confidence_scores == {"sq_1": 1.0}


def test_the_same_row_with_other_figures_is_a_contradiction() -> None:
    findings = [a_row(TABLE, 50), a_row(LATER, 61)]

    (issue,) = of("contradiction", validated(findings, TABLE, LATER, questions=[THEMES], query="India events by theme"))

    assert set(issue.findings) == {finding.id for finding in findings}


def test_counts_of_other_records_are_no_contradiction() -> None:
    others = LATER.model_copy(update={"title": TITLE.replace("India", "Japan")})
    findings = [a_row(TABLE, 50), a_row(others, 61)]

    validation = validated(findings, TABLE, others, questions=[THEMES], query="India events by theme")

    assert of("contradiction", validation) == []


def test_each_record_is_a_source_of_its_own() -> None:
    def read(*ids: str) -> Validation:
        claim = "Events on quantum themes mention new hardware."
        evidence = [a_finding(claim, PAGE, locator=f"record {id}").evidence[0] for id in ids]
        finding = Finding(subtask_id="task_1", claim=claim, evidence=tuple(evidence))
        return validated([finding], PAGE, questions=[a_question("Which events mention hardware?", "sq_1")], query=claim)

    assert of("evidence_strength", read("EV1", "EV2"))
    assert not of("evidence_strength", read("EV1", "EV2", "EV3"))


def test_a_count_by_what_is_asked_for_is_to_the_point_in_another_language() -> None:
    finding = a_finding("最も多いのは AI で、50件ある。", TABLE, locator="event_theme = AI", quote="AI | 50")
    asked = "インドのイベントをテーマ別に"

    validation = validated([finding], TABLE, questions=[a_question(asked, "sq_1")], query=asked, language="ja")

    assert of("relevance", validation) == [] and validation.status == "NEEDS_REVISION"
    assert "インドに触れた" in of("coverage", validation)[0].description


@pytest.mark.parametrize("asked", ["How many records are there of each topic?", "テーマ別の件数は"])
def test_a_field_may_be_called_by_another_word(asked: str) -> None:
    validation = validated([a_row(TABLE, 50)], TABLE, questions=[a_question(asked, "sq_1")], query=asked)
    assert validation.confidence_scores == {"sq_1": 1.0}


# ── Japanese ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_japanese_findings_are_judged_and_told_in_japanese() -> None:
    asked = a_question("青葉沢大橋の全長と建設費用は")
    findings = [a_finding("青葉沢大橋の全長は420メートルである。", A), a_finding("バナナは袋の中で早く熟す。", B)]

    validation = validated(findings, A, B, questions=[asked], query=asked.question, language="ja")

    (coverage,) = of("coverage", validation)
    assert "建設費用" in coverage.description and "全長" not in coverage.description.replace(asked.question, "")
    assert of("relevance", validation)[0].findings == (findings[1].id,)
    assert of("evidence_strength", validation)[0].description.endswith("必要です）。")


def test_a_japanese_contradiction_is_found() -> None:
    one = a_finding("青葉沢大橋の全長は420メートルである。", A)
    other = a_finding("青葉沢大橋の全長は510メートルである。", B)

    validation = validated(
        [one, other], A, B, questions=[a_question("青葉沢大橋の全長は")], language="ja", query="大橋の全長"
    )

    assert of("contradiction", validation)


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)


@given(st.lists(st.tuples(TEXTS, st.sampled_from([A, B, TABLE, PAGE])), max_size=6), TEXTS, TEXTS)
def test_whatever_was_found_the_verdict_is_in_bounds(
    found: list[tuple[str, Document]], question: str, query: str
) -> None:
    findings = {finding.id: finding for finding in (a_finding(claim, document) for claim, document in found)}

    validation = validated(
        list(findings.values()), A, B, TABLE, PAGE, questions=[a_question(question, "sq_1")], query=query
    )

    assert set(validation.confidence_scores) == {"sq_1"} and 0 <= validation.confidence_scores["sq_1"] <= 1
    assert {id for issue in validation.issues for id in issue.findings} <= findings.keys()
