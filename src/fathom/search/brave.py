"""Searches by Brave (https://api-dashboard.search.brave.com/app/documentation/web-search)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from fathom.browsing import WebQuery
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch, Words, sites
from fathom.services.http import Reply
from fathom.services.terms import Terms

_MOST = 20
"""Hits of one search."""
_LONGEST, _WORDS = 400, 50
"""Characters and words that a query may have, operators included."""
_LANGUAGES = frozenset(
    "ar bg bn ca cs da de en es et eu fi fr gl gu he hi hr hu is it kn ko lt lv ml mr ms nb nl pa pl ro ru sk sl sr sv "
    "ta te th tr uk vi".split()
)
_OTHER_NAMES = {"ja": "jp", "zh": "zh-hans", "pt": "pt-br", "no": "nb"}
"""What Brave calls languages that it does not call by their code."""


class _Hit(Reply):
    url: str
    title: Words = ""
    description: Words = ""
    page_age: Words = ""
    age: Words = ""


class _Web(Reply):
    results: Entries[_Hit]


class _Reply(Reply):
    type: Literal["search"]
    web: _Web | None = None
    """Left out when nothing was found."""


class Brave(HttpSearch):
    """The whole web, by Brave's own index."""

    terms = Terms(
        name="brave",
        title="Brave Search",
        key="needed",
        variable="BRAVE_API_KEY",
        header="X-Subscription-Token",
        per_second=1.0,
    )
    general = True
    cost_usd = 0.005
    longest = _LONGEST

    async def _found(self, query: WebQuery) -> list[RawHit]:
        params = {
            "q": _fitting(query.text, sites(query)),
            "count": str(min(query.limit, _MOST)),
            "result_filter": "web",
            "text_decorations": "false",
        }
        language = _OTHER_NAMES.get(query.language, query.language)
        if query.language in _OTHER_NAMES or language in _LANGUAGES:
            params["search_lang"] = language
        if query.since:
            params["freshness"] = f"{query.since}to{datetime.now(UTC).date().isoformat()}"
        reply = await self.service.get("/res/v1/web/search", _Reply, params=params)
        return [
            RawHit(hit.url, title=hit.title, snippet=hit.description, published=hit.page_age or hit.age)
            for hit in (reply.web.results if reply.web else ())
        ]


def _fitting(text: str, operators: str) -> str:
    """The query with its operators, where both fit; the words alone otherwise, for the hits are sifted anyway."""
    whole = text + operators
    if len(whole) <= _LONGEST and len(whole.split()) <= _WORDS:
        return whole
    return " ".join(text.split()[:_WORDS])
