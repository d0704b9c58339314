"""How a session stands, or what has come of it: decided here once, for the page, the terminal and the API."""

from __future__ import annotations

from typing import Literal

from fathom.frozen import FrozenModel
from fathom.ports import RunRecord
from fathom.text.plural import counted

State = Literal[
    "planned", "queued", "running", "waiting", "completed", "partial", "nothing", "failed", "declined", "cancelled"
]
Name = Literal[State, "answered", "parts", "closest", "unsupported", "disagreement"]


class Remark(FrozenModel):
    """One thing that is said of how a session stands, for who says it in a language of their own."""

    name: Name
    """What is said: `closest` where the report quotes the passages that come nearest, which no model has judged."""
    count: int = 0
    """Parts that are answered (`parts`), sentences that are not supported, or places at which sources disagree."""
    of: int = 0
    """All parts (`parts`)."""

    @property
    def told(self) -> str:
        """In English, in a few words.

        >>> Remark(name="parts", count=2, of=3).told, Remark(name="unsupported", count=1).told
        ('2 of 3 answered', '1 sentence not supported')
        """
        told = {
            "waiting": "waiting for you",
            "partial": "incomplete",
            "nothing": "no answer found",
            "closest": "passages found",
            "parts": f"{self.count} of {self.of} answered",
            "unsupported": f"{counted(self.count, 'sentence')} not supported",
            "disagreement": "sources disagree",
        }
        return told.get(self.name, self.name)


class Outcome(FrozenModel):
    """How a session stands."""

    state: State
    """In a word; `partial` also where a remark says what a reader takes care of."""
    remarks: tuple[Remark, ...]
    """What a list says of it, in this order."""

    @property
    def told(self) -> str:
        """In English, in a line."""
        return " · ".join(remark.told for remark in self.remarks)


def outcome_of(run: RunRecord) -> Outcome:
    """How it stands: what it waits for counts before how it has ended, and every doubt about its report is named."""
    state: State = "waiting" if run.waiting_for else "nothing" if run.standing == "nothing found" else run.status
    if state == "failed" and run.standing in ("declined", "cancelled"):
        state = run.standing  # type: ignore[assignment]
    if state not in ("completed", "partial"):
        return Outcome(state=state, remarks=(Remark(name=state),))
    tally, doubts = run.tally, list[Remark]()
    if tally and 0 < tally.answered < tally.parts:
        doubts.append(Remark(name="parts", count=tally.answered, of=tally.parts))
    if weak := run.claims.unsupported + run.claims.contradicted if run.claims else 0:
        doubts.append(Remark(name="unsupported", count=weak))
    if tally and tally.disagreements:
        doubts.append(Remark(name="disagreement", count=tally.disagreements))
    is_answered = tally and tally.answered == tally.parts and state == "completed"
    is_nearest = tally and not tally.answered and state == "completed"
    first: Name = "answered" if is_answered else "closest" if is_nearest else state
    told = () if first == "completed" and tally else (Remark(name=first),)
    return Outcome(state="partial" if doubts else state, remarks=(*told, *doubts))
