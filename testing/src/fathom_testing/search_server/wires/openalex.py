"""OpenAlex: `GET /works`."""

from __future__ import annotations

import re
from typing import Any

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, score_of
from fathom_testing.search_server.wires import limit_of, parameters, words_of

RESULTS = "results"
ROUTE = "GET /works"
KEY = "authorization"
_FILTER = re.compile(r"from_publication_date:\d{4}-\d{2}-\d{2}")


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any]:
    """Works with the fields that were selected, their abstracts as an index of words."""
    given = parameters(asked)
    if not _FILTER.fullmatch(given.get("filter", "from_publication_date:2000-01-01")):
        raise ValueError("Invalid query parameters error.")
    query = words_of(given.get("search"))
    if set(query) & set('?*~"'):
        raise ValueError("Wildcards and quotes are not allowed here.")
    found = shelf.search(query, limit_of(given.get("per-page"), otherwise=25, most=100))
    works = [
        {
            "id": entry.url,
            "doi": None,
            "display_name": entry.title,
            "publication_date": entry.published or None,
            "relevance_score": 1_000 * score_of(place),
            "abstract_inverted_index": _index(entry.text),
            "best_oa_location": None,
            "primary_location": {"landing_page_url": entry.url, "pdf_url": None, "is_oa": False},
        }
        for place, entry in enumerate(found)
    ]
    selected = [name for name in given.get("select", "").split(",") if name]
    if works and (unknown := set(selected) - works[0].keys()):
        raise ValueError(f"Invalid select: {', '.join(sorted(unknown))}")
    results = [{name: work[name] for name in selected or work} for work in works]
    return {"meta": {"count": len(results), "page": 1, "per_page": 25}, "results": results, "group_by": []}


def failure(status: int, message: str) -> dict[str, Any]:
    """The message stands in `message`, its kind in `error`."""
    return {"error": f"Error {status}", "message": message}


def _index(text: str) -> dict[str, list[int]] | None:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(text.split()):
        places.setdefault(word, []).append(place)
    return places or None
