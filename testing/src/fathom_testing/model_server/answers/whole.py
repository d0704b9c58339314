"""Looking at the whole: do findings hold, what is missing, who else would look, as the extractive reasoner says."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any, cast

from fathom.asks import AnalyzeGaps, GeneratePerspectives, Reflect, ValidateFindings
from fathom.data.turns import SubQuestion
from fathom.evidence import Evidence, Query
from fathom.findings import Check, Finding, GapAnalysis, Synthesis, Validation
from fathom.plan import Subtask
from fathom.reasoners.extractive.assess import reflect
from fathom.reasoners.extractive.gaps import analyze_gaps
from fathom.reasoners.extractive.perspectives import generate_perspectives
from fathom.reasoners.extractive.validate import validate_findings
from fathom.text.analysis import query_terms
from fathom.text.language import detect
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.plan import source_of
from fathom_testing.model_server.answers.read import finding_of
from fathom_testing.model_server.answers.tags import Tag, tags, text_of

_NUMBERED = re.compile(r"^\[(\d+)\] (.+)$", re.MULTILINE)
_CHECK = re.compile(r"^- (contradiction|coverage|evidence_strength|relevance):", re.MULTILINE)
_AGENTS = frozenset(("aggregator", "scanner", "extractor"))


def validation(prompt: Prompt) -> dict[str, Any]:
    """What its rules find wrong."""
    query = text_of(prompt.user, "question")
    numbered = {tag.id: _found(tag.text, tag.id, tag.attributes["rests_on"]) for tag in tags(prompt.user, "finding")}
    made = validate_findings(
        ValidateFindings(
            query=query,
            language=detect(query),
            findings=tuple(numbered.values()),
            questions=_questions(prompt),
            validation_checks=tuple(cast(list[Check], _CHECK.findall(prompt.system))),
        )
    )
    return _validated(made, {finding.id: number for number, finding in numbered.items()})


def _validated(made: Validation, numbers: Mapping[str, int]) -> dict[str, Any]:
    return {
        "issues": [
            {
                "type": issue.type,
                "description": issue.description,
                "severity": issue.severity,
                "action": issue.suggested_action,
                "concerns": [numbers[id] for id in issue.findings],
                "question": _number(issue.question),
            }
            for issue in made.issues
        ],
        "confidences": [
            {"question": _number(id), "confidence": confidence} for id, confidence in made.confidence_scores.items()
        ],
        "overall": made.overall_confidence,
        "status": made.status,
    }


def _found(claim: str, number: int, rests_on: str) -> Finding:
    """A finding on as many sources as it is said to rest on; a count rests on enough."""
    sources = int(found[0]) if (found := re.search(r"\d+", rests_on)) else 3
    base = finding_of(claim, number)
    spans = [
        Evidence(document=f"{number:032}{at:032}", start=0, end=len(claim), quote=claim)
        for at in range(max(1, sources))
    ]
    return base.model_copy(update={"evidence": tuple(spans)})


def _questions(prompt: Prompt) -> tuple[SubQuestion, ...]:
    """The questions under ids that are no subtasks': which finding belongs to which is not shown."""
    return tuple(
        SubQuestion(id=f"sq_{tag.attributes['number']}", question=tag.text, priority=int(tag.attributes["number"]))
        for tag in tags(prompt.user, "research_question")
    )


def _number(id: str) -> int:
    return int(id.removeprefix("sq_").removeprefix("task_") or 0)


def gaps(prompt: Prompt) -> dict[str, Any]:
    """What its rules find missing."""
    query = text_of(prompt.user, "question")
    progress = text_of(prompt.user, "progress")
    read = re.search(r"read: (\d+)(?: of (\d+))?", progress)
    new = re.search(r"last: ([\d, ]+)\.", progress)
    made = analyze_gaps(
        AnalyzeGaps(
            query=query,
            language=detect(query),
            findings=tuple(finding_of(tag.text, at) for at, tag in enumerate(tags(prompt.user, "finding"), start=1)),
            questions=_questions(prompt),
            docs_processed=int(read[1]) if read else 0,
            total_docs_available=int(read[2]) if read and read[2] else None,
            new_findings=tuple(map(int, new[1].split(", "))) if new else (),
        )
    )
    return {"reasoning": made.reasoning, **_analyzed(made)}


