"""Searches by Serper, which asks Google (https://serper.dev/playground)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from fathom.browsing import WebQuery
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch, Score, SearchAnswer, Words, sites
from fathom.services.http import Reply
from fathom.services.terms import Terms

_A_PAGE = 10
"""Hits that cost one credit; more cost two."""
_AGO = re.compile(r"(\d{1,4})\s+(min|minute|hour|day)s?\s+ago", re.IGNORECASE)


class _Hit(Reply):
    link: str
    title: Words = ""
    snippet: Words = ""
    date: Words = ""


class _Reply(Reply):
    organic: Entries[_Hit]
    credits: Score = None


class Serper(HttpSearch):
    """The whole web, by Google, through Serper."""

    terms = Terms(
        name="serper",
        title="Serper",
        key="needed",
        variable="SERPER_API_KEY",
        header="X-API-KEY",
        per_second=10.0,  # https://serper.dev allows 50 with the smallest package
        advice={400: "a search may have used up its credits: look at https://serper.dev, or check the query"},
    )
    general = True
    cost_usd = 0.001  # a credit of the smallest package: https://serper.dev, August 2026

    async def _found(self, query: WebQuery) -> SearchAnswer:
        body: dict[str, object] = {"q": f"{query.text}{sites(query)}", "num": max(query.limit, _A_PAGE)}
        if query.language:
            body["hl"] = query.language
        if query.since:
            first = date.fromisoformat(query.since)
            body["tbs"] = f"cdr:1,cd_min:{first.month}/{first.day}/{first.year}"
        reply = await self.service.post("/search", _Reply, json=body)
        today = datetime.now(UTC).date()
        found = [
            RawHit(hit.link, title=hit.title, snippet=hit.snippet, published=day_of(hit.date, today=today))
            for hit in reply.organic
        ]
        return SearchAnswer(found, cost_usd=None if reply.credits is None else reply.credits * self.cost_usd)


def day_of(text: str, *, today: date) -> str:
    """A date as Google writes it, where it says the day by its distance from `today`; else the text itself.

    >>> day_of("3 days ago", today=date(2024, 3, 1)), day_of("Mar 4, 2024", today=date(2024, 3, 9))
    ('2024-02-27', 'Mar 4, 2024')
    """
    if match := _AGO.fullmatch(text.strip()):
        days = int(match[1]) if match[2].lower() == "day" else 0
        return (today - timedelta(days=days)).isoformat()
    return text
