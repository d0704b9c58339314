"""Looking back: which answers are still weak, and can they be made better?"""

from __future__ import annotations

from fathom.asks import Reflect
from fathom.engine.context import Context
from fathom.engine.steps.synthesize import synthesize_subtask
from fathom.engine.steps.validate import validate
from fathom.errors import LimitReached
from fathom.events import Reflected, Routed
from fathom.findings import Reflection


async def reflect(context: Context, round: int) -> bool:
    """Look for weak answers and research them again, all at once. Returns whether anything was worth it.

    Their parents are synthesized anew, children before parents.
    """
    board = context.board
    reflection = await _reflection(context, round)
    if reflection is None:
        return False
    board.not_found = tuple(id for id in reflection.not_found if id in board.subtasks)
    researched = {id for id in board.subtasks if board.status[id] in {"completed", "partial", "failed"}}
    weak = [id for id in dict.fromkeys(reflection.weak) if id in researched] if reflection.needs_improvement else []
    await context.emit(Reflected(round=round, weak=tuple(weak), not_found=board.not_found))
    await context.emit(Routed(decision="research" if weak else "outline", reason=reflection.reasoning))
    if not weak:
        return False
    before = {id: len(board.findings[id]) for id in weak}
    await context.scheduler.research_again(weak, round, reflection.suggested_searches)
    improved = [id for id in weak if len(board.findings[id]) > before[id]]
    await _synthesize_parents(context, improved, round)
    return bool(improved)


async def _reflection(context: Context, round: int) -> Reflection | None:
    board = context.board
    researched = [id for id in board.in_order() if board.status[id] not in {"removed", "skipped"}]
    if not researched:
        return None
    validation, gaps = await validate(context, round, researched)
    ask = context.about(
        Reflect,
        subtasks=tuple(board.subtasks[id] for id in researched),
        evaluations={id: board.evaluations[id] for id in researched if id in board.evaluations},
        syntheses=tuple(board.syntheses[id] for id in researched if id in board.syntheses),
        round=round,
        validation=validation,
        gaps=gaps,
    )
    return await context.try_ask(f"reflect/{round}", ask, if_there_is_time=True)


async def _synthesize_parents(context: Context, improved: list[str], round: int) -> None:
    board = context.board
    parents = set()
    for id in improved:
        while (parent := board.subtasks[id].parent_id) is not None:
            parents.add(parent)
            id = parent
    for id in sorted(parents, key=lambda id: (-board.subtasks[id].depth, id)):
        try:
            await synthesize_subtask(context, id, f"{id}/f{round}")
        except LimitReached:
            return
