"""Judging all that was found before looking back: does it hold, and what is missing?"""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import partial

from fathom.asks import AnalyzeGaps, ValidateFindings
from fathom.data.turns import SubQuestion
from fathom.engine.context import Context
from fathom.engine.state import SubtaskRecord
from fathom.findings import GapAnalysis, Validation
from fathom.outcomes import both
from fathom.plan import Subtask


async def validate(
    context: Context, round: int, researched: Mapping[str, SubtaskRecord]
) -> tuple[Validation | None, GapAnalysis | None]:
    """Both judgements, asked side by side; what failed is `None`. The subtasks are the questions.

    Only as many reflections as `max_validations` allows are preceded by it.
    """
    state = context.state
    if round > context.run.limits.max_validations:
        return None, None
    research = state.research(partial=None)
    questions = tuple(_question(each.planned, researched) for each in researched.values())
    about = partial(context.about, findings=research.findings, questions=questions)
    validation, gaps = await both(
        context.try_ask(
            f"reflection/{round}/validate",
            about(ValidateFindings, documents=tuple(research.documents.values())),
            if_there_is_time=True,
        ),
        context.try_ask(
            f"reflection/{round}/gaps",
            about(
                AnalyzeGaps,
                results=tuple(research.results.values()),
                docs_processed=research.coverage.scanned,
                total_docs_available=research.coverage.total or None,
                new_findings=tuple(state.brought[stage] for stage in sorted(state.brought)),
            ),
            if_there_is_time=True,
        ),
    )
    said = state.look_back
    said.validation, said.gaps = validation or said.validation, gaps or said.gaps
    if validation or gaps:
        said.findings = {id: len(state.below(id)) for id in researched}
    return validation, gaps


def _question(subtask: Subtask, known: Container[str]) -> SubQuestion:
    return SubQuestion(
        id=subtask.subtask_id,
        question=subtask.description,
        priority=subtask.priority,
        depends_on=tuple(id for id in subtask.dependencies if id in known),
    )
