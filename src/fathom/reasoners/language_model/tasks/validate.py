"""ValidateFindings: whether the findings hold, as a model judges that, under the numbers of findings and questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Literal, get_args

from fathom.asks import ValidateFindings
from fathom.data.turns import SubQuestion
from fathom.findings import CONFIDENT, WEAK_BELOW, Check, Finding, Validation, ValidationIssue
from fathom.reasoners.extractive.coverage import Grounds
from fathom.reasoners.extractive.validate import validate_findings
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.plain import plain
from fathom.reasoners.language_model.tasks.words import (
    TAG_TOKENS,
    Number,
    Share,
    fitting,
    line,
    one_of,
    picked,
    shown_tokens,
)

CLAIM_LENGTH = 300
SAID_LENGTH = 300
"""Characters of what is wrong, and of what would mend it."""
MOST_ISSUES = 12
_GRAVITY = ("high", "medium", "low")


class FoundIssue(Wire):
    """Something that is wrong."""

    type: Annotated[str, one_of(get_args(Check))]
    """What was looked at."""
    description: str
    """What is wrong, in a sentence."""
    severity: Literal["low", "medium", "high"] = "medium"
    """How much it weighs."""
    action: str = ""
    """What would mend it, in a sentence."""
    concerns: list[Number] = []
    """Numbers of the findings, or sentences, that it concerns; of a contradiction both."""
    question: Number = 0
    """Number of the research question, or part, that it concerns; 0 for all."""


class Sureness(Wire):
    """How sure one answer is."""

    question: Number
    """Number of the research question, or part."""
    confidence: Share
    """0 to 1."""


class Validated(Wire, title="ValidateFindings"):
    """Whether the findings hold."""

    issues: list[FoundIssue] = []
    """The gravest first."""
    confidences: list[Sureness]
    """One for each."""
    overall: Share
    """How sure the answer as a whole is, 0 to 1."""
    status: Literal["PASSED", "NEEDS_REVISION", "FAILED"]
    """The verdict."""


class ValidateFindingsTask(Task[ValidateFindings, Validation]):
    """Findings and questions in, what is wrong out."""

    name = "validate_findings"
    answer_tokens = 1_000
    prompt_tokens = 4_000

    def rule(self, ask: ValidateFindings) -> Validation | None:
        """Where nothing was found there is nothing to judge."""
        return None if ask.findings else validate_findings(ask)

    def drafts(self, ask: ValidateFindings, *, room: int) -> Sequence[Draft[Validation]]:
        """The questions, and the findings as far as they fit, the most relevant first, each with what it rests on."""
        questions = shown_questions(ask.questions, room // 3)
        room -= sum(shown_tokens(text) + TAG_TOKENS for text in questions.values())
        grounds = Grounds.of_documents(ask.documents)
        best = sorted(ask.findings, key=lambda finding: -finding.relevance)
        claims = [line(finding.claim, CLAIM_LENGTH) for finding in best]
        given = dict(enumerate(best[: max(1, fitting_tags(claims, room))], start=1))
        variables = {
            "checks": ask.validation_checks,
            "weak_below": WEAK_BELOW,
            "confident": CONFIDENT,
            "questions": questions,
            "findings": [
                {"id": id, "text": claims[id - 1], "rests_on": _grounds_of(finding, grounds)}
                for id, finding in given.items()
            ],
        }
        read = partial(_read, ask, given)
        return [Draft(variables, Validated, read, left_out=len(best) - len(given))]


def shown_questions(questions: Sequence[SubQuestion], room: int) -> dict[int, str]:
    """The questions by the numbers that a model is shown, as many as fit; the first in any case."""
    texts = [line(each.question, CLAIM_LENGTH) for each in questions]
    return dict(enumerate(texts[: max(1, fitting_tags(texts, room))], start=1))


def fitting_tags(texts: Sequence[str], room: int) -> int:
    """How many of the first texts fit, each in a tag of its own."""
    count = len(fitting(texts, room))
    while count and sum(shown_tokens(text) + TAG_TOKENS for text in texts[:count]) > room:
        count -= 1
    return count


def _grounds_of(finding: Finding, grounds: Grounds) -> str:
    if grounds.is_count(finding):
        return "a count"
    sources = grounds.sources([finding])
    return "1 source" if sources == 1 else f"{sources} sources"


def _read(ask: ValidateFindings, given: Mapping[int, Finding], wire: Validated) -> Read[Validation]:
    questions = {number: question.id for number, question in enumerate(ask.questions, start=1)}
    numbered = {number: (finding.id,) for number, finding in given.items()}
    return validation_of(wire, given.values(), numbered, questions, checks=ask.validation_checks)


def validation_of(
    wire: Validated,
    findings: Iterable[Finding],
    numbered: Mapping[int, Sequence[str]],
    questions: Mapping[int, str],
    *,
    checks: Sequence[Check] = get_args(Check),
) -> Read[Validation]:
    """A verdict in terms of ids: of the findings behind each number, and of the questions."""
    held = [text for finding in findings for text in finding.held]
    issues: list[ValidationIssue] = []
    invented = 0
    for each in wire.issues:
        concerned, strangers = picked(each.concerns, numbered)
        invented += strangers
        ids = tuple(dict.fromkeys(id for one in concerned for id in one))
        kind = next((kind for kind in checks if kind == each.type), None)
        said = line(plain(each.description, held), SAID_LENGTH)
        if kind is None or not said or (kind == "contradiction" and len(ids) < 2):
            continue
        invented += bool(each.question) and each.question not in questions
        issues.append(
            ValidationIssue(
                type=kind,
                description=said,
                severity=each.severity,
                suggested_action=line(plain(each.action, held), SAID_LENGTH),
                findings=ids,
                question=questions.get(each.question, ""),
            )
        )
    issues.sort(key=lambda issue: _GRAVITY.index(issue.severity))
    sure = {each.question: each.confidence for each in wire.confidences}
    invented += len(sure.keys() - questions.keys())
    grave = bool(issues) and issues[0].severity == "high"
    return Read(
        Validation(
            status="NEEDS_REVISION" if grave and wire.status == "PASSED" else wire.status,
            issues=tuple(issues[:MOST_ISSUES]),
            confidence_scores={id: round(sure.get(at, wire.overall), 4) for at, id in questions.items()},
            overall_confidence=round(wire.overall, 4),
        ),
        invented,
    )
