"""What a thread knows: its questions with their answers, and what was read for them."""

from __future__ import annotations

from pydantic import Field

from fathom.evidence import Document
from fathom.findings import Finding
from fathom.frozen import FrozenModel

THREAD = "thread"
"""The name of what a thread has read, as a source."""


class Exchange(FrozenModel):
    """A question of a thread, and what came of it."""

    run_id: str
    """Its run."""
    asked: str
    """In the user's words."""
    question: str
    """In words that stand by themselves."""
    answer: str
    """The first sentences of its report; empty when it has none."""
    parts: tuple[str, ...]
    """The sub-questions of its plan."""


class Thread(FrozenModel):
    """The runs that a follow-up follows."""

    exchanges: tuple[Exchange, ...] = ()
    """Oldest first."""
    documents: tuple[Document, ...] = ()
    """What was read and cited and is kept with the runs, datasets apart, in the order of `sha256`."""
    topic: str = ""
    """The sentence of the last report that is to be researched further; empty when the whole is spoken of."""
    known: tuple[Finding, ...] = ()
    """What that report rests on, where more than that is wanted."""


class StandingQuestion(FrozenModel):
    """A follow-up made whole."""

    question: str = Field(min_length=1)
    """The question in words that stand by themselves."""
