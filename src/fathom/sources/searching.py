"""One search of one provider: from the archive if it was asked lately, and paid for if not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from fathom.browsing import WEB_SEARCH, Reach, SearchResults, WebQuery
from fathom.errors import LimitReached, ProviderError, Unavailable
from fathom.evidence import Query, now
from fathom.frozen import request_digest
from fathom.outcomes import together
from fathom.ports.source import SourceCalls
from fathom.ports.web import Web
from fathom.telemetry import search_span
from fathom.text.analysis import identifiers, query_terms

T = TypeVar("T")

FEW_TERMS = 3
"""A query with fewer terms, and without a name, hardly tells what it is about."""
MOST_NAMES = 3
"""Words of the question that are added to such a query."""


async def ask(
    web: Web | None, reach: Reach, path: str, provider: str, query: Query, calls: SourceCalls
) -> SearchResults:
    """What a provider finds for the query. Asked once per run.

    Raises:
        LimitReached: the run has stopped.
        BudgetSpent: there are no dollars left for it.
        ProviderError: no usable answer.
    """
    rules = reach.rules
    asked = WebQuery(
        text=standing_alone(query, calls.run.query),
        language=calls.run.language,
        limit=calls.run.limits.max_results,
        **rules.model_dump(include={"since", "allow", "deny"}),
    )
    request = request_digest(WEB_SEARCH, provider, asked.digest())

    async def perform() -> str:
        there = at_hand(web)
        since = now(less=there.keep_searches)
        if not rules.refresh and (kept := await there.archive.results(request, since=since)):
            return kept.model_copy(update={"cost_usd": 0.0, "cached": True}).model_dump_json()
        providers = {each.name: each for each in (*there.searches, *there.fallbacks)}
        if (source := providers.get(provider)) is None:
            told = f"The run has begun with {provider}, which is not set up now: take it up as it was begun."
            raise Unavailable(told)
        with search_span(provider) as span:
            results = await calls.buy(path, request, source.cost_usd, lambda: source.search(asked))
            span.set_attributes({"fathom.hits": len(results.hits)})
        await there.archive.keep_results(request, results)
        return results.model_dump_json()

    answer = await calls.call(path, WEB_SEARCH, request, perform, lane=provider)
    return SearchResults.model_validate_json(answer)


async def each_answered(
    name: str, ask: Callable[[int, Query], Awaitable[T]], queries: Sequence[Query], calls: SourceCalls
) -> tuple[list[T | None], str]:
    """What comes of each query, asked side by side, and the limit that has cut some off; empty when none has.

    `None` stands for what was cut off, and for what has failed, which is told: the others count all the same.
    """
    stops: list[LimitReached] = []

    async def one(number: int, query: Query) -> T | None:
        try:
            return await ask(number, query)
        except LimitReached as stop:
            stops.append(stop)
        except ProviderError as error:
            await calls.failed(name, error)
        return None

    answers = await together(*(one(*each) for each in enumerate(queries)))
    return answers, stops[0].reason if stops else ""


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


def at_hand(web: Web | None) -> Web:
    """The web, where this process has it.

    Raises:
        Unavailable: it is off.
    """
    if web is None:
        raise Unavailable("The run has begun with the web, which is off now: take it up as it was begun.")
    return web
