"""Looking back: which answers are still weak, and can they be made better?"""

from __future__ import annotations

from fathom.asks import Reflect
from fathom.engine.context import Context
from fathom.engine.flow import Runtime
from fathom.engine.steps.synthesize import synthesize_subtask
from fathom.errors import LimitReached
from fathom.events import Reflected, Routed
from fathom.findings import Reflection


async def reflect(runtime: Runtime, round: int) -> bool:
    """Look for weak answers and research them again, all at once. Returns whether anything was worth it.

    Their parents are synthesized anew, children before parents.
    """
    context, subtasks = runtime.context, runtime.context.state.subtasks
    reflection = await _reflection(context, round)
    if reflection is None:
        return False
    not_found = context.state.look_back.not_found = tuple(id for id in reflection.not_found if id in subtasks)
    researched = {
        id
        for id, subtask in subtasks.items()
        if subtask.status in {"completed", "partial", "failed"} and not context.journal.leaves_out(id)
    }
    weak = [id for id in dict.fromkeys(reflection.weak) if id in researched] if reflection.needs_improvement else []
    await context.emit(Reflected(round=round, weak=tuple(weak), not_found=not_found))
    await context.emit(Routed(decision="research" if weak else "outline", reason=reflection.reasoning))
    if not weak:
        return False
    before = {id: len(subtasks[id].findings) for id in weak}
    await runtime.subtasks.research_again(weak, round, reflection.suggested_searches)
    improved = [id for id in weak if len(subtasks[id].findings) > before[id]]
    await _synthesize_parents(context, improved, round)
    return bool(improved)


async def _reflection(context: Context, round: int) -> Reflection | None:
    """Where so many checks are allowed, it is also judged if the findings hold, and what is missing."""
    state, validates = context.state, round <= context.run.limits.max_validations
    subtasks = state.in_order().items()
    researched = {id: subtask for id, subtask in subtasks if subtask.status not in {"removed", "skipped"}}
    if not researched:
        return None
    research, said = state.research(partial=None), state.look_back
    ask = context.about(
        Reflect,
        subtasks=tuple(each.planned for each in researched.values()),
        evaluations={id: verdict for id in researched if (verdict := state.verdict(id))},
        syntheses=tuple(each.synthesis for each in researched.values() if each.synthesis),
        refined=tuple(id for id, each in researched.items() if each.reading.refined),
        round=round,
        findings=research.findings,
        documents=tuple(research.documents.values()),
        validates=validates,
        results=tuple(research.results.values()),
        docs_processed=research.coverage.scanned,
        total_docs_available=research.coverage.total or None,
        new_findings=tuple(state.brought[stage] for stage in sorted(state.brought)),
    )
    reflection = await context.try_ask(f"reflect/{round}", ask, if_there_is_time=True)
    if reflection and (reflection.validation or reflection.gaps):
        said.validation, said.gaps = reflection.validation, reflection.gaps
        said.findings = {id: len(state.below(id)) for id in researched}
    return reflection


async def _synthesize_parents(context: Context, improved: list[str], round: int) -> None:
    subtasks = context.state.subtasks
    parents = set()
    for id in improved:
        while (parent := subtasks[id].planned.parent_id) is not None:
            parents.add(parent)
            id = parent
    for id in sorted(parents, key=lambda id: (-subtasks[id].planned.depth, id)):
        try:
            await synthesize_subtask(context, id, f"{id}/f{round}")
        except LimitReached:
            return
