"""SearXNG: `GET /search?format=json`."""

from __future__ import annotations

from typing import Any

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, snippet_of
from fathom_testing.search_server.wires import parameters, words_of

RESULTS = "results"
ROUTE = "GET /search"
KEY = ""
_MOST = 20


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any]:
    """Hits of several engines; scores have no bound."""
    given = parameters(asked)
    if given.get("format") != "json":
        raise ValueError("This server only knows the format json.")
    if given.get("time_range", "") not in ("", "day", "month", "year"):
        raise ValueError("Invalid value for parameter time_range")
    found = shelf.search(words_of(given.get("q")), _MOST)
    hits = [
        {
            "url": entry.url,
            "title": entry.title,
            "content": snippet_of(entry),
            "publishedDate": f"{entry.published}T00:00:00" if entry.published else None,
            "engine": "bing",
            "engines": ["bing", "mojeek"],
            "positions": [place + 1],
            "score": 9.0 / (place + 1),
            "category": "general",
            "template": "default.html",
        }
        for place, entry in enumerate(found)
    ]
    return {
        "query": given["q"],
        "number_of_results": 0,
        "results": hits,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }


def failure(status: int, message: str) -> str:
    """It answers with a page."""
    return f"<!doctype html>\n<title>{status}</title>\n<p>{message}</p>\n"
