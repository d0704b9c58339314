"""Semantic Scholar: `GET /graph/v1/paper/search`."""

from __future__ import annotations

import re
from typing import Any

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, number_of
from fathom_testing.search_server.wires import limit_of, parameters, words_of

RESULTS = "data"
ROUTE = "GET /graph/v1/paper/search"
KEY = "x-api-key"
_DATES = re.compile(r"\d{4}-\d{2}-\d{2}:")


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any]:
    """Papers with the fields that were asked for; `data` is left out when there are none."""
    given = parameters(asked)
    if not _DATES.fullmatch(given.get("publicationDateOrYear", "2000-01-01:")):
        raise ValueError("publicationDateOrYear is no range of dates.")
    found = shelf.search(words_of(given.get("query")), limit_of(given.get("limit"), otherwise=100, most=100))
    papers = [
        {
            "title": entry.title,
            "abstract": entry.text,
            "url": entry.url,
            "publicationDate": entry.published or None,
            "openAccessPdf": {"url": "", "status": None, "license": None},
            "externalIds": {"CorpusId": number_of(entry)},
        }
        for entry in found
    ]
    fields = given.get("fields", "title").split(",")
    if papers and (unknown := set(fields) - papers[0].keys()):
        raise ValueError(f"Unrecognized or unsupported fields: [{', '.join(sorted(unknown))}]")
    data = [
        {"paperId": f"{number_of(entry):040x}", **{name: paper[name] for name in fields}}
        for entry, paper in zip(found, papers, strict=True)
    ]
    return {"total": len(data), "offset": 0, **({"data": data} if data else {})}


def failure(status: int, message: str) -> dict[str, Any]:
    """The message stands in `error`, or in `message` when a limit or a key is the matter."""
    return {"message": message, "code": str(status)} if status in (403, 429) else {"error": message}
