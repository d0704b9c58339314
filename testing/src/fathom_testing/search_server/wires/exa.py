"""Exa: `POST /search`."""

from __future__ import annotations

from typing import Any

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, score_of, snippet_of
from fathom_testing.search_server.wires import limit_of, words_of

RESULTS = "results"
ROUTE = "POST /search"
KEY = "x-api-key"
_KNOWN = {"query", "type", "numResults", "contents", "includeDomains", "excludeDomains", "startPublishedDate"}


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any]:
    """Hits with scores, texts and highlights, and what they cost."""
    body = asked.json()
    if unknown := body.keys() - _KNOWN:
        raise ValueError(f"Unrecognized keys: {', '.join(sorted(unknown))}")
    limit = limit_of(body.get("numResults"), otherwise=10, most=100)
    longest = int(body["contents"]["text"]["maxCharacters"])
    hits = [
        {
            "id": entry.url,
            "url": entry.url,
            "title": entry.title,
            "publishedDate": f"{entry.published}T00:00:00.000Z" if entry.published else None,
            "author": None,
            "score": score_of(place),
            "text": entry.text[:longest],
            "highlights": [snippet_of(entry)],
            "highlightScores": [score_of(place)],
        }
        for place, entry in enumerate(shelf.search(words_of(body.get("query")), limit))
    ]
    cost = 0.007 + 0.001 * max(0, limit - 10)
    return {"requestId": "r1", "resolvedSearchType": "neural", "results": hits, "costDollars": {"total": cost}}


def failure(status: int, message: str) -> dict[str, Any]:
    """The message stands in `error`."""
    return {"requestId": "r1", "error": message, "tag": "INVALID_API_KEY" if status == 401 else "ERROR"}
