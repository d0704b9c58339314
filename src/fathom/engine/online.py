"""The calls to the web, each of them through the journal: searches, pages, and what is found in pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from fathom.browsing import WEB, ArchivedPage, SearchHit, SearchResults, WebQuery
from fathom.engine import tracing
from fathom.engine.context import Context, now, request_digest
from fathom.engine.ledger import READ, WEB_SEARCH, Phase
from fathom.engine.reach import Reach, Reading
from fathom.errors import PageError, ProviderError, Unavailable
from fathom.evidence import Query, Retrieval, SourceDescription
from fathom.natures import nature_of
from fathom.plan import Subtask
from fathom.ports.web import Page, Web, WebSearch, page_of_hit
from fathom.reading.document import ReadDocument
from fathom.reading.plain import PlainParser
from fathom.text.analysis import identifiers, query_terms
from fathom.text.language import detect
from fathom.text.likeness import signature

FEW_TERMS = 3
"""A query with fewer terms, and without a name, hardly tells what it is about."""
MOST_NAMES = 3
"""Words of the question that are added to such a query."""


async def reach_of(context: Context) -> Reach | None:
    """What of the web this attempt may use; `None` when it has none. A replay follows what was decided."""
    path = f"web/{context.run.attempt}"
    if context.web is not None and not context.replay:
        return Reach.model_validate(await context.decide(path, Reach.of(context.web).model_dump(mode="json")))
    decided = context.journal.decision(path)
    return Reach.model_validate(decided) if decided else None


async def search(
    context: Context, path: str, provider: str, query: Query, *, subtask: Subtask | None = None
) -> SearchResults:
    """What a provider finds for the query, from the archive if it was asked lately. Asked once per run.

    Raises:
        LimitReached: the run has stopped.
        BudgetSpent: there are no dollars left for it.
        ProviderError: no usable answer.
    """
    assert context.reach is not None, "whoever searches has asked what may be searched"
    rules = context.reach.rules
    asked = WebQuery(
        text=standing_alone(query, context.run.query),
        language=context.run.language,
        limit=context.run.limits.max_results,
        since=rules.since,
        allow=rules.allow,
        deny=rules.deny,
    )
    request = request_digest(WEB_SEARCH, provider, asked.digest())

    async def perform() -> str:
        web = _web(context)
        if not rules.refresh:
            since = (datetime.now(UTC) - timedelta(seconds=web.keep_searches)).isoformat(timespec="seconds")
            if kept := await web.archive.results(request, since=since):
                return kept.model_copy(update={"cost_usd": 0.0, "cached": True}).model_dump_json()
        source = _provider(web, provider)
        with tracing.search_span(provider) as span:
            results = await context.journal.buy(path, request, source.cost_usd, lambda: source.search(asked))
            span.set_attributes({"fathom.hits": len(results.hits)})
        await web.archive.keep_results(request, results)
        return results.model_dump_json()

    priority, lane = context.priority(subtask), context.lane(provider)
    await lane.enter(priority)
    try:
        answer = await context.journal.call(path, WEB_SEARCH, request, perform, shared=True, priority=priority)
    finally:
        lane.leave()
    return SearchResults.model_validate_json(answer)


def standing_alone(query: Query, question: str) -> str:
    """The words of a query with what they speak of: no search engine has read the question.

    >>> standing_alone(Query(text="when was it built"), "How high is the Norvik lighthouse and when was it built?")
    'when was it built Norvik'
    >>> standing_alone(Query(text="what limits it"), "How does photosynthesis work and what limits it?")
    'what limits it photosynthesis'
    """
    own = set(query_terms(query.text))
    names = _names(query.context) or _names(question)
    if _names(query.text) or any(own.intersection(query_terms(name)) for name in names):
        return query.text
    if not names and len(own) < FEW_TERMS:
        names = [word.strip(".,;:?!") for word in question.split() if own.isdisjoint(query_terms(word) or own)]
    return " ".join((query.text, *names[:MOST_NAMES]))


def _names(text: str) -> list[str]:
    """What a text names, without options: to a search engine `--prune` is a word that must not occur."""
    return [name for name in identifiers(text) if name[0].isalnum()]


async def read(context: Context, url: str, *, subtask: Subtask | None = None) -> Reading:
    """The page at an address, as `canonical_url` writes it: from the archive or its server, once per run.

    A page that is asked for again, and cannot be had, is what it was.

    Raises:
        LimitReached: the run has stopped.
        ProviderError: it cannot be had now.
    """
    request = request_digest(READ, url)

    async def perform() -> str:
        web = _web(context)
        known = await web.archive.page(url)
        if known is not None and _is_fresh(known, web):
            return Reading(page=known.model_copy(update={"cached": True})).model_dump_json()
        try:
            page = await web.reader.read(url, known=known)
        except PageError as error:  # for this run that is its answer, not a failure to try again
            return Reading(left_out=str(error)).model_dump_json()
        except ProviderError:
            if known is None:
                raise
            return Reading(page=known.model_copy(update={"cached": True})).model_dump_json()
        if page is not None:
            archived = await web.archive.keep_page(page)
        else:
            archived = await web.archive.confirm_page(url, at=now())
        context.journal.budget.has_read()
        return Reading(page=archived.model_copy(update={"cached": False})).model_dump_json()

    name, priority = request_digest(url)[:16], context.priority(subtask)
    answer = await context.journal.call(f"read/{name}", READ, request, perform, shared=True, priority=priority)
    reading = Reading.model_validate_json(answer)
    if reading.page is None or not await _is_lost(context, url, f"lost/{name}"):
        return reading
    again = request_digest(READ, url, "again")
    answer = await context.journal.call(f"read/{name}/again", READ, again, perform, shared=True, priority=priority)
    return Reading.model_validate_json(answer)


async def _is_lost(context: Context, url: str, path: str) -> bool:
    """Whether the archive no longer holds a page that an earlier process has read: somebody has moved it away."""
    if context.journal.decision(path) is None:
        if context.web is None or context.replay or await context.web.archive.page(url) is not None:
            return False
        await context.decide(path, True)
    return True


def _is_fresh(page: ArchivedPage, web: Web) -> bool:
    if web.rules.refresh:
        return False
    if web.keep_pages is None:
        return True
    oldest = datetime.now(UTC) - timedelta(seconds=web.keep_pages)
    return page.document.retrieved_at >= oldest.isoformat(timespec="seconds")


async def keep(context: Context, hit: SearchHit, url: str, provider: str) -> ArchivedPage:
    """What a provider itself holds of a page that cannot be read, as the page; its title says whose words it has.

    Raises:
        LimitReached: the run has stopped.
        Unavailable: the web is off.
    """
    text = page_of_hit(hit)

    async def perform() -> str:
        blocks = PlainParser(text).parse()
        page = Page(
            url=f"{url}#{provider}",  # the page itself has not been read: another run may try again
            address=url,
            content=ReadDocument(text=text, title=hit.title, markup="plain", blocks=blocks),
            title=f"{hit.title or url} ({provider})",
            language=detect(text),
            retrieved_at=now(),
            published=hit.published,
            nature=nature_of(url),
            likeness=signature(text),
        )
        return (await _web(context).archive.keep_page(page)).model_dump_json()

    request = request_digest("keep", url, provider, text, hit.published)
    answer = await context.journal.call(f"keep/{request[:16]}", "keep", request, perform, shared=True)
    return ArchivedPage.model_validate_json(answer)


async def passages(
    context: Context,
    path: str,
    query: Query,
    *,
    within: Sequence[str],
    limit: int,
    subtask: Subtask | None = None,
    phase: Phase = "research",
) -> Retrieval:
    """What the snapshots `within` hold on the query.

    Raises:
        LimitReached: the run has stopped.
        Unavailable: the web is off.
        StoreError: the archive cannot be read.
    """

    async def perform() -> str:
        return (await _web(context).archive.search(query, within=within, limit=limit)).model_dump_json()

    request = request_digest("search", WEB, query.digest(), str(limit), *sorted(within))
    answer = await context.journal.call(
        path, "search", request, perform, phase=phase, shared=True, priority=context.priority(subtask)
    )
    return Retrieval.model_validate_json(answer)


async def describe(
    context: Context,
    path: str,
    query: str,
    *,
    within: Sequence[str],
    subtask: Subtask | None = None,
    phase: Phase = "research",
) -> SourceDescription:
    """What the snapshots `within` hold, as a source describes itself.

    Raises:
        As for `passages`.
    """

    async def perform() -> str:
        described = await _web(context).archive.describe(query, within=within)
        return described.model_copy(update={"name": WEB, "kind": "web"}).model_dump_json()

    request = request_digest("describe", WEB, query, *sorted(within))
    answer = await context.journal.call(
        path, "describe", request, perform, phase=phase, shared=True, priority=context.priority(subtask)
    )
    return SourceDescription.model_validate_json(answer)


def _web(context: Context) -> Web:
    if context.web is None:
        raise Unavailable("The run has begun with the web, which is off now: take it up as it was begun.")
    return context.web


def _provider(web: Web, name: str) -> WebSearch:
    for each in (*web.searches, *web.fallbacks):
        if each.name == name:
            return each
    raise Unavailable(f"The run has begun with {name}, which is not set up now: take it up as it was begun.")
