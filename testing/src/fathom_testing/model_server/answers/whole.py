"""Looking at the whole: do findings hold, what is missing, who else would look, as the extractive reasoner says."""

from __future__ import annotations

import re
from typing import Any, cast

from fathom.asks import AnalyzeGaps, GeneratePerspectives, ValidateFindings
from fathom.data.turns import SubQuestion
from fathom.evidence import Evidence
from fathom.findings import Check, Finding
from fathom.reasoners.extractive.gaps import analyze_gaps
from fathom.reasoners.extractive.perspectives import generate_perspectives
from fathom.reasoners.extractive.validate import validate_findings
from fathom.text.language import detect
from fathom_testing.model_server.answers import ANSWERS, Prompt
from fathom_testing.model_server.answers.plan import source_of
from fathom_testing.model_server.answers.read import finding_of
from fathom_testing.model_server.answers.tags import tags, text_of

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
    ids = {finding.id: number for number, finding in numbered.items()}
    return {
        "issues": [
            {
                "type": issue.type,
                "description": issue.description,
                "severity": issue.severity,
                "action": issue.suggested_action,
                "findings": [ids[id] for id in issue.findings],
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
    return int(id.removeprefix("sq_") or 0)


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
    return {
        "reasoning": made.reasoning,
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


ANSWERS.update({"ValidateFindings": validation, "AnalyzeGaps": gaps, "GeneratePerspectives": perspectives})
