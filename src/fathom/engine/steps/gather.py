"""Deciding what a round asks of which source, and asking it."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from fathom.asks import AllocateQueries
from fathom.engine.context import Context, together
from fathom.engine.state import Branch
from fathom.engine.steps.plan import merged
from fathom.events import Allocated, Gathered
from fathom.evidence import Query, Retrieval
from fathom.findings import DepthEvaluation
from fathom.plan import Allocation, StrategicPlan, Subtask


async def allocate(state: Branch, runtime: Runtime[Context]) -> Branch:
    """Decide the queries of this round; those that the planner, an evaluation or reflection knows need no ask.

    Reads `subtask`, `path`, `round`, `searches`; writes `allocations`. When the reasoner fails, every source is asked
    for the subtask as it is described. A query that this subtask has asked before is left out.
    """
    context = runtime.context
    board, run = context.board, context.run
    subtask = board.subtasks[state["subtask"]]
    asked = board.asked.setdefault(subtask.subtask_id, [])
    known = _known_queries(subtask, state, board.evaluations.get(subtask.subtask_id), asked)
    if known:
        plan = _of_all_sources(context, known, "these queries were known before")
    else:
        ask = AllocateQueries(
            query=run.query,
            language=run.language,
            subtask=subtask,
            sources=board.sources,
            feedback=board.evaluations.get(subtask.subtask_id),
            asked=tuple(asked),
            known=board.known(subtask.subtask_id),
            max_queries=run.limits.max_queries,
        )
        answer = await context.try_ask(f"{state['path']}/r{state['round']}/allocate", ask)
        fallback = (Query(text=subtask.description, context=run.query),)
        plan = answer or _of_all_sources(context, fallback, "the allocation failed: the subtask as it is described")
    allocations = _new_queries(
        plan, known_sources={source.name for source in board.sources}, context=context, asked=asked
    )
    for allocation in allocations:
        asked += [query.text for query in allocation.queries if query.text not in asked]
    await context.emit(
        Allocated(
            subtask_id=subtask.subtask_id,
            queries={each.source: tuple(query.text for query in each.queries) for each in allocations},
            reason=plan.allocation_strategy,
        )
    )
    return {"allocations": allocations}


def _known_queries(
    subtask: Subtask, state: Branch, evaluation: DepthEvaluation | None, asked: Sequence[str]
) -> tuple[Query, ...]:
    if state["round"] > 0:
        texts = dict.fromkeys(text for text in evaluation.queries if text.strip()) if evaluation else {}
        return tuple(Query(text=text, context=subtask.description) for text in texts if text not in asked)
    if state["searches"] is not None:
        return tuple(Query(text=text) for text in state["searches"] if text.strip())
    return subtask.queries


def _of_all_sources(context: Context, queries: tuple[Query, ...], why: str) -> StrategicPlan:
    allocations = tuple(Allocation(source=source.name, queries=queries) for source in context.board.sources)
    return StrategicPlan(allocations=allocations, allocation_strategy=why)


def _new_queries(
    plan: StrategicPlan, *, known_sources: set[str], context: Context, asked: list[str]
) -> tuple[Allocation, ...]:
    """What may be asked: of sources that are there, each text once, and no more of them than the limit."""
    before = set(asked)
    most = context.run.limits.max_queries
    allocations = []
    for allocation in plan.allocations:
        queries = {query.text: query for query in allocation.queries if query.text not in before}
        if allocation.source in known_sources and queries:
            allocations.append(Allocation(source=allocation.source, queries=tuple(queries.values())[:most]))
    return tuple(allocations)


async def gather(state: Branch, runtime: Runtime[Context]) -> Branch:
    """Ask the sources, all at once, and lay out the passages that this subtask has not read.

    Reads `subtask`, `path`, `round`, `allocations`; writes nothing: the passages go on the board, in the order of the
    queries and not of the answers. A source that fails is told and left out; the subtask breaks when all of them do.
    """
    context = runtime.context
    board = context.board
    subtask = board.subtasks[state["subtask"]]
    found: list[Retrieval | None] = await together(
        *(
            context.try_search(
                f"{state['path']}/r{state['round']}/search/{allocation.source}/{number}",
                allocation.source,
                query,
                subtask=subtask,
            )
            for allocation in state["allocations"]
            for number, query in enumerate(allocation.queries)
        )
    )
    answers = [each for each in found if each is not None]
    if found and not answers:
        board.broken[subtask.subtask_id] = "every source failed"
    read = board.read.setdefault(subtask.subtask_id, set())
    new = [passage for passage in merged(answers).passages if passage.id not in read]
    read |= {passage.id for passage in new}
    board.passages[subtask.subtask_id] = new
    documents = len({passage.document for passage in new})
    await context.emit(Gathered(subtask_id=subtask.subtask_id, passages=len(new), documents=documents))
    return {}
