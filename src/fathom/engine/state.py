"""The states of the two graphs: ids, counts and statuses; every text is on the board, in the journal and the store."""

from __future__ import annotations

from typing import Literal, TypedDict

from fathom.plan import SubtaskStatus

Step = Literal["direct", "drill_down", "synthesize", "end"]


class State(TypedDict, total=False):
    """Of a run; what a checkpoint shows."""

    statuses: dict[str, SubtaskStatus]
    """By subtask id, in the order of the plan."""
    busy: bool
    """Whether research has anything under way or ahead."""
    reflections: int
    """Rounds of reflection so far."""
    again: bool
    """Whether another one is to follow."""
    partial: str | None
    """Why research is incomplete."""


class Branch(TypedDict, total=False):
    """Of one pass over a subtask; never checkpointed."""

    subtask: str
    """Its id."""
    path: str
    """Where in the run: `task_1`, or `task_1/f1` when reflection 1 researches it again."""
    searches: tuple[str, ...] | None
    """Queries that reflection suggests; `None` in the first pass."""
    round: int
    """Refinements so far in this pass."""
    next: Step
    """Where routing leads."""
