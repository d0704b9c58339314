"""Bottom-up: what do the findings of a subtask, and the syntheses of its children, amount to?"""

from __future__ import annotations

from fathom.asks import SynthesizeSubtask
from fathom.engine.context import Context
from fathom.engine.journal import Phase


async def synthesize_subtask(context: Context, id: str, path: str, *, phase: Phase = "research") -> None:
    """Put the subtask's synthesis on the board; without findings there is none.

    Without children, whoever has read the passages may have summed them up already.
    A synthesis that fails leaves the findings as they are, and an earlier synthesis in its place.
    """
    board = context.board
    findings = sorted(board.findings[id].values(), key=lambda finding: -finding.relevance)
    children = tuple(board.syntheses[child] for child in board.children.get(id, ()) if child in board.syntheses)
    if not findings and not children:
        return
    if id in board.summed_up and not children:
        board.syntheses[id] = board.summed_up[id]
        return
    synthesis = await context.try_ask(
        f"{path}/synthesize",
        context.about(
            SynthesizeSubtask,
            subtask=board.subtasks[id],
            findings=tuple(findings),
            children=children,
            questions=tuple(question for desk in board.desks_of(id) for question in desk.sub_questions),
        ),
        phase=phase,
    )
    if synthesis is None:
        board.broken[id] = "the findings could not be synthesized"
        return
    known = board.below(id)
    board.syntheses[id] = synthesis.model_copy(
        update={"subtask_id": id, "findings": tuple(each for each in synthesis.findings if each in known)}
    )
