"""What the steps of the loop hand on: ids and counts; every text is in the state of the run, in journal and store."""

from __future__ import annotations

from typing import Literal, TypedDict

Step = Literal["direct", "drill_down", "synthesize", "end"]
RECALL = -1
"""The round before the first one."""


class Branch(TypedDict, total=False):
    """One pass over a subtask; never checkpointed."""

    subtask: str
    """Its id."""
    look: int
    """Which look back researches it again; 0 in the first pass."""
    path: str
    """Where in the run: `task_1`, or `task_1/f1` in look back 1."""
    searches: tuple[str, ...] | None
    """Queries that reflection suggests; `None` in the first pass."""
    round: int
    """Refinements so far in this pass; `RECALL` while the thread is looked into, before the sources are asked."""
    next: Step
    """Where routing leads."""
