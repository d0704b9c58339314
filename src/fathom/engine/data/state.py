"""The state of the graph of research on a dataset, and the same in numbers for the planner."""

from __future__ import annotations

from typing import Literal, TypedDict

from fathom.data.turns import Phase, ResearchState, SubQuestion
from fathom.engine.data.desk import Desk


class DataBranch(TypedDict, total=False):
    """Of one pass of research on a dataset; never checkpointed. What was found lies on the desk."""

    subtask: str
    """Its id."""
    dataset: str
    """Its name."""
    turn: int
    """Turns so far in this pass."""
    agents: tuple[str, ...]
    """Sub-agents that the turn runs."""
    tools: tuple[str, ...]
    """Tools that it calls beside them."""
    next: Literal["direct", "end"]
    """Where routing leads."""


def summary_of(desk: Desk) -> ResearchState:
    """How far the research is, in numbers: what the planner sees."""
    conditions, met = desk.in_force, desk.met
    matched = desk.matched.get(conditions)
    fetched = met.fetched[conditions]
    validation = desk.validation
    return ResearchState(
        turn=desk.turn + 1,
        max_turns=desk.context.run.limits.max_turns,
        phase=phase_of(desk),
        sub_questions=desk.sub_questions,
        perspectives=desk.perspectives,
        aggregations=len(desk.results),
        findings=desk.shelf.found,
        sources=met.different,
        total=desk.total,
        matched=matched,
        fetched=fetched,
        scanned=met.read[conditions],
        needs_full_scan=matched is not None and matched > fetched and desk.reading in ("none", "open"),
        promised_scan=desk.promised,
        max_records=desk.most_records,
        batches_without_news=desk.barren,
        confidence=validation.overall_confidence if validation else None,
        question_confidence=dict(validation.confidence_scores) if validation else {},
        validation=validation,
        gaps=desk.gaps,
        errors=desk.errors,
        done=tuple(desk.done),
    )


def phase_of(desk: Desk) -> Phase:
    """Where the research stands."""
    if desk.ended is not None or desk.synthesis is not None:
        return "complete"
    if desk.validation is not None or desk.gaps is not None:
        return "validating"
    return "scanning" if desk.scans else "exploring"


def questions_of(desk: Desk) -> tuple[SubQuestion, ...]:
    """What the data must answer: the sub-questions, or the question of the subtask as the only one."""
    return desk.state.sub_questions or (SubQuestion(id="sq_1", question=desk.subtask.description),)
