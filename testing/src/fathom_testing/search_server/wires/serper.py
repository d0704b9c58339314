"""Serper: `POST /search`, which answers as Google does."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, snippet_of
from fathom_testing.search_server.wires import limit_of, words_of

RESULTS = "organic"
ROUTE = "POST /search"
KEY = "x-api-key"
OPERATORS = re.compile(r"-?site:\S+|\bOR\b|[()]")
"""What is no word of a query."""
_RANGE = re.compile(r"cdr:1,cd_min:\d{1,2}/\d{1,2}/\d{4}")


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any]:
    """Hits without scores; more than ten cost two credits."""
    body = asked.json()
    if "tbs" in body and not _RANGE.fullmatch(body["tbs"]):
        raise ValueError("tbs is no range of dates.")
    limit = limit_of(body.get("num"), otherwise=10, most=100)
    query = words_of(body.get("q"))
    hits = [
        {
            "title": entry.title,
            "link": entry.url,
            "snippet": snippet_of(entry),
            **(
                {"date": f"{date.fromisoformat(entry.published):%b} {int(entry.published[8:])}, {entry.published[:4]}"}
                if entry.published
                else {}
            ),
            "position": place + 1,
        }
        for place, entry in enumerate(shelf.search(OPERATORS.sub(" ", query), limit))
    ]
    asked_for = {"q": query, "type": "search", "num": limit, "engine": "google"}
    return {"searchParameters": asked_for, "organic": hits, "credits": 1 if limit <= 10 else 2}


def failure(status: int, message: str) -> dict[str, Any]:
    """The message stands in `message`."""
    return {"message": message, "statusCode": status}
