"""Parts of a question as a model names them, made into subtasks that form a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fathom.evidence import Query
from fathom.plan import Subtask
from fathom.reasoners.language_model.task import Wire
from fathom.reasoners.language_model.tasks.words import Number, Share, line, picked, searches
from fathom.text.analysis import terms
from fathom.text.numbers import numbers

PART_QUERIES = 4
"""Queries that a part may bring."""
QUESTION_LENGTH = 500
FOCUS_LENGTH = 80
REASON_LENGTH = 200


class Part(Wire):
    """One part of the question."""

    question: str
    """What it asks, in words that stand alone."""
    focus: str = ""
    """Its topic in two to six words: a heading."""
    reason: str = ""
    """Why it is a part: the words of the question that ask for it, or what makes it needed, in a few words."""
    importance: Share = 0.7
    """0 to 1; 1 if the user asks for it by name."""
    after: list[Number] = []
    """Numbers of the parts whose findings it needs to be researched at all; mostly none."""
    queries: list[str] = []
    """One to four searches: the words that matter, in the language of the sources."""


def subtasks_of(
    parts: Sequence[Part], *, query: str, most: int, known: Mapping[int, str] | None = None, first: int = 1
) -> tuple[tuple[Subtask, ...], int]:
    """At most `most` subtasks of `query`, numbered from `first`, and how many numbers of parts were never given.

    Parts that ask the same are one; a part without a question is none. `known` are parts that are there already, by
    number; with them, those are what `after` names. A dependency that would close a circle is dropped.
    """
    merged: dict[str, Part] = {}
    asking: dict[int, str] = {}
    for number, part in enumerate(parts, start=1):
        question = line(part.question, QUESTION_LENGTH)
        if not searches([question], most=1):
            continue  # no words, or an address and nothing else
        key = " ".join(terms(question)) or question.casefold()
        asking[number] = key
        before = merged.get(key, part.model_copy(update={"question": question, "after": [], "queries": []}))
        merged[key] = before.model_copy(
            update={
                "importance": max(before.importance, part.importance),
                "after": [*before.after, *part.after],
                "queries": [*before.queries, *part.queries],
            }
        )
    kept = list(merged)[:most]
    ids = {key: f"task_{number}" for number, key in enumerate(kept, start=first)}
    given = known or {number: ids[key] for number, key in asking.items() if key in ids}
    cut = 0 if known else sum(n in asking and asking[n] not in ids for key in kept for n in set(merged[key].after))
    needs: dict[str, list[str]] = {}
    invented = -cut  # a part that was cut is not invented
    for key in kept:
        needed, unknown = picked(merged[key].after, given)
        invented += unknown
        needs[ids[key]] = []
        for id in needed:
            if id != ids[key] and not _leads_to(id, ids[key], needs):
                needs[ids[key]].append(id)
    return tuple(
        _subtask(merged[key], ids[key], query=query, priority=at, needs=needs[ids[key]])
        for at, key in enumerate(kept, start=first)
    ), invented


def _focus(part: Part) -> str:
    """The topic of a part; nothing, if it names a number that the part does not ask about: it becomes a heading."""
    focus = line(part.focus, FOCUS_LENGTH)
    return "" if numbers(focus.casefold()) - numbers(part.question.casefold()) else focus


def _leads_to(start: str, goal: str, needs: Mapping[str, Sequence[str]]) -> bool:
    """Whether `start` depends on `goal`, by way of others perhaps."""
    return start == goal or any(_leads_to(id, goal, needs) for id in needs.get(start, ()))


def _subtask(part: Part, id: str, *, query: str, priority: int, needs: Sequence[str]) -> Subtask:
    texts = searches(part.queries, most=PART_QUERIES) or searches([part.question], most=1)
    return Subtask(
        subtask_id=id,
        description=part.question,
        focus_area=_focus(part),
        reason=line(part.reason, REASON_LENGTH),
        priority=priority,
        dependencies=tuple(dict.fromkeys(needs)),
        estimated_importance=part.importance,
        queries=tuple(Query(text=text, context=query) for text in texts),
    )
