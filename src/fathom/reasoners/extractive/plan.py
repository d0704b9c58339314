"""Plans: which subtasks answer a question, by its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fathom.asks import PlanResearch
from fathom.evidence import Query
from fathom.languages.english.questions import without_form
from fathom.languages.exclusions import ASKS
from fathom.languages.readers import reader_of, titled
from fathom.plan import MasterPlan, Subtask
from fathom.reasoners.extractive.parts import PlannedPart, divide, heading_of, words_of
from fathom.reasoners.extractive.question import ReadQuestion, read_question
from fathom.text.analysis import terms
from fathom.text.characters import count_cjk
from fathom.text.reach import asks_for_others, speaks_of_own

LONG_QUESTION = 200
"""Characters from which a question counts as complex when it divides at all."""
_WORD = re.compile(r"[^\W\d_]+")
QUERIES = 5
"""Queries of a subtask that asks several things at once."""


def plan_research(ask: PlanResearch) -> MasterPlan:
    """One subtask for a simple question; else one for each thing that it asks. Datasets alone are planned by fields.

    Words are looked for as the sources write them, where these hold none of the question's.
    """
    plan = _planned(ask)
    spellings = {term: other for source in ask.sources for term, other in source.spellings.items()}
    if not spellings:
        return plan

    def respelt(query: Query) -> Query:
        text = _WORD.sub(lambda word: next(map(spellings.get, terms(word[0])), None) or word[0], query.text)
        return query.model_copy(update={"text": text})

    subtasks = (each.model_copy(update={"queries": tuple(map(respelt, each.queries))}) for each in plan.subtasks)
    return plan.model_copy(update={"subtasks": tuple(subtasks)})


def _with_remark(query: str, remark: str, *, language: str) -> str:
    """The question, and behind it what a remark on its plan asks; one that asks nothing says how to plan, which takes a
    model to understand.

    >>> _with_remark("How does it work?", "but what does it cost", language="en")
    'How does it work? what does it cost?'
    >>> _with_remark("How does it work?", "leave the history out", language="en")
    'How does it work?'
    """
    said = " ".join(remark.split())
    asked = [clause.text for clause in reader_of(said, language).clauses(said)[1]] if said else []
    is_japanese = count_cjk(said) and asked != [said]  # which has taken a request off
    asked = [each for each in asked if said.endswith(("?", "？")) or is_japanese or ASKS.match(each)]
    return " ".join((query, *(f"{each}{'？' if count_cjk(each) else '?'}" for each in asked)))


def _planned(ask: PlanResearch) -> MasterPlan:
    question = read_question(_with_remark(ask.query, ask.remark, language=ask.language), language=ask.language)
    if ask.sources and all(source.kind == "dataset" for source in ask.sources):
        return _of_data(ask, question)
    first = question.clauses[0]
    focus = heading_of(first) if len(question.clauses) == 1 else titled(first.topic) or first.heading
    whole = PlannedPart(description=question.text, words=question.text, focus=focus)
    criteria = _criteria(question)
    if ask.mode == "simple":
        return _simple(question, whole, "simple mode was asked for")
    texts = [passage.text for passage in ask.preview.passages]
    leaning = all(source.kind != "dataset" for source in ask.sources)
    strategy, parts = divide(question, texts=texts, limit=ask.max_questions, leaning=leaning)
    if ask.mode == "hierarchical":
        criteria.append("hierarchical mode was asked for")
    if len(parts) < 2 or not criteria:
        reason = "it asks one thing" if not criteria else f"{'; '.join(criteria)}; but nothing to divide it by"
        return _simple(question, whole, reason)
    return _divided(question, parts, strategy, "; ".join(criteria), " · ".join(part.focus for part in parts))


def _of_data(ask: PlanResearch, question: ReadQuestion) -> MasterPlan:
    """By what is asked of the fields, where that is several things."""
    from fathom.reasoners.extractive.data.asking import asked_of_data

    asked, reason = asked_of_data(ask)
    if asked:
        parts = [_of_fields(text, importance=0.8 if at else 1.0) for at, text in enumerate(asked)]
        return _divided(question, parts, "aspect", reason, "by what the fields of the data tell")
    whole = _of_fields(without_form(question.text) or ask.query)
    if len(question.clauses) == 1:
        whole = replace(whole, focus=heading_of(question.clauses[0]))
    return _simple(question, whole, reason)


def _of_fields(text: str, *, importance: float = 1.0) -> PlannedPart:
    """A question as it stands, under itself as a heading."""
    short = text.rstrip("。.?？ ")
    return PlannedPart(description=text, words=text, focus=short[:1].upper() + short[1:] or text, importance=importance)


def _divided(
    question: ReadQuestion, parts: Sequence[PlannedPart], strategy: str, reason: str, overall: str
) -> MasterPlan:
    """One subtask for each part."""
    subtasks = tuple(
        Subtask(
            subtask_id=f"task_{at + 1}",
            description=part.description,
            focus_area=part.focus,
            priority=at + 1,
            dependencies=tuple(f"task_{need + 1}" for need in part.needs),
            estimated_importance=part.importance,
            queries=(Query(text=part.words, context=question.text),),
        )
        for at, part in enumerate(parts)
    )
    return MasterPlan(
        is_complex=True,
        complexity_reasoning=reason,
        execution_mode="hierarchical",
        strategy=strategy,
        subtasks=subtasks,
        overall_strategy=f"{strategy}: {overall}",
    )


def _simple(question: ReadQuestion, whole: PlannedPart, reason: str) -> MasterPlan:
    """One subtask that asks all clauses at once."""
    texts = list(dict.fromkeys(map(words_of, question.clauses))) if len(question.clauses) > 1 else [question.text]
    texts = [*texts[: QUERIES - 1], *filter(None, [" ".join(texts[QUERIES - 1 :])])]  # so that none is lost
    subtask = Subtask(
        subtask_id="task_1",
        description=whole.description,
        focus_area=whole.focus,
        estimated_importance=1.0,
        queries=tuple(Query(text=text, context=question.text) for text in texts),
    )
    return MasterPlan(
        is_complex=False,
        complexity_reasoning=reason,
        subtasks=(subtask,),
        overall_strategy=whole.focus,
    )


def _criteria(question: ReadQuestion) -> list[str]:
    """What makes the question complex, in words."""
    clauses = question.clauses
    stressed = ", ".join(clause.text for clause in clauses if clause.stressed)
    spans = len(question.periods) > 1 or any(clause.periods for clause in clauses)
    told = {
        f"asks {len(clauses)} things": len(clauses) > 1,
        f"asks for {stressed} by name": stressed,
        "compares": question.compares,
        "names several things": any(len(clause.items) > 1 for clause in clauses),
        f"spans periods ({', '.join(question.periods)})": spans,
        f"wants a comprehensive answer ({question.thorough})": question.thorough,
        "needs internal and external knowledge": speaks_of_own(question.text) and asks_for_others(question.text),
        f"is longer than {LONG_QUESTION} characters": len(question.text) > LONG_QUESTION,
    }
    return [words for words, holds in told.items() if holds]
