"""RevisePlan: does what a finished part brought to light change the plan?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from fathom.asks import RevisePlan
from fathom.plan import PlanRevision
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.parts import Part, subtasks_of
from fathom.reasoners.language_model.tasks.reflect import contradictions_of
from fathom.reasoners.language_model.tasks.words import (
    Number,
    Share,
    fitting,
    line,
    picked,
    shown_tokens,
)

FINDINGS = 12
"""Findings that are shown, the most relevant ones."""
CLAIM_LENGTH = 300


class NewPriority(Wire):
    """A part's place in the order."""

    part: Number
    """Number of the part."""
    priority: int
    """Its new place, 1 first."""


class Revised(Wire, title="RevisePlan"):
    """What changes in the plan."""

    reasoning: str = ""
    """Why, in a sentence."""
    revise: bool
    """Whether anything changes; mostly not."""
    trigger: Literal["new_topic", "scope_adjustment", "contradiction", "importance_shift", "none"] = "none"
    """What the finished part has brought to light."""
    add: list[Part] = []
    """New parts; `after` names parts of the plan."""
    remove: list[Number] = []
    """Numbers of parts that are no longer needed."""
    priorities: list[NewPriority] = []
    """Parts whose place in the order changes."""
    impact: Share = 0.0
    """0 to 1: how much the report gains; at 0.7 or less nothing is changed."""


class RevisePlanTask(Task[RevisePlan, PlanRevision]):
    """Asks whether a finished part changes the plan."""

    name = "revise_plan"
    answer_tokens = 700
    prompt_tokens = 2_500

    def drafts(self, ask: RevisePlan, *, room: int) -> Sequence[Draft[PlanRevision]]:
        """The plan by numbers, and what the finished part amounts to."""
        numbered = dict(enumerate(ask.plan.subtasks, start=1))
        fixed = [*(subtask.description for subtask in numbered.values()), ask.synthesis.text]
        best = sorted(ask.findings, key=lambda finding: -finding.relevance)[:FINDINGS]
        claims = [line(finding.claim, CLAIM_LENGTH) for finding in best]
        opposed = contradictions_of([ask.synthesis], ask.findings)
        fixed += [claim for pair in opposed for claim in pair]
        shown = fitting(claims, room - sum(map(shown_tokens, fixed)))
        variables = {
            "parts": numbered,
            "finished": ask.finished,
            "synthesis": ask.synthesis.text,
            "findings": shown,
            "contradictions": opposed,
        }
        read = partial(_revision, ask.query, {number: subtask.subtask_id for number, subtask in numbered.items()})
        return [Draft(variables=variables, schema=Revised, read=read, left_out=len(ask.findings) - len(shown))]


def _revision(query: str, numbered: Mapping[int, str], wire: Revised) -> Read[PlanRevision]:
    reasoning = line(wire.reasoning, 300)
    if not wire.revise:
        return Read(PlanRevision(should_revise=False, revision_reasoning=reasoning))
    removed, unknown = picked(wire.remove, numbered)
    order, strange = picked((each.part for each in wire.priorities), numbered)
    places = {numbered[each.part]: max(1, each.priority) for each in wire.priorities if each.part in numbered}
    # ids behind those of the plan: the engine gives its own
    added, nowhere = subtasks_of(wire.add, query=query, most=3, known=numbered, first=len(numbered) + 1)
    return Read(
        PlanRevision(
            should_revise=True,
            revision_reasoning=reasoning,
            trigger_type=None if wire.trigger == "none" else wire.trigger,
            new_subtasks=added,
            removed_subtasks=tuple(removed),
            priority_changes={id: places[id] for id in order},
            estimated_impact=wire.impact,
        ),
        unknown + strange + nowhere,
    )
