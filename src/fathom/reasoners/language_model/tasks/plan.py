"""PlanResearch: which parts answer the question, and what is searched for each.

Whatever a model answers, a plan stays within its limits: it is repaired where that is possible, and refused only where
nothing of it can be used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from typing import Annotated, Any

from pydantic import BeforeValidator

from fathom.asks import PlanResearch
from fathom.evidence import Query
from fathom.plan import MasterPlan, Perspective, Subtask
from fathom.prompts import STRATEGY_NAME
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.parts import FOCUS_LENGTH, Part, subtasks_of
from fathom.reasoners.language_model.tasks.sources import has_data, has_web, shown_sources
from fathom.reasoners.language_model.tasks.words import (
    TAG_TOKENS,
    fitting,
    line,
    lines,
    searches,
    shown_tokens,
)

PREVIEWED = 20
"""Headings of a preview that are shown."""
REMARK_LENGTH = 600
PERSPECTIVES = 7
SIMPLE_QUERIES = 5
"""Queries of a question that is not divided."""

NO_STRATEGY = "none"


class Planned(Wire, title="PlanResearch"):
    """How the question is answered."""

    reasoning: str = ""
    """What makes the question simple or complex, in a sentence."""
    is_complex: bool
    """Whether several parts must be researched."""
    strategy: Annotated[str, BeforeValidator(lambda value: value or NO_STRATEGY)] = NO_STRATEGY
    """The name of the strategy by which it is divided; none if it is not."""
    parts: list[Part]
    """One if it is simple, else one for each thing that must be found out; together they answer the question."""
    overall: str = ""
    """The plan in a sentence."""


class PlanResearchTask(Task[PlanResearch, MasterPlan]):
    """Asks for the parts of a question and their queries in one answer."""

    name = "plan_research"
    answer_tokens = 1_500
    prompt_tokens = 2_000

    def drafts(self, ask: PlanResearch, *, room: int) -> Sequence[Draft[MasterPlan]]:
        """The question and what the sources say of themselves."""
        remark, before = line(ask.remark, REMARK_LENGTH), lines((each.description for each in ask.before), most=10)
        perspectives = shown_perspectives(ask.perspectives, room=room // 2)
        of_experts = (text for each in perspectives for text in (each["name"], each["focus"], *each["questions"]))
        room -= sum(map(shown_tokens, (remark, *before, *of_experts)))
        variables = {
            "remark": remark,
            "before": before,
            "mode": ask.mode if ask.max_questions > 1 else "simple",
            "max_questions": ask.max_questions,
            "sources": shown_sources(ask.sources, room=room),
            "web": has_web(ask.sources),
            "data": has_data(ask.sources),
            "perspectives": perspectives,
            "headings": _previewed(ask, room=room // 4),
        }
        return [Draft(variables=variables, schema=Planned, read=partial(_plan, ask))]


def shown_perspectives(perspectives: Sequence[Perspective], *, room: int) -> list[dict[str, Any]]:
    """All perspectives, and the questions of each in turn as far as they fit."""
    shown: list[dict[str, Any]] = [
        {"name": line(each.name, FOCUS_LENGTH), "focus": line(each.focus, 2 * FOCUS_LENGTH), "questions": []}
        for each in perspectives[:PERSPECTIVES]
    ]
    room -= sum(TAG_TOKENS + shown_tokens(each["name"]) + shown_tokens(each["focus"]) for each in shown)
    asked = (lines(each.questions, most=3) for each in perspectives[:PERSPECTIVES])
    in_turn = [pair for turn in zip_longest(*asked) for pair in zip(shown, turn, strict=True) if pair[1]]
    fit = len(fitting([question for _, question in in_turn], room))
    for each, question in in_turn[:fit]:
        each["questions"].append(question)
    return shown


def _previewed(ask: PlanResearch, *, room: int) -> list[str]:
    """The headings under which a preview has found something, if there was one."""
    told = {heading for source in ask.sources for heading in source.headings}
    found = [passage.headings[-1] for passage in ask.preview.passages if passage.headings]
    return fitting(lines((heading for heading in found if heading not in told), most=PREVIEWED, length=80), room)


def _plan(ask: PlanResearch, wire: Planned) -> Read[MasterPlan]:
    divided = ask.mode == "hierarchical" or (ask.mode == "auto" and wire.is_complex)
    most = ask.max_questions if divided else SIMPLE_QUERIES
    subtasks, unknown = subtasks_of(wire.parts, query=ask.query, most=most)
    if not subtasks:
        raise ValueError("The plan has no part with a question: give at least one.")
    if ask.mode == "hierarchical" and len(subtasks) < 2 <= ask.max_questions:
        raise ValueError("The user wants the question divided: give at least two parts that ask different things.")
    reasoning, overall = line(wire.reasoning, 300), line(wire.overall, 300)
    is_named = wire.strategy != NO_STRATEGY and STRATEGY_NAME.fullmatch(wire.strategy)
    if not divided or len(subtasks) < 2:
        texts = searches((query.text for subtask in subtasks for query in subtask.queries), most=SIMPLE_QUERIES)
        only = Subtask(
            subtask_id="task_1",
            description=ask.query,
            focus_area=subtasks[0].focus_area,
            estimated_importance=1.0,
            queries=tuple(Query(text=text, context=ask.query) for text in texts or [ask.query]),
        )
        return Read(
            MasterPlan(is_complex=False, complexity_reasoning=reasoning, subtasks=(only,), overall_strategy=overall),
            unknown,
        )
    return Read(
        MasterPlan(
            is_complex=True,
            complexity_reasoning=reasoning,
            execution_mode="hierarchical",
            strategy=wire.strategy if is_named else "aspect",
            subtasks=subtasks,
            overall_strategy=overall,
        ),
        unknown,
    )
