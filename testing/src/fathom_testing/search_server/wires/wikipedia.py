"""Wikipedia: MediaWiki's `GET /w/api.php?action=query&generator=search`."""

from __future__ import annotations

from typing import Any

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, number_of, snippet_of
from fathom_testing.search_server.wires import limit_of, parameters, words_of

RESULTS = "query.pages"
ROUTE = "GET /w/api.php"
KEY = ""


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any]:
    """Articles, in the order of their numbers; `index` says which is best."""
    given = parameters(asked)
    if (given.get("action"), given.get("generator"), given.get("formatversion")) != ("query", "search", "2"):
        raise ValueError("This server only knows the generator search.")
    try:
        query = words_of(given.get("gsrsearch"))
        found = shelf.search(query, limit_of(given.get("gsrlimit"), otherwise=10, most=50))
    except ValueError as error:
        return failure(200, str(error))
    pages = [
        {
            "pageid": number_of(entry),
            "ns": 0,
            "title": entry.title,
            "index": place + 1,
            "contentmodel": "wikitext",
            "pagelanguage": "en",
            "fullurl": entry.url,
            "extract": snippet_of(entry),
            **({"revisions": [{"timestamp": f"{entry.published}T10:00:00Z"}]} if entry.published else {}),
        }
        for place, entry in enumerate(found)
    ]
    if not pages:
        return {"batchcomplete": True}
    return {"batchcomplete": True, "query": {"pages": sorted(pages, key=lambda page: int(page["pageid"]))}}


def failure(status: int, message: str) -> dict[str, Any]:
    """The message stands in `error.info`, most often with the status 200."""
    del status
    return {"error": {"code": "badvalue", "info": message}}
