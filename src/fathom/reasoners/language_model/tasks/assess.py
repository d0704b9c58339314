"""AssessDepth and Reflect: how deep do findings go, and which answers are still weak?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from fathom.asks import AssessDepth, Reflect
from fathom.findings import DepthEvaluation, Reflection, Synthesis
from fathom.plan import Subtask
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.judged import Judged
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

CLAIM_LENGTH = 300
CHECKED_LENGTH = 200
"""Characters of what a check found."""
REFLECTED = 60
"""Tokens of a part's answer that are shown when all of them are looked at."""


class Assessed(Judged, title="AssessDepth"):
    """How far the findings answer the part."""


class AssessDepthTask(Task[AssessDepth, DepthEvaluation]):
    """Asks for a verdict where the extraction has not given one."""

    name = "assess_depth"
    answer_tokens = 400
    prompt_tokens = 2_500

    def rule(self, ask: AssessDepth) -> DepthEvaluation | None:
        """Where nothing was found, nothing is missing that the same sources would tell when they are asked again."""
        if ask.findings:
            return None
        reasoning = "Nothing was found that answers it."
        return DepthEvaluation(is_sufficient=False, depth_quality="superficial", reasoning=reasoning)

    def drafts(self, ask: AssessDepth, *, room: int) -> Sequence[Draft[DepthEvaluation]]:
        """The findings, best first, each with the number of its source."""
        best = sorted(ask.findings, key=lambda finding: -finding.relevance)
        sources: dict[str, int] = {}
        for finding in best:
            sources.setdefault(finding.evidence[0].document, len(sources) + 1)
        claims = fitting(
            [line(finding.claim, CLAIM_LENGTH) for finding in best], room - shown_tokens(ask.subtask.description)
        )
        variables = {
            "subtask": ask.subtask,
            "findings": [
                {"source": sources[finding.evidence[0].document], "claim": claim}
                for finding, claim in zip(best, claims, strict=False)
            ],
            "may_deepen": ask.subtask.depth + 1 < ask.max_depth,
        }
        return [Draft(variables, Assessed, lambda wire: Read(wire.evaluation()), left_out=len(best) - len(claims))]


# ── Reflect ────────────────────────────────────────────────────────────────────────────────────────────────────────


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


class ReflectTask(Task[Reflect, Reflection]):
    """Asks which answers are weak, unless none is."""

    name = "reflect"
    answer_tokens = 700
    prompt_tokens = 3_000

    def rule(self, ask: Reflect) -> Reflection | None:
        """Every part is answered, or what it lacks was searched for once more, and no check found more to do."""
        if (ask.validation and ask.validation.status == "NEEDS_REVISION") or (
            ask.gaps and ask.gaps.recommendation == "CONTINUE_RESEARCH"
        ):
            return None
        answered = {synthesis.subtask_id for synthesis in ask.syntheses if synthesis.findings}
        for subtask in ask.subtasks:
            evaluation = ask.evaluations.get(subtask.subtask_id)
            good = evaluation and (evaluation.is_sufficient or evaluation.depth_quality == "deep")
            is_done = (good and subtask.subtask_id in answered) or subtask.subtask_id in ask.refined
            if not is_done:
                return None
        return Reflection(needs_improvement=False, reasoning="What is missing was searched for already.")

    def drafts(self, ask: Reflect, *, room: int) -> Sequence[Draft[Reflection]]:
        """Each part with its verdict, what a check found wrong with it, and as much of its answer as fits."""
        syntheses = {synthesis.subtask_id: synthesis for synthesis in ask.syntheses}
        numbered = dict(enumerate(ask.subtasks, start=1))
        shown = []
        checked = _checked(ask, room=room // 4)
        room -= sum(map(shown_tokens, (each for texts in checked.values() for each in texts)))
        for number, subtask in numbered.items():
            evaluation = ask.evaluations.get(subtask.subtask_id)
            answer = _beginning(syntheses.get(subtask.subtask_id), room=REFLECTED)
            missing = lines(evaluation.missing, most=4, length=100) if evaluation else ()
            room -= sum(map(shown_tokens, (subtask.description, answer, *missing)))
            depth = evaluation.depth_quality if evaluation else "not judged"
            wrong = checked.get(subtask.subtask_id, [])
            entry = {"number": number, "subtask": subtask, "depth": depth, "missing": missing, "wrong": wrong}
            shown.append({**entry, "answer": answer if room >= 0 else ""})
        variables = {"parts": shown, "round": ask.round, "wrong": checked.get("", []), "checked": bool(checked)}
        return [Draft(variables=variables, schema=Reflected, read=partial(_reflection, numbered))]


def _checked(ask: Reflect, *, room: int) -> dict[str, list[str]]:
    """What a check of the findings found wrong and missing, by the part that it belongs to, the gravest first."""
    parts = {subtask.subtask_id for subtask in ask.subtasks}
    issues = [(each.question, each.description) for each in (ask.validation.issues if ask.validation else ())]
    gaps = [(each.question, each.description) for each in (ask.gaps.gaps if ask.gaps else ())]
    found: dict[str, list[str]] = {}
    told = [(part if part in parts else "", line(text, CHECKED_LENGTH)) for part, text in (*issues, *gaps)]
    for part, text in list(dict.fromkeys(told))[: len(fitting([text for _, text in dict.fromkeys(told)], room))]:
        found.setdefault(part, []).append(text)
    return found


def _beginning(synthesis: Synthesis | None, *, room: int) -> str:
    """The first sentences of an answer; its only one whatever its length."""
    if synthesis is None:
        return ""
    text = synthesis.text
    told = [text[start:end] for start, end in sentences(text)]
    return " ".join(fitting(told, room) or told[:1])


def _reflection(numbered: Mapping[int, Subtask], wire: Reflected) -> Read[Reflection]:
    weak, unknown = picked((each.part for each in wire.weak), numbered)
    not_found, strange = picked(wire.not_found, numbered)
    suggested = {}
    for each in wire.weak:
        if each.part in numbered:
            asked = [query.text for query in numbered[each.part].queries]
            suggested[numbered[each.part].subtask_id] = tuple(searches(each.queries, most=4, asked=asked))
    again = [subtask.subtask_id for subtask in weak if suggested[subtask.subtask_id]]
    return Read(
        Reflection(
            needs_improvement=bool(again),
            weak=tuple(again),
            suggested_searches={id: suggested[id] for id in again},
            not_found=tuple(subtask.subtask_id for subtask in not_found),
            reasoning=line(wire.reasoning, 300),
        ),
        unknown + strange,
    )
