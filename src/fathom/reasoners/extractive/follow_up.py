"""A question that follows others, in words that stand by themselves."""

from __future__ import annotations

from fathom.asks import ResolveFollowUp
from fathom.thread import StandingQuestion


def resolve(ask: ResolveFollowUp) -> StandingQuestion:
    """The question as it stands."""
    return StandingQuestion(question=ask.query)
