"""Reflect: which answers are still weak, and, where that is wanted, do the findings hold, and what is missing?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from fathom.asks import Reflect
from fathom.findings import WEAK_BELOW, Finding, Reflection, Statement, Synthesis
from fathom.plan import Subtask
from fathom.reasoners.extractive.assess import reflect
from fathom.reasoners.extractive.coverage import Grounds
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.gaps import GapsFound, gaps_of
from fathom.reasoners.language_model.tasks.validate import Validated, validation_of
from fathom.reasoners.language_model.tasks.words import (
    Number,
    fitting,
    line,
    lines,
    picked,
    searches,
    shown_tokens,
)
from fathom.text.sentences import sentences

SAID_LENGTH = 300
"""Characters of a claim, and of what is wrong or missing."""
SENTENCE_LENGTH = 600
"""Characters of a sentence of an answer."""
CONTRADICTIONS = 8
"""Pairs of claims that are shown."""


class WeakPart(Wire):
    """A part to research again."""

    part: Number
    """Its number."""
    queries: list[str] = []
    """One to four searches in other words than before, in the language of the sources."""


class Reflected(Wire, title="Reflect"):
    """Which answers are still weak."""

    reasoning: str = ""
    """Why, in a sentence."""
    weak: list[WeakPart] = []
    """Parts that other searches may still answer, worst first; none if another round is not worth it."""
    not_found: list[Number] = []
    """Numbers of the parts that the sources cannot answer."""


class ReflectedAndJudged(Reflected, Validated, GapsFound, title="Reflect"):
    """Which answers are still weak, whether the findings hold, and what is missing."""


class ReflectTask(Task[Reflect, Reflection]):
    """Asks which answers are weak, unless none is and nothing else is asked."""

    name = "reflect"
    answer_tokens = 1_600
    prompt_tokens = 3_000

    def rule(self, ask: Reflect) -> Reflection | None:
        """Every part is answered, and well, with nothing contradicting it, or what it lacks was searched for once more;
        or nothing was found at all."""
        answered = {synthesis.subtask_id for synthesis in ask.syntheses if synthesis.findings}
        if not answered and not ask.findings and ask.validates:
            return reflect(ask)
        disputed = {synthesis.subtask_id for synthesis in ask.syntheses if synthesis.contradictions}
        for subtask in ask.subtasks:
            evaluation = ask.evaluations.get(subtask.subtask_id)
            good = evaluation and (evaluation.is_sufficient or evaluation.depth_quality == "deep")
            is_done = good and subtask.subtask_id in answered - disputed
            if ask.validates or not (is_done or subtask.subtask_id in ask.refined):
                return None
        return Reflection(needs_improvement=False, reasoning="Every part is answered, or was searched for once more.")

    def drafts(self, ask: Reflect, *, room: int) -> Sequence[Draft[Reflection]]:
        """Each part with its verdict and its whole answer, as much of each as fits, and what contradicts each other."""
        parts = dict(enumerate(ask.subtasks, start=1))
        against = contradictions_of(ask.syntheses, ask.findings)
        answers = {each.subtask_id: each for each in ask.syntheses}
        shown = [_part(ask, number, subtask, answers.get(subtask.subtask_id)) for number, subtask in parts.items()]
        room -= sum(map(shown_tokens, (*(text for each in shown for text in each["frame"]), *map(" ".join, against))))
        stated = {id: _stated(each) for id, each in answers.items()}
        numbered: dict[int, Statement] = {}
        for left, each in zip(range(len(shown), 0, -1), shown, strict=True):
            own = stated.get(each["subtask"].subtask_id, [])
            kept = len(fitting([statement.text for statement in own], room // left)) or 1
            first = len(numbered) + 1
            numbered |= dict(enumerate(own[:kept], start=first))
            each["answer"] = {number: numbered[number].text for number in range(first, len(numbered) + 1)}
            room -= sum(map(shown_tokens, each["answer"].values()))
        variables = {
            "parts": shown,
            "round": ask.round,
            "contradictions": against,
            "judges": ask.validates,
            "weak_below": WEAK_BELOW,
            "read": ask.docs_processed,
            "new_findings": ask.new_findings,
        }
        schema = ReflectedAndJudged if ask.validates else Reflected
        return [Draft(variables, schema, partial(_reflection, ask, parts, numbered))]


def _part(ask: Reflect, number: int, subtask: Subtask, answer: Synthesis | None) -> dict[str, Any]:
    evaluation = ask.evaluations.get(subtask.subtask_id)
    missing = lines(evaluation.missing, most=4, length=100) if evaluation else ()
    cited = [finding for finding in ask.findings if answer and finding.id in answer.findings]
    return {
        "number": number,
        "subtask": subtask,
        "depth": evaluation.depth_quality if evaluation else "not judged",
        "sources": Grounds.of_documents(ask.documents).sources(cited),
        "missing": missing,
        "frame": (subtask.description, *(query.text for query in subtask.queries), *missing),
    }


def _stated(synthesis: Synthesis) -> list[Statement]:
    """An answer by its sentences, each on one line; where only the whole is known, each rests on all of it."""
    text = synthesis.text
    told = synthesis.statements or tuple(
        Statement(text=text[start:end], findings=synthesis.findings) for start, end in sentences(text)
    )
    return [each.model_copy(update={"text": line(each.text, SENTENCE_LENGTH)}) for each in told]


def contradictions_of(syntheses: Iterable[Synthesis], findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """The claims that contradict each other, as whoever has read them has seen it."""
    claims = {finding.id: line(finding.claim, SAID_LENGTH) for finding in findings}
    pairs = dict.fromkeys(pair for synthesis in syntheses for pair in synthesis.contradictions)
    return [(claims[one], claims[other]) for one, other in pairs if one in claims and other in claims][:CONTRADICTIONS]


# ── Reading the answer ─────────────────────────────────────────────────────────────────────────────────────────────


def _reflection(
    ask: Reflect, parts: Mapping[int, Subtask], numbered: Mapping[int, Statement], wire: Reflected
) -> Read[Reflection]:
    weak, unknown = picked((each.part for each in wire.weak), parts)
    not_found, strange = picked(wire.not_found, parts)
    suggested = {}
    for each in wire.weak:
        if each.part in parts:
            asked = [query.text for query in parts[each.part].queries]
            suggested[parts[each.part].subtask_id] = tuple(searches(each.queries, most=4, asked=asked))
    again = [subtask.subtask_id for subtask in weak if suggested[subtask.subtask_id]]
    judged: dict[str, Any] = {}
    if isinstance(wire, ReflectedAndJudged):
        questions = {number: subtask.subtask_id for number, subtask in parts.items()}
        known = {finding.id for finding in ask.findings}
        cited = {number: [id for id in each.findings if id in known] for number, each in numbered.items()}
        validation = validation_of(wire, ask.findings, cited, questions)
        gaps = gaps_of(wire, ask.findings, questions)
        judged = {"validation": validation.answer, "gaps": gaps.answer}
        unknown += validation.invented + gaps.invented
    reflection = Reflection(
        needs_improvement=bool(again),
        weak=tuple(again),
        suggested_searches={id: suggested[id] for id in again},
        not_found=tuple(subtask.subtask_id for subtask in not_found),
        reasoning=line(wire.reasoning, SAID_LENGTH),
        **judged,
    )
    return Read(reflection, unknown + strange)
