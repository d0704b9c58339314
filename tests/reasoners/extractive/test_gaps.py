"""What is missing, who would bring it, and is it worth going on?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from fathom.asks import AnalyzeGaps
from fathom.data.turns import SubQuestion
from fathom.findings import Finding, GapAnalysis
from fathom.reasoners.extractive.gaps import analyze_gaps
from tests.reasoners.extractive.material import a_count, a_document, a_finding, a_question

A, B = a_document("a"), a_document("b")
LOGS, BACKUPS = (
    a_question("How long does Orlin keep audit logs?"),
    a_question("Where are Orlin backups stored?", "task_2"),
)
KEPT = a_finding("Orlin keeps audit logs for 90 days.", A)
STORED = a_finding("Orlin backups are stored in Lund.", B, subtask="task_2")


def analyzed(
    findings: Sequence[Finding] = (), questions: Sequence[SubQuestion] = (LOGS, BACKUPS), **more: Any
) -> GapAnalysis:
    ask = AnalyzeGaps(
        query=more.pop("query", "Orlin logs and backups"),
        language=more.pop("language", "en"),
        findings=tuple(findings),
        questions=tuple(questions),
        **more,
    )
    return analyze_gaps(ask)


def test_it_is_enough_when_every_question_is_answered() -> None:
    analysis = analyzed([KEPT, STORED])

    assert analysis.recommendation == "SUFFICIENT_COVERAGE" and analysis.gaps == () and analysis.reasoning
    assert analysis.coverage_by_question == {"task_1": 1.0, "task_2": 1.0}


def test_research_goes_on_while_a_question_is_open() -> None:
    analysis = analyzed([KEPT], new_findings=(12, 5, 3))

    assert analysis.recommendation == "CONTINUE_RESEARCH"
    (gap,) = analysis.gaps
    assert (gap.question, gap.importance) == ("task_2", 1.0)
    assert gap.suggested_agent == "" and "backups" in gap.suggested_params["query"]


@pytest.mark.parametrize("brought", [(40, 1, 1, 0), (0, 0, 0)])
def test_it_is_not_worth_going_on_when_the_last_rounds_found_next_to_nothing(brought: tuple[int, ...]) -> None:
    assert analyzed([KEPT], new_findings=brought).recommendation == "DIMINISHING_RETURNS"


@pytest.mark.parametrize("brought", [(), (0, 0), (40, 0, 0, 3)])
def test_it_takes_three_barren_rounds_to_give_up(brought: tuple[int, ...]) -> None:
    assert analyzed([KEPT], new_findings=brought).recommendation == "CONTINUE_RESEARCH"


def test_what_is_answered_stays_so_however_little_the_last_rounds_found() -> None:
    assert analyzed([KEPT, STORED], new_findings=(9, 0, 0, 0)).recommendation == "SUFFICIENT_COVERAGE"


def test_a_search_holds_the_names_of_the_question_and_the_words_that_nothing_tells_of() -> None:
    asked = a_question("How does Orlin encrypt and compress audit logs?")

    (gap,) = analyzed([KEPT], [asked]).gaps

    assert gap.suggested_params == {"query": "Orlin encrypt compress"}
    assert "encrypt, compress" in gap.description


def test_the_more_important_question_comes_first() -> None:
    late = a_question("Where are Merid backups stored?", "task_4", priority=4)
    assert [gap.question for gap in analyzed([], [late, BACKUPS]).gaps] == ["task_2", "task_4"]


# ── Data ───────────────────────────────────────────────────────────────────────────────────────────────────────────

TABLE = a_document("table", kind="dataset", uri="file:///events.parquet", title="Events")
THEMES = a_question("How many events are there by theme?", "sq_1")
ROW = a_finding("AI leads with 50 records.", TABLE, locator="event_theme = AI", quote="AI | 50")


def test_counts_that_nobody_has_made_are_the_task_of_the_aggregator() -> None:
    (gap,) = [gap for gap in analyzed([], [THEMES]).gaps if gap.question]
    assert gap.suggested_agent == "aggregator" and gap.suggested_params["question"] == THEMES.question


def test_a_count_answers_what_asks_for_it() -> None:
    analysis = analyzed([ROW], [THEMES], results=[a_count(TABLE, "event_theme")], query="events by theme")
    assert analysis.recommendation == "SUFFICIENT_COVERAGE"


def test_records_that_nobody_has_read_are_the_task_of_the_scanner_and_else_what_there_is_can_only_be_checked() -> None:
    asked = a_question("What do speakers say about regulation?", "sq_2")
    counts = [a_count(TABLE, "event_theme")]

    (gap,) = analyzed([], [asked], results=counts, docs_processed=20, total_docs_available=165).gaps
    assert (gap.suggested_agent, gap.question) == ("scanner", "sq_2")
    assert "regulation" in gap.suggested_params["extraction_focus"]
    (gap,) = analyzed([], [asked], results=counts, docs_processed=165, total_docs_available=165).gaps
    assert gap.suggested_agent == "validator"


def test_gaps_are_told_in_japanese() -> None:
    asked = a_question("青葉沢大橋の全長と建設費用は")
    found = a_finding("青葉沢大橋の全長は420メートルである。", A)

    analysis = analyzed([found], [asked], language="ja", query=asked.question)

    (gap,) = analysis.gaps
    assert "建設費用" in gap.description and "建設費用" in gap.suggested_params["query"]
    assert analysis.recommendation == "CONTINUE_RESEARCH" and "1件" in analysis.reasoning
