"""What a sub-agent is: a typed call in, a typed output out, and a line that the planner reads."""

from __future__ import annotations

from typing import Protocol, TypeVar

from fathom.data.turns import AgentName
from fathom.engine.data.desk import Bench
from fathom.noun import Noun

C = TypeVar("C", contravariant=True)
O = TypeVar("O", bound=Noun, covariant=True)  # noqa: E741 - output


class SubAgent(Protocol[C, O]):
    """Does one kind of work on a dataset. Without memory of its own: all that is known stands on the desk."""

    name: AgentName
    fetches: bool
    """Whether it calls tools."""
    reads: bool
    """Whether it reads records for findings: such agents work one after the other, so that each record is read once."""
    line: str
    """What it does, for the planner."""

    async def run(self, bench: Bench, call: C) -> O | None:
        """What the call comes to; `None` when it failed, which the bench then knows.

        Raises:
            LimitReached: the run has stopped.
        """
        ...
