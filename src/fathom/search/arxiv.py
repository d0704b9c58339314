"""Searches in arXiv, whose hits bring their abstracts (https://info.arxiv.org/help/api/user-manual.html)."""

from __future__ import annotations

import re

from lxml import etree

from fathom.browsing import WebQuery
from fathom.errors import ProviderError
from fathom.outcomes import in_thread
from fathom.search.hits import RawHit
from fathom.search.http import HttpSearch, agent
from fathom.search.papers import significant_words
from fathom.services.terms import Terms
from fathom.settings import Settings
from fathom.text.harmless import inert

_ATOM = "{http://www.w3.org/2005/Atom}"
_FIELDS = ("id", "title", "summary", "published")
_SNIPPET = 400
_PAPER = re.compile(r"https?://(?:[a-z]+\.)?arxiv\.org/abs/([\w./-]+?)(?:v\d+)?$")


class Arxiv(HttpSearch):
    """Papers of physics, mathematics, computer science and their neighbours."""

    terms = Terms(name="arxiv", title="arXiv", per_second=1 / 3)  # as its terms of use ask

    @classmethod
    def headers(cls, settings: Settings) -> dict[str, str]:
        return agent(settings)

    async def _found(self, query: WebQuery) -> list[RawHit]:
        words = significant_words(query.text)
        if not words:
            return []
        search = " OR ".join(f'all:"{word}"' for word in words)
        if query.since:
            search = f"({search}) AND submittedDate:[{query.since.replace('-', '')}0000 TO 999912312359]"
        params = {
            "search_query": search,
            "start": "0",
            "max_results": str(query.limit),
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        body = await self.service.fetch("GET", "/api/query", params=params)
        entries = await in_thread(_entries, body)
        if entries is None:
            raise self.service.malformed("it is no Atom feed")
        if len(entries) == 1 and "/api/errors" in entries[0]["id"]:
            said = inert(entries[0]["summary"], width=160).rstrip(". ")
            raise ProviderError(f"{self.service.who} refuses the request ({said}): check the query.")
        return [
            RawHit(
                _PAPER.sub(r"https://arxiv.org/abs/\1", entry["id"]),
                title=entry["title"],
                snippet=entry["summary"][:_SNIPPET],
                text=entry["summary"],
                published=entry["published"],
            )
            for entry in entries
        ]


def _entries(body: bytes) -> list[dict[str, str]] | None:
    """The papers of a feed; `None` when it is no Atom feed, is not whole, or declares what could make it grow."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is None or root.tag != f"{_ATOM}feed" or root.getroottree().docinfo.internalDTD is not None:
        return None
    return [
        {name: " ".join((entry.findtext(f"{_ATOM}{name}") or "").split()) for name in _FIELDS}
        for entry in root.iterfind(f"{_ATOM}entry")
    ]
