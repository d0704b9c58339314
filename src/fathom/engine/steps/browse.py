"""One round on the web: search, choose, read, and lay out what the pages say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from fathom.browsing import WEB, ArchivedPage, SearchResults
from fathom.engine import online
from fathom.engine.context import Context, together
from fathom.engine.copies import distinct
from fathom.engine.fusion import Choice, Ranking, fuse, led_astray, too_old
from fathom.engine.reach import Reach
from fathom.errors import LOST, BudgetSpent, LimitReached, ProviderError
from fathom.events import CallFailed, PageLeftOut, PageRead, WebSearched
from fathom.evidence import Query, Retrieval
from fathom.plan import Subtask
from fathom.urls import page_key

T = TypeVar("T")


async def browse(
    context: Context, path: str, queries: Sequence[Query], *, subtask: Subtask | None = None, limit: int | None = None
) -> list[Retrieval] | None:
    """What the web holds on each query of a subtask, or of the question as a whole; `None` when nobody answers.

    The passages are those of the best pages that all of the queries have found, and of the pages that were read before
    for this subtask or for the question as a whole; of copies only the best one counts. Pages that cannot be read are
    told of and left out. `limit` is the number of passages of a query; without it, that of the run.

    Raises:
        LimitReached: the run has stopped before anything was found.
        StoreError: the archive cannot be read.
    """
    reach = context.reach
    assert reach is not None, "whoever browses has asked whether it may"
    answers = await _search_all(context, path, queries, subtask)
    if answers is None:
        return None
    board, run = context.board, context.run
    fused = fuse(
        answers,
        question=run.query,
        subject=subtask.description if subtask else "",
        rules=reach.rules,
        today=run.created_at[:10],
        limit=run.limits.max_pages,
    )
    board.found |= fused.found
    for url, reason in fused.left_out.items():
        await _tell(context, PageLeftOut(url=url, reason=reason))
    read = await together(*(_read(context, choice, reach, subtask) for choice in fused.choices))
    pages = _known(context, subtask, [page for page in read if page is not None])
    return await _passages(context, path, queries, subtask, distinct(pages), limit)


async def glance(
    context: Context, path: str, queries: Sequence[Query], *, subtask: Subtask | None = None
) -> list[Retrieval] | None:
    """What the pages that were read for the question as a whole hold on queries that the web is not asked.

    It costs no request, and shows where the web disagrees with the documents. `None` when the archive fails.

    Raises:
        As for `browse`.
    """
    return await _passages(context, path, queries, subtask, distinct(_known(context, subtask)), None)


def _known(context: Context, subtask: Subtask | None, read: Iterable[ArchivedPage] = ()) -> list[ArchivedPage]:
    """The pages of a subtask: those it has had, those it has just read, and those of the question as a whole."""
    board = context.board
    pages = board.pages.setdefault(subtask.subtask_id if subtask else "", {})
    for page in (*read, *board.pages.get("", {}).values()):
        pages.setdefault(page.document.sha256, page)
    return list(pages.values())


# ── Searching ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _search_all(
    context: Context, path: str, queries: Sequence[Query], subtask: Subtask | None
) -> list[Ranking] | None:
    """What the providers have found; the fallbacks are asked for what the first ones have nothing on."""
    reach = context.reach
    assert reach is not None
    limited: list[LimitReached] = []
    lost: set[int] = set()

    async def one(provider: str, number: int) -> SearchResults | None:
        try:
            return await _search(
                context, f"{path}/search/{WEB}/{provider}/{number}", provider, queries[number], subtask
            )
        except LimitReached as stop:
            # what was found before the stop counts, here and in a replay
            limited.append(stop)
        except ProviderError as error:
            if isinstance(error, LOST):
                lost.add(number)
        return None

    asked = [(provider, number) for number in range(len(queries)) for provider in reach.searches]
    answers = dict(zip(asked, await together(*(one(*each) for each in asked)), strict=True))
    for provider in reach.fallbacks:
        open = [
            number
            for number in range(len(queries))
            if not any(found and found.hits for (_, at), found in answers.items() if at == number)
        ]
        asked = [(provider, number) for number in open if (provider, number) not in answers]
        answers |= dict(zip(asked, await together(*(one(*each) for each in asked)), strict=True))
    rankings = [
        Ranking(queries[number].text, provider, found.hits)
        for (provider, number), found in answers.items()
        if found is not None
    ]
    context.board.missed |= bool(lost - {number for (_, number), found in answers.items() if found is not None})
    if not rankings and limited:
        raise limited[0]
    return rankings or None


async def _search(context: Context, path: str, provider: str, query: Query, subtask: Subtask | None) -> SearchResults:
    """What a provider has found; a failure is told and raised."""
    id = subtask.subtask_id if subtask else None
    try:
        found = await online.search(context, path, provider, query, subtask=subtask)
    except ProviderError as error:
        if not isinstance(error, BudgetSpent):  # which is told as the reason why the report is incomplete
            context.board.fail(provider, error, stands_alone=False)
        await context.emit(CallFailed(subtask_id=id, call=f"search {provider}", error=str(error)))
        raise
    words = online.standing_alone(query, context.run.query)
    await context.emit(
        WebSearched(subtask_id=id, provider=provider, query=words, hits=len(found.hits), cached=found.cached)
    )
    return found


# ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def _read(context: Context, choice: Choice, reach: Reach, subtask: Subtask | None) -> ArchivedPage | None:
    """The page, or what the provider holds of it when it cannot be read; `None` when there is neither."""
    try:
        page, reason = await _page(context, choice, subtask)
    except LimitReached:  # the pages that were read before the stop count, here and in a replay
        return None
    if page is not None:
        document, rules = page.document, reach.rules
        reason = too_old(document.published, rules) or led_astray(choice.url, document.uri, rules)
    if page is None or reason:
        await _tell(context, PageLeftOut(url=choice.url, reason=reason))
        return None
    context.board.visited.add(page_key(choice.url))
    context.board.holders.setdefault(page.document.sha256, WEB)
    await _tell(
        context,
        PageRead(url=choice.url, title=page.document.title, characters=page.characters, cached=page.cached),
    )
    return page


async def _page(context: Context, choice: Choice, subtask: Subtask | None) -> tuple[ArchivedPage | None, str]:
    try:
        reading = await online.read(context, choice.url, subtask=subtask)
        page, reason = reading.page, reading.left_out
    except ProviderError as error:
        page, reason = None, str(error)
    if page is None and choice.hit.text.strip():
        try:
            page = await online.keep(context, choice.hit, choice.url, choice.provider)
        except ProviderError as error:
            reason = str(error)
    return page, reason


async def _tell(context: Context, event: PageRead | PageLeftOut) -> None:
    """Tell of a page, once in a run."""
    if event.url not in context.board.told:
        context.board.told.add(event.url)
        await context.emit(event)


# ── What the pages say ─────────────────────────────────────────────────────────────────────────────────────────────


async def _passages(
    context: Context,
    path: str,
    queries: Sequence[Query],
    subtask: Subtask | None,
    pages: Sequence[ArchivedPage],
    limit: int | None,
) -> list[Retrieval] | None:
    """What the pages hold on each query, and what they hold at all."""
    if not pages:
        return [Retrieval() for _ in queries]
    documents = {page.document.sha256: page.document for page in pages}
    most = limit or context.run.limits.max_passages
    within = list(documents)
    calls: list[Callable[..., Awaitable[Any]]] = [
        partial(
            online.passages,
            context,
            f"{path}/passages/{WEB}/{number}",
            query,
            within=within,
            limit=most,
            subtask=subtask,
        )
        for number, query in enumerate(queries)
    ]
    calls.append(
        partial(online.describe, context, f"{path}/describe/{WEB}", context.run.query, within=within, subtask=subtask)
    )
    *found, description = await together(*(_or_none(context, subtask, call) for call in calls))
    if description is not None:
        context.board.holdings[subtask.subtask_id if subtask else ""] = description
    answers = []
    for retrieval in found:
        if retrieval is not None:
            standing = [passage for passage in retrieval.passages if passage.document in documents]
            cited = dict.fromkeys(passage.document for passage in standing)
            answers.append(Retrieval(documents=tuple(map(documents.__getitem__, cited)), passages=tuple(standing)))
    return answers or None


async def _or_none(context: Context, subtask: Subtask | None, call: Callable[..., Awaitable[T]]) -> T | None:
    """The answer of the archive; a failure is told and answered with `None`. What was read belongs to the report."""
    try:
        try:
            return await call()
        except LimitReached:
            return await call(phase="report")
    except ProviderError as error:
        context.board.fail(WEB, error)
        id = subtask.subtask_id if subtask else None
        await context.emit(CallFailed(subtask_id=id, call=f"search {WEB}", error=str(error)))
        return None
