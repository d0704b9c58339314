"""Searches by Exa, which tells what each has cost (https://exa.ai/docs/reference/search)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from fathom.browsing import WebQuery
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch, Score, SearchAnswer, Words, host_name
from fathom.services.http import Reply
from fathom.services.terms import Terms

_MOST_HOSTS = 100
"""Hosts that a search may leave out or keep to."""
_SNIPPET, _TEXT = 500, 4_000
"""Characters of a page that are asked for; both come with the price of a search."""


class _Hit(Reply):
    url: str
    title: Words = ""
    publishedDate: Words = ""
    score: Score = None
    text: Words = ""
    highlights: list[str] | None = None


class _Cost(Reply):
    total: Score = None


class _Reply(Reply):
    results: Entries[_Hit]
    costDollars: Annotated[_Cost | None, BeforeValidator(lambda value: value if isinstance(value, dict) else None)] = (
        None
    )


class Exa(HttpSearch):
    """The whole web, by Exa."""

    terms = Terms(name="exa", title="Exa", key="needed", variable="EXA_API_KEY", header="x-api-key", per_second=10.0)
    general = True
    cost_usd = 0.007  # with the text of up to 10 pages: https://exa.ai/docs/reference/pricing, November 2026

    async def _found(self, query: WebQuery) -> SearchAnswer:
        body: dict[str, object] = {
            "query": query.text,
            "type": "auto",
            "numResults": query.limit,
            "contents": {"highlights": {"maxCharacters": _SNIPPET}, "text": {"maxCharacters": _TEXT}},
        }
        if allow := [host for host in map(host_name, query.allow) if host]:
            body["includeDomains"] = allow[:_MOST_HOSTS]
        if deny := [host for host in map(host_name, query.deny) if host]:
            body["excludeDomains"] = deny[:_MOST_HOSTS]
        if query.since:
            body["startPublishedDate"] = f"{query.since}T00:00:00.000Z"
        reply = await self.service.post("/search", _Reply, json=body)
        return SearchAnswer(
            [
                RawHit(
                    hit.url,
                    title=hit.title,
                    snippet=" … ".join(hit.highlights or ()) or hit.text[:_SNIPPET],
                    score=hit.score,
                    published=hit.publishedDate,
                    text=hit.text,
                )
                for hit in reply.results
            ],
            cost_usd=reply.costDollars.total if reply.costDollars else None,
        )
