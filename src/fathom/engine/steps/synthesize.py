"""Bottom-up: what do the findings of a subtask, and the syntheses of its children, amount to?"""

from __future__ import annotations

from fathom.asks import SynthesizeSubtask
from fathom.engine.context import Context
from fathom.engine.journal import Phase


async def synthesize_subtask(context: Context, id: str, path: str, *, phase: Phase = "research") -> None:
    """Sum the subtask up; without findings there is no synthesis.

    Without children, whoever has read the passages may have summed them up already.
    A synthesis that fails leaves the findings as they are, and an earlier synthesis in its place.
    """
    state, subtask = context.state, context.state.subtasks[id]
    findings = sorted(subtask.findings.values(), key=lambda finding: -finding.relevance)
    below = (state.subtasks[child].synthesis for child in subtask.children)
    children = tuple(synthesis for synthesis in below if synthesis)
    if subtask.reading.synthesis and not children:
        subtask.synthesis = subtask.reading.synthesis
    if not children and (subtask.reading.synthesis or not findings):
        return
    synthesis = await context.try_ask(
        f"{path}/synthesize",
        context.about(
            SynthesizeSubtask,
            subtask=subtask.planned,
            findings=tuple(findings),
            children=children,
            questions=tuple(each for _, of in sorted(subtask.datasets.items()) for each in of.notes.sub_questions),
        ),
        phase=phase,
    )
    if synthesis is None:
        subtask.broken = "the findings could not be synthesized"
        return
    known = state.citable(id)
    seen = dict.fromkeys((*synthesis.contradictions, *subtask.reading.contradictions))
    subtask.synthesis = synthesis.model_copy(
        update={
            "subtask_id": id,
            "findings": tuple(each for each in synthesis.findings if each in known),
            "contradictions": tuple(pair for pair in seen if known.keys() >= {*pair}),
        }
    )
