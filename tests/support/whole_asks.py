"""Shared by tests: `QUERY`, `PARTS`, `DEEP`, `FLAT`, `validate_ask`, `gaps_ask`, `look_ask`."""

from __future__ import annotations

from typing import Any

from fathom.asks import AnalyzeGaps, GeneratePerspectives, ValidateFindings
from fathom.data.turns import SubQuestion
from tests.contracts.dataset import a_document, a_finding

QUERY = "How deep is the sea, and why is it salt?"


PARTS = (
    SubQuestion(id="task_1", question="How deep is the sea?"),
    SubQuestion(id="task_2", question="Why is the sea salt?", priority=2),
)


DEEP = a_finding("The sea is 3,682 metres deep on average.")


FLAT = a_finding("The sea is 40 metres deep on average.", document="e", relevance=0.5)


def validate_ask(*findings: Any, **changes: Any) -> ValidateFindings:
    fields = {
        "query": QUERY,
        "language": "en",
        "findings": findings or (DEEP, FLAT),
        "questions": PARTS,
        "documents": (a_document("d"), a_document("e")),
    }
    return ValidateFindings(**{**fields, **changes})


def gaps_ask(**changes: Any) -> AnalyzeGaps:
    fields = {"query": QUERY, "language": "en", "findings": (DEEP,), "questions": PARTS, "docs_processed": 2}
    return AnalyzeGaps(**{**fields, **changes})


def look_ask(**changes: Any) -> GeneratePerspectives:
    return GeneratePerspectives(**{"query": QUERY, "language": "en", "topic": "the deep sea", **changes})
