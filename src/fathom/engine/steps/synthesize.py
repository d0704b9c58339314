"""Bottom-up: what do the findings of a subtask, and the syntheses of its children, amount to?"""

from __future__ import annotations

from collections.abc import Sequence

from fathom.asks import SynthesizeSubtask
from fathom.engine.context import Context
from fathom.engine.journal import Phase
from fathom.findings import Synthesis


async def synthesize_subtask(context: Context, id: str, path: str, *, phase: Phase = "research") -> None:
    """Sum the subtask up; without findings there is no synthesis.

    What a model that has read the passages made of them counts; the answers of the children follow it.
    """
    state, subtask = context.state, context.state.subtasks[id]
    findings = sorted(subtask.findings.values(), key=lambda finding: -finding.relevance)
    below = (state.subtasks[child].synthesis for child in subtask.children)
    children = tuple(synthesis for synthesis in below if synthesis)
    if own := subtask.reading.synthesis:
        subtask.synthesis = with_children(own, children)
    if own or not (findings or children):
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


def with_children(own: Synthesis, children: Sequence[Synthesis]) -> Synthesis:
    """The answer to a subtask with those to its children."""
    every = (own, *children)
    return own.model_copy(
        update={
            "text": " ".join(filter(None, (each.text for each in every))),
            "findings": tuple(dict.fromkeys(id for each in every for id in each.findings)),
            "statements": tuple(statement for each in every for statement in each.statements),
            "contradictions": tuple(dict.fromkeys(pair for each in every for pair in each.contradictions)),
            "caveats": tuple(dict.fromkeys(caveat for each in every for caveat in each.caveats)),
        }
    )
