"""When research on a dataset ends: a pure function over what is known, tested for every combination.

A promise to read every record outweighs everything but a limit: neither confidence nor batches without news end it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from fathom.findings import CONFIDENT

MOST_BARREN = 3
"""Batches in a row that bring nothing new, after which more of them would bring no more."""
MOST_EMPTY = 2
"""Turns in a row in which the planner directs nothing that can be done."""

Cause = Literal[
    "stopped",
    "synthesized",
    "scanned",
    "max_records",
    "scan_blocked",
    "no_news",
    "confident",
    "max_turns",
    "nothing_directed",
    "no_planner",
]
Extent = Literal["none", "open", "complete", "capped", "blocked"]


class TurnProgress(NamedTuple):
    """What decides whether research goes on."""

    turn: int
    """Turns that were taken."""
    max_turns: int
    promised: bool = False
    """Whether the question needs every record."""
    scan: Extent = "none"
    """How far the reading of all that matches is: not begun, under way, done, ended by `max_records`, or impossible."""
    barren: int = 0
    """Batches in a row without news."""
    confidence: float | None = None
    """As the validator has it; `None` before it has run."""
    synthesized: bool = False
    """Whether the synthesizer has summed up."""
    empty: int = 0
    """Turns in a row in which nothing was done."""
    planner_failed: bool = False
    """Whether the planner gave no answer, so that only what needs none was done."""
    stopped: str = ""
    """Why the run as a whole has stopped; empty when it has not."""

    @property
    def owes_a_scan(self) -> bool:
        """Whether records that were promised are still to be read: nothing may end the research but a limit."""
        return self.promised and self.scan in ("none", "open")


class Ended(NamedTuple):
    """Why it ends."""

    cause: Cause
    reason: str
    """For a person."""


def ending(now: TurnProgress) -> Ended | None:
    """Why research on the dataset ends here; `None` when another turn follows."""
    if now.stopped:
        return Ended("stopped", f"the run has stopped: {now.stopped}")
    if now.synthesized and not now.owes_a_scan:
        return Ended("synthesized", "the findings are summed up")
    if now.promised and now.scan == "complete":
        return Ended("scanned", "every promised record was read")
    if now.scan == "capped":
        return Ended("max_records", "max_records is reached")
    if now.promised and now.scan == "blocked":
        return Ended("scan_blocked", "the promised records cannot all be had")
    if not now.promised and now.barren >= MOST_BARREN:
        return Ended("no_news", f"{MOST_BARREN} batches in a row brought nothing new")
    if not now.promised and now.confidence is not None and now.confidence >= CONFIDENT:
        return Ended("confident", f"the confidence is {now.confidence:.2f}")
    if now.planner_failed:
        return Ended("no_planner", "the planner failed")
    if now.turn >= now.max_turns:
        return Ended("max_turns", f"all {now.max_turns} turns are taken")
    if now.empty >= MOST_EMPTY:
        return Ended("nothing_directed", f"{MOST_EMPTY} turns in a row had nothing to do")
    return None
