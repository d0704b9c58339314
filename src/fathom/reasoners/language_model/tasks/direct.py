"""DirectDataset: which sub-agents and tools the next turn of research over a dataset runs.

A model writes flat calls under short numbers; `fathom.reasoners.language_model.tasks.turn` makes a turn of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from fathom.asks import DirectDataset
from fathom.data.turns import DatasetTurn, ResearchState, Synthesize
from fathom.findings import ResearchGap, ValidationIssue
from fathom.reasoners.language_model.task import Draft, Task
from fathom.reasoners.language_model.tasks.dataset import Room, shown_fields, shown_results, shown_tools
from fathom.reasoners.language_model.tasks.directed import Directed
from fathom.reasoners.language_model.tasks.turn import read_turn
from fathom.reasoners.language_model.tasks.words import line, lines, shown_tokens

STATE_TOKENS = 110
"""Of the state, in any case."""
SHORT, CLAIM_LENGTH = 160, 240
"""Characters of what is told in a line, and of a finding."""


class DirectDatasetTask(Task[DirectDataset, DatasetTurn]):
    """Asks what the next turn runs."""

    name = "direct_dataset"
    answer_tokens = 900
    prompt_tokens = 3_400

    def rule(self, ask: DirectDataset) -> DatasetTurn | None:
        """Where no tool may be called there is nothing to direct."""
        if ask.dataset.tools:
            return None
        return DatasetTurn(sub_agent_calls=(Synthesize(),), reasoning="The dataset has no tool that may be called.")

    def drafts(self, ask: DirectDataset, *, room: int) -> Sequence[Draft[DatasetTurn]]:
        """The tools, the state, what was counted and the fields; then, as there is room, what else is known."""
        dataset, state = ask.dataset, ask.state
        tools = dict(enumerate(dataset.tools, start=1))
        left = Room.of(room)
        left.left -= STATE_TOKENS + shown_tokens(ask.subtask.description)
        errors = left.take(lines(state.errors, most=4, length=SHORT), 0.1)
        done = left.take(lines(reversed(state.done), most=12, length=SHORT), 0.12)[::-1]
        shown = shown_tools(tools, left, 0.25)
        questions = _questions(state, left)
        fields = shown_fields(dataset, f"{ask.query} {ask.subtask.description}", left, 0.4)
        results = shown_results(ask.results, left, 0.4)
        gaps = left.take([_gap(gap) for gap in state.gaps.gaps[:4]] if state.gaps else (), 0.1)
        issues = left.take([_issue(issue) for issue in state.validation.issues[:4]] if state.validation else (), 0.1)
        perspectives = left.take([line(f"{each.name}: {each.focus}", SHORT) for each in state.perspectives], 0.08)
        claims = [line(finding.claim, CLAIM_LENGTH) for finding in ask.findings]
        findings = left.take(claims, 1.0)
        variables: dict[str, Any] = {
            "agents": [{"name": agent.name, "line": line(agent.line, 2 * SHORT)} for agent in ask.agents],
            "subtask": ask.subtask,
            "dataset": dataset,
            "tables": ", ".join(lines(dataset.tables, most=20, length=60)) if len(dataset.tables) > 1 else "",
            "fields": fields,
            "fields_left_out": len(dataset.fields) - len(fields),
            "tools": shown,
            "state": state,
            "sub_questions": questions,
            "perspectives": perspectives,
            "done": done,
            "errors": errors,
            "results": results,
            "issues": issues,
            "gaps": gaps,
            "findings": findings,
        }
        read = partial(read_turn, ask, tools)
        return [Draft(variables, Directed, read, left_out=len(claims) - len(findings))]


def _questions(state: ResearchState, room: Room) -> list[dict[str, str]]:
    """The sub-questions that fit, in their order, each with how sure its answer is."""
    told = [line(each.question, CLAIM_LENGTH) for each in state.sub_questions]
    kept = room.take(told, 0.15)
    sure = [state.question_confidence.get(each.id) for each in state.sub_questions]
    return [
        {"question": text, "confidence": "" if confidence is None else f"{confidence:.2f}"}
        for text, confidence in zip(kept, sure, strict=False)
    ]


def _gap(gap: ResearchGap) -> str:
    return line(f"{gap.suggested_agent}: {gap.description}" if gap.suggested_agent else gap.description, SHORT)


def _issue(issue: ValidationIssue) -> str:
    return line(f"{issue.type} ({issue.severity}): {issue.description}", SHORT)
