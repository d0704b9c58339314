"""What a round asks of which source, the searches, and the passages that they bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from fathom.asks import AllocateQueries
from fathom.engine import sources
from fathom.engine.branch import Branch
from fathom.engine.context import Context
from fathom.engine.data.outcome import take_over
from fathom.engine.merging import in_one_order
from fathom.engine.state import Round
from fathom.engine.steps.plan import merged
from fathom.errors import LimitReached
from fathom.events import DOCUMENTS_SHOWN, Allocated, DocumentShown, Gathered
from fathom.evidence import Passage, Query, SourceDescription
from fathom.findings import DepthEvaluation
from fathom.outcomes import together
from fathom.plan import Allocation, StrategicPlan, Subtask
from fathom.ports.source import SourceAnswer
from fathom.text.analysis import query_terms, terms
from fathom.text.common import telling
from fathom.thread import THREAD

CALLED = 0.5
"""What a word of a question says at least, in rare words, for a document to be called by it."""


async def allocate(context: Context, branch: Branch) -> tuple[Allocation, ...]:
    """Decide the queries of this round; those that the planner, an evaluation or reflection knows need no ask.

    Where there are several sources, also known queries are divided among them. When the reasoner fails, every source is
    asked for what is known, or for the subtask as it is described. A query that this subtask has asked a source before
    is not asked of it again; what only the others were asked may go to it.
    """
    run, state = context.run, context.state.subtasks[branch["subtask"]]
    subtask, last, asked = state.planned, state.evaluation, state.reading.asked
    done = _asked_of_all(context, asked)
    known = _known_queries(subtask, branch, last, done)
    if known and not context.divides:
        plan = _of_all_sources(context, known, "these queries were known before")
    elif not known and branch["round"] > 0 and last is not None and last.openings:
        plan = StrategicPlan(allocation_strategy="what was found and not read is opened")
    else:
        path = f"{branch['path']}/r{branch['round']}"
        about = subtask
        if known and context.reasoner.metered:  # a model has put what it searches for into the words of the queries
            about = subtask.model_copy(update={"description": " · ".join(query.text for query in known)})
        ask = context.about(
            AllocateQueries,
            subtask=about,
            sources=await _sources(context, path, subtask, known),
            proposed=known,
            feedback=last,
            asked=done,
            known=state.known,
            max_queries=run.limits.max_queries,
            today=run.created_at[:10] if context.reaches else "",
        )
        answer = await context.try_ask(f"{path}/allocate", ask)
        fallback = known or (Query(text=subtask.description, context=run.query),)
        what = "these queries were known before" if known else "the subtask as it is described"
        plan = answer or _of_all_sources(context, fallback, f"the allocation failed: {what}")
        if known and context.reasoner.metered:
            plan = _with_documents(context, plan, known)
    allocations = _new_queries((*_linked(context, subtask, last), *plan.allocations), context, asked)
    for allocation in allocations:
        for query in allocation.queries:
            asked.setdefault(query.text, set()).add(allocation.source)
    await context.emit(
        Allocated(
            subtask_id=subtask.subtask_id,
            queries={name: tuple(query.text for query in of) for name, of in _by_source(allocations).items()},
            reason=plan.allocation_strategy,
        )
    )
    return allocations


async def recalled(context: Context, branch: Branch) -> tuple[Allocation, ...]:
    """What the thread is asked for a subtask: what the sources would be, who are asked it next if that is no answer."""
    subtask = context.state.subtasks[branch["subtask"]].planned
    queries = tuple(_each_once(subtask.queries)) or (Query(text=subtask.description, context=context.run.query),)
    reason = "what the thread has read comes first"
    asked = {THREAD: tuple(query.text for query in queries)}
    await context.emit(Allocated(subtask_id=subtask.subtask_id, queries=asked, reason=reason))
    return (Allocation(source=THREAD, queries=queries),)


async def recall(context: Context, id: str, now: Round, path: str) -> None:
    """Look into what the thread has read, and ask nobody else."""
    subtask = context.state.subtasks[id].planned
    queries = [query for each in now.allocations for query in each.queries]
    now.at_hand = [await sources.search(context, THREAD, path, queries, subtask=subtask)]


async def lies_elsewhere(context: Context, id: str, path: str) -> bool:
    """Whether a source at hand has a document that the thread has not read and that matches a subtask best, or is
    called by what it asks: by rule, an answer may be in words that many documents share, and the thread's are few.
    Nothing is searched for that."""
    subtask, thread = context.state.subtasks[id].planned, context.state.asked.thread
    near = [each for each in context.state.material.sources if each.titles and each.name not in context.reaches]
    words = " ".join(dict.fromkeys((subtask.description, *(query.text for query in subtask.queries))))
    known = {document.title for document in thread.documents} if thread else set()
    asked = {term for term in query_terms(words) if telling(term, language=context.run.language) >= CALLED}
    asked -= {term for title in known for term in terms(title)}
    return any(
        not known.issuperset(each.titles[:1]) or any(asked.intersection(terms(title)) for title in each.titles)
        for each in await sources.described(context, near, words, path, subtask)
    )


def _asked_of_all(context: Context, asked: Mapping[str, set[str]]) -> tuple[str, ...]:
    """The texts that every source has been asked."""
    everyone = {source.name for source in context.state.material.sources}
    return tuple(text for text, sources in asked.items() if sources >= everyone)


def _known_queries(
    subtask: Subtask, branch: Branch, evaluation: DepthEvaluation | None, asked: Sequence[str]
) -> tuple[Query, ...]:
    if branch["round"] > 0:
        texts = dict.fromkeys(text for text in evaluation.queries if text.strip()) if evaluation else {}
        return tuple(Query(text=text, context=subtask.description) for text in texts if text not in asked)
    if branch["searches"] is not None:
        return tuple(Query(text=text) for text in branch["searches"] if text.strip())
    return subtask.queries


async def _sources(
    context: Context, path: str, subtask: Subtask, known: Sequence[Query]
) -> tuple[SourceDescription, ...]:
    """The sources; of several, each says what it holds on the subtask and what is asked of it."""
    if not context.divides:
        return context.state.material.sources
    words = " ".join(dict.fromkeys((subtask.description, *(query.text for query in known))))
    return await sources.described(context, context.state.material.sources, words, path, subtask)


def _with_documents(context: Context, plan: StrategicPlan, queries: tuple[Query, ...]) -> StrategicPlan:
    """The same, with all of the queries asked of what is at hand: that costs nothing, and rules may be wrong."""
    at_hand = [each.name for each in context.state.material.sources if each.kind == "file"]
    others = tuple(each for each in plan.allocations if each.source not in at_hand)
    own = tuple(Allocation(source=name, queries=queries) for name in at_hand)
    return plan.model_copy(update={"allocations": (*own, *others)})


def _of_all_sources(context: Context, queries: tuple[Query, ...], why: str) -> StrategicPlan:
    allocations = tuple(Allocation(source=source.name, queries=queries) for source in context.state.material.sources)
    return StrategicPlan(allocations=allocations, allocation_strategy=why)


def _linked(context: Context, subtask: Subtask, last: DepthEvaluation | None) -> list[Allocation]:
    """What is to be read of the pages that those read before link to."""
    links, about = context.state.material.links_of(subtask.subtask_id), subtask.description
    queries = [Query(text=each, context=about, opens=True) for each in (last.openings if last else ()) if each in links]
    return [Allocation(source=name, queries=tuple(queries)) for name in context.reaches if queries]


def _new_queries(of: Iterable[Allocation], context: Context, asked: Mapping[str, set[str]]) -> tuple[Allocation, ...]:
    """What may be asked: of sources that are there, each text once, and no more of them than the limit."""
    most, known = context.run.limits.max_queries, {source.name for source in context.state.material.sources}
    allocations = []
    for each in of:
        before = {text for text, of in asked.items() if not context.reaches or each.source in of}
        queries = _each_once(query for query in each.queries if query.text not in before)[:most]
        if each.source in known and queries:
            allocations.append(Allocation(source=each.source, queries=tuple(queries)))
    return tuple(allocations)


async def search(context: Context, id: str, now: Round, path: str) -> None:
    """Ask all that can be searched, at once; what came is kept in the order of the queries and not of the answers.

    What the sources at hand hold nothing on is asked of those that reach out, if that was not asked already; for all
    that is asked of them alone, these look into what was read for the question as a whole.
    """
    subtask = context.state.subtasks[id].planned
    search = partial(sources.search, context, subtask=subtask)
    near = [each for each in now.searched if each.source not in context.reaches]
    far = [each for each in now.searched if each.source in context.reaches]
    asked_far = [query for each in far for query in each.queries]
    near_alone = _each_once(query for each in near for query in each.queries if query not in asked_far)
    rounds = _by_source(far)
    found = await together(
        *(search(each.source, path, each.queries) for each in near),
        *(search(name, path, queries) for name, queries in rounds.items()),
        *(search(name, f"{path}/glance", near_alone, recall=True) for name in context.reaches),
    )
    at_hand, others = found[: len(near)], found[len(near) :]
    elsewhere, recalled = others[: len(rounds)], others[len(rounds) :]
    if context.reaches and not any(each.stopped for each in found):
        most = max(0, context.run.limits.max_queries - len(asked_far))
        open = _without_answer(near, at_hand, asked_far)[:most]
        elsewhere += await _ask_elsewhere(context, subtask, open, f"{path}/again")
    now.at_hand, now.beyond = at_hand, [*elsewhere, *recalled]


async def lay_out(context: Context, id: str, now: Round) -> list[Passage]:
    """The passages that this subtask has not read.

    All sources together bring no more passages than one may, or has brought: the best of each in turn, so that a second
    source adds to what the first one holds and does not bury it. A source that fails is left out; the subtask breaks
    when all of them do.

    Raises:
        LimitReached: the run has stopped before any search was answered.
    """
    run, subtask = context.run, context.state.subtasks[id]
    reading = subtask.reading
    assert now.at_hand is not None, "the searches come first"
    if any(dataset.round.turns for dataset in now.datasets):
        reading.passages = reading.passages or set()  # the subtask has begun, whatever cuts it off
    found = [*now.at_hand, *now.beyond]
    stopped = [
        reason
        for reason in (*(each.stopped for each in found), *(each.round.stopped for each in now.datasets))
        if reason
    ]
    came = [answer for each in found for answer in each.answers]
    answers = [each for each in came if each is not None]
    if stopped and not answers:
        raise LimitReached(stopped[0])
    if (came or now.datasets) and not answers and all(dataset.failed for dataset in now.datasets):
        subtask.broken = "every source failed"
    read = reading.passages = reading.passages or set()
    queries = _each_once(query for each in now.allocations for query in each.queries)
    ranked = merged(answers)
    shown = ranked.passages
    if _has_passages(now.at_hand) and _has_passages(now.beyond):
        shown = in_one_order(
            shown,
            documents={document.sha256: document for document in ranked.documents},
            sources=context.state.material.sources,
            queries=queries,
            question=run.query,
        )
    shown = shown[: max(run.limits.max_passages * len(queries), *(len(each.passages) for each in answers), 0)]
    new = [passage for passage in shown if passage.id not in read]
    read |= {passage.id for passage in new}
    named = {document.sha256: document for document in ranked.documents}
    documents = dict.fromkeys(passage.document for passage in new)
    told = tuple(DocumentShown.like(named[each]) for each in [*documents][:DOCUMENTS_SHOWN] if each in named)
    await context.emit(Gathered(subtask_id=id, passages=len(new), documents=len(documents), named=told))
    if now.datasets and not new:
        take_over(subtask, now.datasets, alone=not came)
    return new


async def _ask_elsewhere(context: Context, subtask: Subtask, queries: Sequence[Query], path: str) -> list[SourceAnswer]:
    """Ask those that reach out what nobody at hand has an answer to."""
    if not queries:
        return []
    texts, id = tuple(query.text for query in queries), subtask.subtask_id
    asked = dict.fromkeys(context.reaches, texts)
    await context.emit(Allocated(subtask_id=id, queries=asked, reason="the documents hold nothing on it"))
    for text in texts:
        context.state.subtasks[id].reading.asked.setdefault(text, set()).update(asked)
    return [await sources.search(context, name, path, queries, subtask=subtask) for name in asked]


def _by_source(allocations: Iterable[Allocation]) -> dict[str, list[Query]]:
    """All that a source is asked in one round."""
    queries: dict[str, list[Query]] = {}
    for each in allocations:
        queries.setdefault(each.source, []).extend(each.queries)
    return queries


def _without_answer(of: Sequence[Allocation], found: Sequence[SourceAnswer], asked: Sequence[Query]) -> list[Query]:
    """The queries that no source has a passage for, and that were not asked elsewhere, each text once."""
    queries = [query for allocation in of for query in allocation.queries]
    answers = [answer for each in found for answer in each.answers]
    answered = {query.text for query in asked}
    answered |= {query.text for query, answer in zip(queries, answers, strict=True) if answer and answer.passages}
    return _each_once(query for query in queries if query.text not in answered)


def _each_once(queries: Iterable[Query]) -> list[Query]:
    """Each text once."""
    return list({query.text: query for query in queries}.values())


def _has_passages(found: Iterable[SourceAnswer]) -> bool:
    return any(answer.passages for each in found for answer in each.answers if answer is not None)
