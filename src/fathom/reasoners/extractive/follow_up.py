"""A question that follows others, in words that stand by themselves: what it leans on is put in by rule."""

from __future__ import annotations

from fathom.asks import ResolveFollowUp
from fathom.languages.english.forms import capitalised
from fathom.languages.leaning import made_whole
from fathom.languages.readers import under
from fathom.thread import StandingQuestion


def resolve(ask: ResolveFollowUp) -> StandingQuestion:
    """The question with what it leaves to those before it; one that needs nothing stays as it is."""
    text = " ".join(ask.query.split())
    if ask.topic:
        return StandingQuestion(question=under(" ".join(ask.topic.split()).rstrip(" .。"), text))
    before = [each.question for each in ask.exchanges]
    return StandingQuestion(question=capitalised(made_whole(text, before, language=ask.language)))
