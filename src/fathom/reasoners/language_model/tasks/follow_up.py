"""ResolveFollowUp: a question that follows others, in words that stand by themselves, as a model puts it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fathom.asks import ResolveFollowUp
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.words import line, shown_tokens
from fathom.thread import Exchange, StandingQuestion

LONGER = 600
"""Characters that a question may get longer by."""


class Resolved(Wire, title="ResolveFollowUp"):
    """The question, made whole."""

    question: str
    """What the user asks now, in one question that stands by itself."""


class ResolveFollowUpTask(Task[ResolveFollowUp, StandingQuestion]):
    """The questions so far and the one that follows them in, one that stands by itself out."""

    name = "resolve_follow_up"
    answer_tokens = 200
    prompt_tokens = 2_000

    def drafts(self, ask: ResolveFollowUp, *, room: int) -> Sequence[Draft[StandingQuestion]]:
        """The last exchanges that find room, oldest first."""
        room -= shown_tokens(ask.query) + shown_tokens(ask.topic)
        shown: list[Exchange] = []
        for each in reversed(ask.exchanges):
            room -= shown_tokens(each.question) + shown_tokens(each.answer)
            if room < 0 and shown:
                break
            shown.append(each)
        variables = {"exchanges": shown[::-1], "topic": ask.topic}
        return [Draft(variables, Resolved, partial(_question, ask), left_out=len(ask.exchanges) - len(shown))]


def _question(ask: ResolveFollowUp, wire: Resolved) -> Read[StandingQuestion]:
    question = line(plain(wire.question), len(ask.query) + LONGER)
    if not any(char.isalnum() for char in question):
        raise ValueError("`question` must hold the user's question")
    return Read(StandingQuestion(question=question))
