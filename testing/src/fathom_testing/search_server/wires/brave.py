"""Brave Search: `GET /res/v1/web/search`."""

from __future__ import annotations

from typing import Any

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, snippet_of
from fathom_testing.search_server.wires import limit_of, parameters, words_of

RESULTS = "web.results"
ROUTE = "GET /res/v1/web/search"
KEY = "x-subscription-token"
_LONGEST = 400
_MOST = 20


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any]:
    """Hits without scores; `web` is left out when there are none."""
    given = parameters(asked)
    query = words_of(given.get("q"))
    if len(query) > _LONGEST:
        raise ValueError("Unable to validate request parameter(s)")
    hits = [
        {
            "type": "search_result",
            "url": entry.url,
            "title": entry.title,
            "description": snippet_of(entry),
            "language": "en",
            **({"page_age": f"{entry.published}T10:00:00", "age": "3 days ago"} if entry.published else {}),
        }
        for entry in shelf.search(query, limit_of(given.get("count"), otherwise=20, most=_MOST))
    ]
    found: dict[str, Any] = {"type": "search", "query": {"original": query, "more_results_available": False}}
    return {**found, "web": {"type": "search", "results": hits}} if hits else found


def failure(status: int, message: str) -> dict[str, Any]:
    """The message stands in `error.detail`."""
    return {"type": "ErrorResponse", "error": {"code": "ERROR", "detail": message, "status": status}}
