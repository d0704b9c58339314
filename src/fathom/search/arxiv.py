"""Searches in arXiv, whose hits bring their abstracts (https://info.arxiv.org/help/api/user-manual.html)."""

from __future__ import annotations

import asyncio
import io
import re
from typing import Any
from xml.sax import SAXParseException

from pydantic import SecretStr

from fathom.browsing import WebQuery
from fathom.errors import ProviderError
from fathom.search.hits import Found
from fathom.search.http import HttpSearch, agent
from fathom.services.terms import Terms
from fathom.settings import Settings
from fathom.text.harmless import inert
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS

_SNIPPET = 400
_MOST_WORDS = 12
_WORD = re.compile(r"[^\W_]+(?:[-.'’][^\W_]+)*")
_PAPER = re.compile(r"https?://(?:[a-z]+\.)?arxiv\.org/abs/([\w./-]+?)(?:v\d+)?$")


class Arxiv(HttpSearch):
    """Papers of physics, mathematics, computer science and their neighbours."""

    terms = Terms(name="arxiv", title="arXiv", per_second=1 / 3)  # as its terms of use ask

    @classmethod
    def headers(cls, settings: Settings, key: SecretStr | None) -> dict[str, str]:
        del key
        return agent(settings)

    async def _found(self, query: WebQuery) -> list[Found]:
        words = _significant(query.text)
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
        feed = await asyncio.to_thread(_parsed, body)
        if feed is None:
            raise self.service.malformed("it is no Atom feed")
        entries = feed.entries
        if len(entries) == 1 and "/api/errors" in entries[0].get("id", ""):
            said = inert(entries[0].get("summary", ""), width=160).rstrip(". ")
            raise ProviderError(f"{self.service.who} refuses the request ({said}): check the query.")
        return [
            Found(
                _PAPER.sub(r"https://arxiv.org/abs/\1", entry.get("id", "") or entry.get("link", "")),
                title=entry.get("title", ""),
                snippet=entry.get("summary", "")[:_SNIPPET],
                text=entry.get("summary", ""),
                published=entry.get("published", "") or entry.get("updated", ""),
            )
            for entry in entries
        ]


def _significant(text: str) -> list[str]:
    """The words of a query that say what it is about, each once; they hold nothing that is an operator.

    >>> _significant('How does "BERT-large" compare to ti:GPT AND (RoBERTa)?')
    ['BERT-large', 'ti', 'GPT', 'RoBERTa']
    """
    found = dict.fromkeys(_WORD.findall(text))
    kept = [word for word in found if word.lower() not in ENGLISH_STOP_WORDS | ASKING_WORDS]
    return (kept or [word for word in found if word not in ("AND", "OR", "ANDNOT")])[:_MOST_WORDS]


def _parsed(body: bytes) -> Any:
    """The feed; `None` when it is no Atom feed, or is not whole."""
    import feedparser  # type: ignore[import-untyped]

    feed = feedparser.parse(io.BytesIO(body))  # a stream, for text might be taken for an address
    whole = not (feed.bozo and isinstance(feed.bozo_exception, SAXParseException))
    return feed if whole and feed.get("version", "").startswith("atom") else None
