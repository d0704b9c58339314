"""Deciding what a round asks of which source, and asking it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fathom.asks import AllocateQueries
from fathom.browsing import WEB
from fathom.engine.context import Context, both, together
from fathom.engine.data.desk import Desk
from fathom.engine.data.research import evaluation_of, research
from fathom.engine.flow import Runtime
from fathom.engine.merging import in_one_order
from fathom.engine.state import Branch
from fathom.engine.steps.browse import browse, glance
from fathom.engine.steps.plan import merged
from fathom.errors import LimitReached, ProviderError
from fathom.events import Allocated, Gathered
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.findings import DepthEvaluation
from fathom.plan import Allocation, StrategicPlan, Subtask


async def allocate(state: Branch, runtime: Runtime) -> Branch:
    """Decide the queries of this round; those that the planner, an evaluation or reflection knows need no ask.

    Reads `subtask`, `path`, `round`, `searches`; writes `allocations`. With a web, also known queries are divided among
    the sources. When the reasoner fails, every source is asked for what is known, or for the subtask as it is
    described. A query that this subtask has asked a source before is not asked of it again; what only the documents
    were asked may go to the web.
    """
    context = runtime.context
    board, run = context.board, context.run
    subtask = board.subtasks[state["subtask"]]
    asked = board.asked.setdefault(subtask.subtask_id, {})
    done = _asked_of_all(context, asked)
    known = _known_queries(subtask, state, board.evaluations.get(subtask.subtask_id), done)
    last = board.evaluations.get(subtask.subtask_id)
    if known and not context.reach:
        plan = _of_all_sources(context, known, "these queries were known before")
    elif not known and state["round"] > 0 and last is not None and last.openings:
        plan = StrategicPlan(allocation_strategy="what was found and not read is opened")
    else:
        path = f"{state['path']}/r{state['round']}"
        ask = AllocateQueries(
            query=run.query,
            language=run.language,
            subtask=subtask,
            sources=await _sources(context, path, subtask, known),
            proposed=known,
            feedback=board.evaluations.get(subtask.subtask_id),
            asked=done,
            known=board.known(subtask.subtask_id),
            max_queries=run.limits.max_queries,
            today=run.created_at[:10] if context.reach else "",
        )
        answer = await context.try_ask(f"{path}/allocate", ask)
        fallback = known or (Query(text=subtask.description, context=run.query),)
        what = "these queries were known before" if known else "the subtask as it is described"
        plan = answer or _of_all_sources(context, fallback, f"the allocation failed: {what}")
    allocations = _new_queries(
        plan, known_sources={source.name for source in board.sources}, context=context, asked=asked
    )
    for allocation in allocations:
        for query in allocation.queries:
            asked.setdefault(query.text, set()).add(allocation.source)
    await context.emit(
        Allocated(
            subtask_id=subtask.subtask_id,
            queries={each.source: tuple(query.text for query in each.queries) for each in allocations},
            reason=plan.allocation_strategy,
        )
    )
    return {"allocations": allocations}


def _asked_of_all(context: Context, asked: Mapping[str, set[str]]) -> tuple[str, ...]:
    """The texts that there is nobody left to ask; with documents alone, each source counts for all."""
    if not context.reach:
        return tuple(asked)
    everyone = {source.name for source in context.board.sources}
    return tuple(text for text, sources in asked.items() if sources >= everyone)


def _known_queries(
    subtask: Subtask, state: Branch, evaluation: DepthEvaluation | None, asked: Sequence[str]
) -> tuple[Query, ...]:
    if state["round"] > 0:
        texts = dict.fromkeys(text for text in evaluation.queries if text.strip()) if evaluation else {}
        return tuple(Query(text=text, context=subtask.description) for text in texts if text not in asked)
    if state["searches"] is not None:
        return tuple(Query(text=text) for text in state["searches"] if text.strip())
    return subtask.queries


async def _sources(
    context: Context, path: str, subtask: Subtask, known: Sequence[Query]
) -> tuple[SourceDescription, ...]:
    """The sources; beside the web, each tells what it holds on the subtask and what is asked of it."""
    board = context.board
    if not context.reach:
        return board.sources
    words = " ".join(dict.fromkeys((subtask.description, *(query.text for query in known))))

    async def of(source: SourceDescription) -> SourceDescription:
        if source.name not in context.retrievers:
            return source
        try:
            return await context.describe(source.name, path=f"{path}/", query=words, subtask=subtask)
        except ProviderError:
            return source  # as it has described itself before

    return tuple(await together(*map(of, board.sources)))


def _of_all_sources(context: Context, queries: tuple[Query, ...], why: str) -> StrategicPlan:
    allocations = tuple(Allocation(source=source.name, queries=queries) for source in context.board.sources)
    return StrategicPlan(allocations=allocations, allocation_strategy=why)


def _new_queries(
    plan: StrategicPlan, *, known_sources: set[str], context: Context, asked: Mapping[str, set[str]]
) -> tuple[Allocation, ...]:
    """What may be asked: of sources that are there, each text once, and no more of them than the limit."""
    most = context.run.limits.max_queries
    allocations = []
    for allocation in plan.allocations:
        name = allocation.source
        before = {text for text, of in asked.items() if not context.reach or name in of}
        queries = {query.text: query for query in allocation.queries if query.text not in before}
        if allocation.source in known_sources and queries:
            allocations.append(Allocation(source=allocation.source, queries=tuple(queries.values())[:most]))
    return tuple(allocations)


async def gather(state: Branch, runtime: Runtime) -> Branch:
    """Ask the sources, all at once, and lay out the passages that this subtask has not read.

    Reads `subtask`, `path`, `round`, `allocations`; writes `of_datasets`: the passages go on the board, in the order of
    the queries and not of the answers, and so does what research on datasets finds meanwhile. All sources together
    bring no more passages than one may: the best of each in turn, so that a second source adds to what the first one
    holds and does not bury it. A source that fails is told and left out; the subtask breaks when all of them do. What
    the documents hold nothing on is asked of the web, if that was not asked already; for all that is asked of them
    alone, the pages that were read for the question as a whole are looked into.
    """
    context = runtime.context
    board, run = context.board, context.run
    subtask = board.subtasks[state["subtask"]]
    path = f"{state['path']}/r{state['round']}"
    of_data = [each for each in state["allocations"] if each.source in board.datasets]
    of_documents = [each for each in state["allocations"] if each not in of_data and not _is_web(context, each)]
    of_web = [query for each in state["allocations"] if _is_web(context, each) for query in each.queries]
    limited: list[LimitReached] = []

    async def of_source(name: str, number: int, query: Query) -> Retrieval | None:
        try:
            return await context.try_search(f"{path}/search/{name}/{number}", name, query, subtask=subtask)
        except LimitReached as stop:
            limited.append(stop)  # what other queries have found is read all the same
            return None

    async def of_sources() -> list[Retrieval | None]:
        return await together(
            *(
                of_source(each.source, number, query)
                for each in of_documents
                for number, query in enumerate(each.queries)
            )
        )

    async def of_pages(queries: Sequence[Query], place: str) -> list[Retrieval | None]:
        if not queries:
            return []
        try:
            found = await browse(context, place, queries, subtask=subtask)
            return [None] if found is None else [*found]
        except LimitReached as stop:
            limited.append(stop)
            return []

    of_documents_alone = _each_once(query for each in of_documents for query in each.queries if query not in of_web)

    async def of_pages_read() -> list[Retrieval | None]:
        if not (context.reach and of_documents_alone and board.pages.get("")):
            return []
        try:
            return [*(await glance(context, f"{path}/glance", of_documents_alone, subtask=subtask) or ())]
        except LimitReached as stop:
            limited.append(stop)
            return []

    async def of_datasets() -> list[Desk]:
        desks = await together(
            *(research(context, subtask.subtask_id, each.source, each.queries, path) for each in of_data)
        )
        if any(desk.turn for desk in desks):
            board.read.setdefault(subtask.subtask_id, set())  # the subtask has begun, whatever cuts it off
        return desks

    (from_documents, from_web, from_pages), desks = await both(
        together(of_sources(), of_pages(of_web, path), of_pages_read()), of_datasets()
    )
    most = max(0, run.limits.max_queries - len(of_web)) if context.reach else 0
    if not limited and (open := _without_answer(of_documents, from_documents, of_web)[:most]):
        await context.emit(
            Allocated(
                subtask_id=subtask.subtask_id,
                queries={WEB: tuple(query.text for query in open)},
                reason="the documents hold nothing on it",
            )
        )
        for query in open:
            board.asked.setdefault(subtask.subtask_id, {}).setdefault(query.text, set()).add(WEB)
        from_web += await of_pages(open, f"{path}/again")
    found = [*from_documents, *from_web, *from_pages]
    answers = [each for each in found if each is not None]
    limited += [LimitReached(desk.stopped) for desk in desks if desk.stopped]
    if limited and not answers:
        raise limited[0]
    if (found or desks) and not answers and all(desk.failed for desk in desks):
        board.broken[subtask.subtask_id] = "every source failed"
    read = board.read.setdefault(subtask.subtask_id, set())
    queries = _each_once(query for each in state["allocations"] for query in each.queries)
    ranked = merged(answers)
    shown = ranked.passages
    if _has_passages(from_documents) and _has_passages([*from_web, *from_pages]):
        shown = in_one_order(
            shown,
            documents={document.sha256: document for document in ranked.documents},
            sources=board.sources,
            queries=queries,
            question=run.query,
        )
    shown = shown[: run.limits.max_passages * len(queries)]
    new = [passage for passage in shown if passage.id not in read]
    read |= {passage.id for passage in new}
    board.passages[subtask.subtask_id] = new
    documents = len({passage.document for passage in new})
    await context.emit(Gathered(subtask_id=subtask.subtask_id, passages=len(new), documents=documents))
    if desks and not new:
        _take_over(context, subtask.subtask_id, desks, alone=not found)
    return {"of_datasets": sum(desk.news for desk in desks)}


def _take_over(context: Context, id: str, desks: Sequence[Desk], *, alone: bool) -> None:
    """Where nothing else was found, what research on datasets thinks of its own findings stands.

    `alone` says that nobody else was asked.
    """
    board = context.board
    if alone:
        board.judged[id] = evaluation_of(desks, findings=len(board.findings[id]))
    synthesis = desks[0].synthesis
    if synthesis is not None and board.findings[id].keys() <= {finding.id for finding in desks[0].shelf.findings}:
        board.summed_up[id] = synthesis


def _is_web(context: Context, allocation: Allocation) -> bool:
    return allocation.source == WEB and context.reach is not None


def _without_answer(
    allocations: Sequence[Allocation], answers: Sequence[Retrieval | None], asked: Sequence[Query]
) -> list[Query]:
    """The queries that no source has a passage for, and that the web was not asked, each text once."""
    queries = [query for allocation in allocations for query in allocation.queries]
    answered = {query.text for query in asked}
    answered |= {
        query.text for query, found in zip(queries, answers, strict=True) if found is not None and found.passages
    }
    return _each_once(query for query in queries if query.text not in answered)


def _each_once(queries: Iterable[Query]) -> list[Query]:
    """Each text once."""
    return list({query.text: query for query in queries}.values())


def _has_passages(answers: Iterable[Retrieval | None]) -> bool:
    return any(each.passages for each in answers if each is not None)
