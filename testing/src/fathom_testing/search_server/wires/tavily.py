"""Tavily: `POST /search` and `POST /extract`."""

from __future__ import annotations

from typing import Any

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, score_of, snippet_of
from fathom_testing.search_server.wires import limit_of, words_of

RESULTS = "results"
ROUTE = ""
KEY = "authorization"
_LONGEST = 400
_MOST = 20


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any]:
    """Hits with scores, or the texts of pages."""
    body = asked.json()
    match asked.method, asked.path:
        case "POST", "/search":
            query = words_of(body.get("query"))
            if len(query) > _LONGEST:
                raise ValueError(f"Query is too long. Max query length is {_LONGEST} characters.")
            found = shelf.search(query, limit_of(body.get("max_results"), otherwise=5, most=_MOST))
            hits = [
                {
                    "url": entry.url,
                    "title": entry.title,
                    "content": snippet_of(entry),
                    "score": score_of(place),
                    "raw_content": None,
                    "published_date": entry.published or None,
                }
                for place, entry in enumerate(found)
            ]
            return {"query": query, "answer": None, "images": [], "results": hits, "response_time": 0.1}
        case "POST", "/extract":
            return _extracted(body.get("urls"), shelf)
    raise LookupError(asked.path)


def failure(status: int, message: str) -> dict[str, Any]:
    """The message stands in `detail.error`."""
    del status
    return {"detail": {"error": message}}


def _extracted(urls: Any, shelf: Shelf) -> dict[str, Any]:
    if not isinstance(urls, list) or not 1 <= len(urls) <= _MOST:
        raise ValueError(f"Between 1 and {_MOST} URLs are allowed.")
    pages = [(url, shelf.at(url)) for url in urls]
    return {
        "results": [
            {"url": url, "raw_content": f"# {page.title}\n\n{page.text}", "images": []} for url, page in pages if page
        ],
        "failed_results": [{"url": url, "error": "Failed to fetch url"} for url, page in pages if not page],
        "response_time": 0.1,
    }
