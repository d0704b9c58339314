"""Searches by a SearXNG server of the user's own (https://docs.searxng.org/dev/search_api.html)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from fathom.browsing import WebQuery
from fathom.errors import ProviderFault
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch, Score, Words, sites
from fathom.services.http import Reply
from fathom.services.terms import Terms


class _Hit(Reply):
    url: str
    title: Words = ""
    content: Words = ""
    score: Score = None
    publishedDate: Words = ""


class _Reply(Reply):
    results: Entries[_Hit]
    unresponsive_engines: list[Any] = []


class Searxng(HttpSearch):
    """The whole web, by every engine that the server asks."""

    terms = Terms(
        name="searxng",
        title="SearXNG",
        needs_address=True,
        per_second=2.0,
        advice={
            403: "its JSON format is not enabled, so add `json` to `search.formats` in its settings.yml",
            429: "its limiter holds us off, so set `server.limiter: false` in its settings.yml",
        },
    )
    general = True

    async def _found(self, query: WebQuery) -> list[RawHit]:
        params = {"q": query.text + sites(query), "format": "json", "categories": "general"}
        if query.language:
            params["language"] = query.language
        if span := _span(query.since, today=datetime.now(UTC).date()):
            params["time_range"] = span
        reply = await self.service.get("/search", _Reply, params=params)
        if not reply.results and reply.unresponsive_engines:
            raise ProviderFault(
                f"{self.service.who} found nothing because {len(reply.unresponsive_engines)} of its engines gave no "
                "answer: enable other engines in its settings.yml, or try again later."
            )
        best = max((hit.score for hit in reply.results if hit.score is not None), default=0.0)
        return [
            RawHit(
                hit.url,
                title=hit.title,
                snippet=hit.content,
                score=hit.score / best if hit.score is not None and best > 0 else None,  # they have no upper bound
                published=hit.publishedDate,
            )
            for hit in reply.results
        ]


def _span(since: str, *, today: date) -> str:
    """The shortest span of time that SearXNG knows and that reaches back to `since`; empty when none does.

    >>> [_span(day, today=date(2024, 5, 6)) for day in ("2024-05-05", "2024-04-20", "2023-09-01", "2020-01-01", "")]
    ['day', 'month', 'year', '', '']
    """
    try:
        days = (today - date.fromisoformat(since)).days
    except ValueError:
        return ""
    return next((name for name, most in (("day", 1), ("month", 30), ("year", 365)) if days <= most), "")
