"""arXiv: `GET /api/query`, which answers with an Atom feed."""

from __future__ import annotations

import re

from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf
from fathom_testing.search_server.wires import limit_of, parameters, words_of, xml

RESULTS = ""
ROUTE = "GET /api/query"
KEY = ""
_FEED = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    "<title>arXiv Query</title>\n<id>http://arxiv.org/api/x</id>\n<updated>2024-01-01T00:00:00Z</updated>\n{}</feed>\n"
)
_ENTRY = (
    "<entry><id>{url}</id><updated>{published}T10:00:00Z</updated><published>{published}T10:00:00Z</published>"
    '<title>{title}</title><summary>{text}</summary><link href="{url}" rel="alternate" type="text/html"/></entry>\n'
)
_OPERATORS = re.compile(r"\b(?:all|ti|au|abs):|\b(?:AND|OR|ANDNOT)\b|submittedDate:\[[^\]]*\]|[()\"]")


def answer(asked: Asked, shelf: Shelf) -> str:
    """Papers with their abstracts; a page that has no date gets one, for a paper always has."""
    given = parameters(asked)
    query = " ".join(_OPERATORS.sub(" ", words_of(given.get("search_query"))).split())
    found = shelf.search(query, limit_of(given.get("max_results"), otherwise=10, most=2_000))
    return _FEED.format(
        "".join(
            _ENTRY.format(
                url=xml(entry.url),
                title=xml(entry.title),
                text=xml(entry.text),
                published=entry.published or "2020-02-02",
            )
            for entry in found
        )
    )


def failure(status: int, message: str) -> str:
    """A feed of one entry, whose title is Error."""
    del status
    entry = "<entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>{}</summary></entry>\n"
    return _FEED.format(entry.format(xml(message)))
