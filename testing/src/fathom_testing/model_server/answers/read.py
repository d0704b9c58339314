"""Reading and judging: what the extractive reasoner would say of the sentences that are shown."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from fathom.asks import AssessDepth, ExtractFindings, PlanResearch, SynthesizeSubtask
from fathom.evidence import Evidence, Query
from fathom.findings import DepthEvaluation, Finding
from fathom.plan import Mode, Subtask
from fathom.reasoners.extractive.assess import assess_depth
from fathom.reasoners.extractive.extract import extract_findings
from fathom.reasoners.extractive.plan import plan_research
from fathom.reasoners.extractive.synthesize import synthesize
from fathom.text.language import detect
from fathom.verification.disagreement import disagreeing_sides
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.data import records
from fathom_testing.model_server.answers.pages import Pages
from fathom_testing.model_server.answers.tags import tags, text_of

_NUMBERED = re.compile(r"^\[(\d+)\] (.+)$", re.MULTILINE)
COMPARED = 40
"""Sentences that are held against each other."""
TOLD = 3
"""Sentences of an answer."""


def findings(prompt: Prompt) -> dict[str, Any]:
    """The sentences of the passages that answer best, word for word, and what that amounts to; of records no more than
    the lines."""
    if tags(prompt.user, "record"):
        return records(prompt)
    query, subtask = text_of(prompt.user, "question"), _subtask(prompt)
    most = re.search(r"at most (\d+)", prompt.system)
    pages = Pages(tags(prompt.user, "document"))
    known = _known(prompt)
    ask = ExtractFindings(
        query=query,
        language=detect(query),
        subtask=subtask,
        documents=pages.documents,
        passages=pages.passages,
        sources=(pages.described(f"{query} {subtask.description}"),),
        max_findings=int(most[1]) if most else 30,
    )
    told = extract_findings(ask).findings
    found = dict([each for passage in told for each in pages.sentences_of(passage)][: ask.max_findings])
    together = {**known, **found}
    numbers = {finding.id: number for number, finding in together.items()}
    amounts = synthesize(
        SynthesizeSubtask(query=query, language=ask.language, subtask=subtask, findings=tuple(together.values()))
    )
    apart = disagreeing_sides(together.values(), {}, most=COMPARED)
    may_deepen = "Name no areas" not in prompt.system
    evaluation = _judged(query, subtask, tuple(together.values()), may_deepen=may_deepen)
    best = max((finding.relevance for finding in found.values()), default=0.0) or 1.0
    return {
        "findings": [
            {
                "claim": "",
                "cites": [number],
                "confidence": 0.9 if finding.own >= 0.5 else finding.confidence,
                "relevance": round(10 * max(0.0, finding.relevance) / best, 1),
            }
            for number, finding in found.items()
        ],
        "contradictions": [
            {"between": [numbers[one.finding.id], numbers[other.finding.id]], "settle": ""} for one, other in apart
        ],
        "answer": [
            {"text": finding.claim, "cites": [number]}
            for number, finding in sorted(together.items(), key=lambda item: -item[1].relevance)[:TOLD]
        ],
        "caveats": list(amounts.caveats),
        "evaluation": _written(evaluation) | {"changes_plan": False, "open": _opened(prompt, evaluation)},
    }


def _opened(prompt: Prompt, evaluation: DepthEvaluation) -> list[int]:
    """The best place that was not read, as long as something is missing."""
    return [] if evaluation.is_sufficient or not any(tags(prompt.user, "unread")) else [1]


def _known(prompt: Prompt) -> dict[int, Finding]:
    shown = next(iter(tags(prompt.user, "known")), None)
    lines = _NUMBERED.findall(shown.inner) if shown else []
    return {int(number): finding_of(html.unescape(claim), int(number)) for number, claim in lines}


def finding_of(claim: str, number: int, *, source: str = "0") -> Finding:
    """What the prompt tells of a finding; its place and its worth it does not tell."""
    sha256 = source.rjust(64, "0")
    span = Evidence(document=sha256, start=number * 100_000, end=number * 100_000 + len(claim), quote=claim)
    return Finding(subtask_id="task_1", claim=claim, evidence=(span,), confidence=0.8, relevance=1 / (1 + number))


def _subtask(prompt: Prompt) -> Subtask:
    part = tags(prompt.user, "part")[0]
    return Subtask(
        subtask_id="task_1",
        description=part.text,
        estimated_importance=float(part.attributes["importance"]),
        queries=_queries(text_of(prompt.user, "question"), part.text),
    )


def _queries(query: str, part: str) -> tuple[Query, ...]:
    """Those that the part would have been planned with, if it is one that the words of the question give."""
    modes: tuple[Mode, ...] = ("auto", "simple")
    for mode in modes:
        ask = PlanResearch(query=query, language=detect(query), mode=mode, sources=(), max_questions=10)
        for subtask in plan_research(ask).subtasks:
            if subtask.description == part:
                return subtask.queries
    return ()


def _judged(query: str, subtask: Subtask, given: Sequence[Finding], *, may_deepen: bool) -> DepthEvaluation:
    evaluation = assess_depth(
        AssessDepth(query=query, language=detect(query), subtask=subtask, findings=tuple(given), max_depth=2)
    )
    return evaluation if may_deepen else evaluation.model_copy(update={"drill_down_areas": ()})


def _written(evaluation: DepthEvaluation) -> dict[str, Any]:
    return {
        "reasoning": evaluation.reasoning,
        "depth": evaluation.depth_quality,
        "sufficient": evaluation.is_sufficient,
        "missing": list(evaluation.missing),
        "areas": list(evaluation.drill_down_areas),
        "queries": list(evaluation.missing),
    }


def depth(prompt: Prompt) -> dict[str, Any]:
    """A verdict by the terms that the findings hold."""
    shown = tags(prompt.user, "finding")
    given = [finding_of(tag.text, number, source=tag.attributes["source"]) for number, tag in enumerate(shown, start=1)]
    may_deepen = "Name no areas" not in prompt.system
    return _written(_judged(text_of(prompt.user, "question"), _subtask(prompt), given, may_deepen=may_deepen))


ANSWERS.update({"ExtractFindings": findings, "AssessDepth": depth})
