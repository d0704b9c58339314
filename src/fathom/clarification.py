"""What a question leaves open, how each answer would have it read, and what its person has answered."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from fathom.errors import UsageError
from fathom.frozen import FrozenModel
from fathom.languages.packs import pack_for
from fathom.text.harmless import inert

MOST = 3
"""Questions that a run may ask about its own."""
MOST_CHOICES = 4


class Choice(FrozenModel):
    """One of the things that a question may mean."""

    label: str = Field(min_length=1)
    """Which one, in a few words."""
    question: str = Field(min_length=1)
    """How the question reads when that is meant."""


class OpenPoint(FrozenModel):
    """Something that a question leaves open."""

    question: str = Field(min_length=1)
    """What is asked about it."""
    choices: tuple[Choice, ...] = Field(min_length=1, max_length=MOST_CHOICES)
    """What may be meant, the likeliest first. Left open, the question stays as it stands."""

    @property
    def told(self) -> str:
        """It and its choices on one line."""
        return f"{inert(self.question)} ({'; '.join(inert(each.label) for each in self.choices)})"

    def choice(self, said: str, query: str) -> Choice | None:
        """What an answer means to `query`: one of the choices, by its number or its words, or what else it says; `None`
        leaves it open.

        Raises:
            UsageError: it is the number of no choice.
        """
        said = inert(said)
        if said.isdecimal() and len(said) == 1:  # a year is no number of a choice
            if not 1 <= int(said) <= len(self.choices):
                raise UsageError(f"There is no choice {said}: they go from 1 to {len(self.choices)}.")
            return self.choices[int(said) - 1]
        same = (each for each in self.choices if inert(each.label).casefold() == said.casefold())
        return next(same, Choice(label=said, question=led_by(said, query)) if said else None)


class OpenPoints(FrozenModel):
    """All that a question leaves open, as far as the plan is another one by the answer."""

    points: tuple[OpenPoint, ...] = Field(default=(), max_length=MOST)
    """What weighs most first; none of a question that is clear."""


class Clarified(FrozenModel):
    """What a run has asked about its question, and what came of it."""

    question: str
    """The question as it was understood: that is planned and searched."""
    asked: tuple[str, ...]
    """What was asked, each with its choices."""
    answers: tuple[str, ...]
    """What was answered to each; empty where nothing was, so that the question was taken as it stands."""

    @property
    def open(self) -> tuple[str, ...]:
        """What was asked and not answered."""
        return tuple(asked for asked, answer in zip(self.asked, self.answers, strict=True) if not answer)


def led_by(words: str, question: str) -> str:
    """A question with what it is about before it, which every part of a plan takes along.

    >>> led_by("Fees 2026", "What does a family pay?"), led_by("規約", "会費はいくらですか")
    ('Fees 2026: What does a family pay?', '規約：会費はいくらですか')
    """
    return f"{words}{pack_for(words + question).says('clauses')['colon']}{question}"


def clarified(query: str, points: Sequence[OpenPoint], answers: Sequence[str]) -> Clarified:
    """A question with the answers to what it leaves open; those that are missing are empty.

    Raises:
        UsageError: an answer is the number of no choice.
    """
    said = [*answers, *[""] * len(points)]
    chosen = [point.choice(answer, query) for point, answer in zip(points, said, strict=False)]
    meant = [each for each in chosen if each]
    question = meant[0].question if len(meant) == 1 else query
    if meant[1:]:
        question = led_by("; ".join(each.label for each in meant), query)
    labels = tuple(inert(each.label) if each else "" for each in chosen)
    return Clarified(question=question, asked=tuple(each.told for each in points), answers=labels)
