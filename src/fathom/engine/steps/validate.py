"""Judging all that was found before looking back: does it hold, and what is missing?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fathom.asks import AnalyzeGaps, ValidateFindings
from fathom.data.turns import SubQuestion
from fathom.engine.context import Context
from fathom.findings import GapAnalysis, Validation
from fathom.outcomes import both
from fathom.plan import Subtask


async def validate(
    context: Context, round: int, researched: Sequence[str]
) -> tuple[Validation | None, GapAnalysis | None]:
    """Both judgements, asked side by side, and put on the board; what failed is `None`. The subtasks are the questions.

    Only as many reflections as `max_validations` allows are preceded by it.
    """
    board = context.board
    if round > context.run.limits.max_validations:
        return None, None
    research = board.research(partial=None)
    questions = tuple(_question(board.subtasks[id], researched) for id in researched)
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
                new_findings=tuple(board.brought[stage] for stage in sorted(board.brought)),
            ),
            if_there_is_time=True,
        ),
    )
    board.validation = validation or board.validation
    board.gaps = gaps or board.gaps
    if validation or gaps:
        board.judged_with = {id: len(board.below(id)) for id in researched}
    return validation, gaps


def _question(subtask: Subtask, known: Sequence[str]) -> SubQuestion:
    return SubQuestion(
        id=subtask.subtask_id,
        question=subtask.description,
        priority=subtask.priority,
        depends_on=tuple(id for id in subtask.dependencies if id in known),
    )