def _analyzed(made: GapAnalysis) -> dict[str, Any]:
    return {
        "coverage": [{"question": _number(id), "share": share} for id, share in made.coverage_by_question.items()],
        "gaps": [
            {
                "description": gap.description,
                "importance": gap.importance,
                "question": _number(gap.question),
                "agent": gap.suggested_agent if gap.suggested_agent in _AGENTS else "search",
                "ask_for": next(iter(gap.suggested_params.values()), ""),
            }
            for gap in made.gaps
        ],
        "recommendation": made.recommendation,
    }


def weak(prompt: Prompt) -> dict[str, Any]:
    """The parts without an answer, once more in fewer words; and, where that is asked, what its rules find wrong and
    missing in the sentences of all answers."""
    parts = tags(prompt.user, "part")
    query = text_of(prompt.user, "question")
    again = re.search(r"for the (\d+)th time", prompt.system)
    subtasks = tuple(map(_researched, parts))
    told = {subtask.subtask_id: _answered(part, subtask) for subtask, part in zip(subtasks, parts, strict=True)}
    numbers = {finding.id: number for found in told.values() for number, finding in found.items()}
    progress = text_of(prompt.user, "progress")
    read, *new = map(int, re.findall(r"\d+", progress) or ["0"])
    made = reflect(
        Reflect(
            query=query,
            language=detect(query),
            subtasks=subtasks,
            evaluations={},
            syntheses=tuple(
                Synthesis(subtask_id=id, text="told", findings=tuple(each.id for each in found.values()), confidence=1)
                for id, found in told.items()
                if found
            ),
            round=int(again[1]) if again else 1,
            findings=tuple(finding for found in told.values() for finding in found.values()),
            validates=bool(progress),
            docs_processed=read,
            new_findings=tuple(new),
        )
    )
    fewer = {each.subtask_id: " ".join(filter(query_terms, each.focus_area.split())) for each in subtasks}
    weak = [id for id in made.not_found if not again and len(made.not_found) < len(subtasks) and fewer[id]]
    answer = {
        "reasoning": made.reasoning,
        "weak": [{"part": _number(id), "queries": [fewer[id]]} for id in weak],
        "not_found": [_number(id) for id in made.not_found],
    }
    if not (made.validation and made.gaps):
        return answer
    return answer | _validated(made.validation, numbers) | _analyzed(made.gaps)


def _answered(part: Tag, subtask: Subtask) -> dict[int, Finding]:
    """The sentences of the answer to a part, as findings by their numbers."""
    lines = ((int(number), html.unescape(text)) for number, text in _NUMBERED.findall(part.inner))
    return {
        number: finding_of(text, number, source=str(number)).model_copy(update={"subtask_id": subtask.subtask_id})
        for number, text in lines
    }


def _researched(part: Tag) -> Subtask:
    asked = (tag.text for tag in tags(part.inner, "asked"))
    return Subtask(
        subtask_id=f"task_{part.attributes['number']}",
        description=part.text,
        focus_area=part.attributes["focus"],
        queries=tuple(Query(text=text) for text in asked if text),
    )


def perspectives(prompt: Prompt) -> dict[str, Any]:
    """The readers whose words the topic uses."""
    query = text_of(prompt.user, "question")
    (topic,) = tags(prompt.user, "topic")
    most = re.search(r"at most (\d+)", prompt.system)
    made = generate_perspectives(
        GeneratePerspectives(
            query=query,
            language=detect(query),
            topic=topic.text,
            domain=topic.attributes.get("domain", ""),
            num_perspectives=int(most[1]) if most else 3,
            sources=tuple(map(source_of, tags(prompt.user, "source"))),
        )
    )
    return {
        "reasoning": made.reasoning,
        "perspectives": [each.model_dump(mode="json") for each in made.perspectives],
    }


ANSWERS.update(
    {"ValidateFindings": validation, "AnalyzeGaps": gaps, "Reflect": weak, "GeneratePerspectives": perspectives}
)
