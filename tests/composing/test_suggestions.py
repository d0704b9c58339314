"""What a report suggests to look for next."""

from __future__ import annotations

import pytest

from fathom.composing.limitations import suggestions
from fathom.composing.research import ReportMaterial
from fathom.evidence import Retrieval
from fathom.plan import MasterPlan, Subtask
from fathom.report import Coverage, Estimate, NotFoundEntry
from fathom.text.phrases import phrases

ALONE = Subtask(subtask_id="task_1", description="Where does the tower stand?")


@pytest.mark.parametrize(
    ("language", "what", "suggested"),
    [
        ("en", "The tower stands on a rock.", "Add documents about The tower stands on a rock."),
        ("ja", "塔は岩の上に立つ。", "塔は岩の上に立つに関する文書を追加してください。"),
    ],
)
def test_a_sentence_that_documents_are_wanted_about_ends_once(language: str, what: str, suggested: str) -> None:
    research = ReportMaterial(
        plan=MasterPlan(is_complex=False, subtasks=(ALONE,)),
        outcomes=(),
        documents={},
        sources=(),
        preview=Retrieval(),
        failures={},
        lacks=(),
        not_found=(),
        coverage=Coverage(),
        estimate=Estimate(),
        partial=None,
    )
    assert [*suggestions(research, (NotFoundEntry(what=what),), "run_1", phrases(language))] == [suggested]
