"""How a session stands, or what has come of it: decided here once, for the page, the terminal and the API."""

from __future__ import annotations

from typing import Literal

from fathom.frozen import FrozenModel
from fathom.ports import RunRecord
from fathom.report import Verdicts
from fathom.text.plural import counted

Name = Literal[
    "planned", "queued", "running", "waiting", "declined", "failed", "partial", "nothing", "closest", "parts",
    "unsupported", "answered", "completed",
]  # fmt: skip
"""`closest`: nothing answers, some passages come close. `completed`: nobody has kept what came of its parts."""
Tone = Literal["open", "good", "amber", "bad"]

_TONES: dict[Name, Tone] = {
    **dict.fromkeys(("planned", "queued", "running", "waiting", "declined"), "open"),
    "failed": "bad",
    "answered": "good",
    "completed": "good",
}
_WORDS: dict[Name, str] = {
    "waiting": "waiting for you",
    "partial": "incomplete",
    "nothing": "no answer found",
    "closest": "no direct answer found",
}


class Outcome(FrozenModel):
    """How a session stands, for who tells it in a language of their own."""

    name: Name
    """Which case it is: the first that holds, in the order in which `outcome_of` asks."""
    tone: Tone
    """`open` as long as nothing has come of it, and when its person wanted it so; `amber` where a reader takes care."""
    count: int = 0
    """Parts that are answered (`parts`, `partial`), or sentences that are not supported (`unsupported`)."""
    of: int = 0
    """Parts of the question; 0 when nobody has kept what came of them."""

    @property
    def told(self) -> str:
        """In English, in a few words.

        >>> Outcome(name="parts", tone="amber", count=2, of=3).told
        '2 of 3 answered'
        """
        match self.name:
            case "parts":
                return f"{self.count} of {self.of} answered"
            case "unsupported":
                return f"{counted(self.count, 'sentence')} not supported"
            case name:
                return _WORDS.get(name, name)


def outcome_of(run: RunRecord) -> Outcome:
    """How it stands: what it waits for counts before how it has ended, and what it does not answer before what it
    answers without support."""
    count, of = run.outcomes.count("answered"), len(run.outcomes)
    weak = run.claims.unsupported + run.claims.contradicted if run.claims else 0
    name: Name
    if run.waiting_for:
        name = "waiting"
    elif run.status != "completed":
        name = "declined" if run.declined and run.status == "failed" else run.status
    elif run.claims == Verdicts() or (of and {*run.outcomes} == {"nothing"}):
        name = "nothing"
    elif count < of:
        name = "parts" if count else "closest"
    elif weak:
        name, count = "unsupported", weak
    else:
        name = "answered" if of else "completed"
    return Outcome(name=name, tone=_TONES.get(name, "amber"), count=count, of=of)
