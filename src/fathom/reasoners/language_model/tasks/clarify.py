"""ClarifyQuestion: what a question leaves open, as a model sees it; what changes no plan is not asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fathom.asks import ClarifyQuestion
from fathom.clarification import MOST, MOST_CHOICES, Choice, OpenPoint, OpenPoints
from fathom.reasoners.extractive.clarify import best_documents, changing
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.sources import shown_sources
from fathom.reasoners.language_model.tasks.words import fitting, line, lines

FOUND = 12
"""Titles of what was found for the question that are shown."""
LABEL, POINT, LONGER = 80, 200, 300
"""Characters of a choice, of what is asked, and those that the question may get longer by."""


class Reading(Wire):
    """One of the things that may be meant."""

    label: str
    """Which, in a few words."""
    question: str
    """The whole question, as it reads then."""


class Point(Wire):
    """What is open."""

    question: str
    """What the user is asked, in a short sentence."""
    choices: list[Reading]
    """Two to four."""


class Clarifying(Wire, title="ClarifyQuestion"):
    """What the user is asked."""

    points: list[Point] = []
    """What matters most first; none if the question is clear."""


class ClarifyQuestionTask(Task[ClarifyQuestion, OpenPoints]):
    """A question and what the sources hold in, what it leaves open out."""

    name = "clarify_question"
    answer_tokens = 800
    prompt_tokens = 2_000

    def drafts(self, ask: ClarifyQuestion, *, room: int) -> Sequence[Draft[OpenPoints]]:
        """The question, and the titles nearest to it."""
        found = fitting(lines((each.title for each in best_documents(ask)), most=FOUND, length=100), room // 2)
        variables = {"most": MOST, "sources": shown_sources(ask.sources, room=room // 2), "found": found}
        return [Draft(variables, Clarifying, partial(_points, ask))]


def _points(ask: ClarifyQuestion, wire: Clarifying) -> Read[OpenPoints]:
    points, most = [], len(ask.query) + LONGER
    for point in wire.points:
        said = [(line(plain(each.label), LABEL), plain(each.question, [ask.query])) for each in point.choices]
        choices = {label: Choice(label=label, question=text) for label, text in said if label and 0 < len(text) <= most}
        asked = line(plain(point.question), POINT)
        if asked and choices:
            points.append(OpenPoint(question=asked, choices=tuple(choices.values())[:MOST_CHOICES]))
    return Read(OpenPoints(points=changing(ask, points)[:MOST]))
