"""AssessDepth: how deep do findings go?"""

from __future__ import annotations

from collections.abc import Sequence

from fathom.asks import AssessDepth
from fathom.findings import DepthEvaluation
from fathom.reasoners.language_model.task import Draft, Read, Task
from fathom.reasoners.language_model.tasks.judged import Judged
from fathom.reasoners.language_model.tasks.words import fitting, line, shown_tokens

CLAIM_LENGTH = 300


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
