"""Searches by Tavily, which scores its hits (https://docs.tavily.com/documentation/api-reference/endpoint/search)."""

from __future__ import annotations

from fathom.browsing import WebQuery
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch, Score, Words, host_name
from fathom.services.http import Reply
from fathom.services.tavily import TAVILY

_MOST = 20
"""Hits of one search."""
_MOST_HOSTS = 150
"""Hosts that a search may leave out; twice as many may be asked for."""


class _Hit(Reply):
    url: str
    title: Words = ""
    content: Words = ""
    score: Score = None
    published_date: Words = ""


class _Reply(Reply):
    results: Entries[_Hit]


class Tavily(HttpSearch):
    """The whole web, by Tavily."""

    terms = TAVILY
    general = True
    cost_usd = 0.008

    async def _found(self, query: WebQuery) -> list[RawHit]:
        body: dict[str, object] = {
            "query": query.text,
            "search_depth": "basic",
            "max_results": min(query.limit, _MOST),
        }
        if allow := [host for host in map(host_name, query.allow) if host]:
            body["include_domains"] = allow[: 2 * _MOST_HOSTS]
        if deny := [host for host in map(host_name, query.deny) if host]:
            body["exclude_domains"] = deny[:_MOST_HOSTS]
        if query.since:
            body["start_date"] = query.since
        reply = await self.service.post("/search", _Reply, json=body)
        return [
            RawHit(hit.url, title=hit.title, snippet=hit.content, score=hit.score, published=hit.published_date)
            for hit in reply.results
        ]
