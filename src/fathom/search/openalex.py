"""Searches by OpenAlex, with abstracts (https://developers.openalex.org/api-reference/works)."""

from __future__ import annotations

import re

from fathom.browsing import WebQuery
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch, Words
from fathom.search.papers import best_address, doi_address
from fathom.services.http import Reply
from fathom.services.terms import Terms

_FIELDS = "id,doi,display_name,publication_date,abstract_inverted_index,best_oa_location,primary_location"
_OPERATORS = re.compile(r'["?*~|!()]+')
"""What has a meaning in a search of OpenAlex."""
_LONGEST = 10_000
"""Words of an abstract."""


class _Location(Reply):
    pdf_url: Words = ""
    landing_page_url: Words = ""


class _Work(Reply):
    id: Words = ""
    doi: Words = ""
    display_name: Words = ""
    publication_date: Words = ""
    abstract_inverted_index: dict[str, list[int]] | None = None
    best_oa_location: _Location | None = None
    primary_location: _Location | None = None


class _Reply(Reply):
    results: Entries[_Work]


class OpenAlex(HttpSearch):
    """Works of all sciences, by OpenAlex."""

    terms = Terms(
        name="openalex",
        title="OpenAlex",
        key="optional",
        variable="OPENALEX_API_KEY",
        header="Authorization",
        per_second=10.0,  # 100 are allowed: https://developers.openalex.org/api-reference/authentication
        advice={
            403: "wait, or set openalex_api_key to a valid key",
            429: "its searches of this day may be used up: wait, or set openalex_api_key, which allows more",
        },
    )
    # A search costs nothing while the day's allowance lasts (0.10 USD without a key, 1 USD with one, at 0.001 each).

    async def _found(self, query: WebQuery) -> list[RawHit]:
        # The language is not sent: it is a filter, and would hide what science writes in English.
        words = " ".join(_OPERATORS.sub(" ", query.text).split())
        params = {"search": words, "per-page": str(query.limit), "select": _FIELDS}
        if query.since:
            params["filter"] = f"from_publication_date:{query.since}"
        if self.contact:
            params["mailto"] = self.contact
        reply = await self.service.get("/works", _Reply, params=params)
        return [_of_work(work, query) for work in reply.results]


def _of_work(work: _Work, query: WebQuery) -> RawHit:
    free, first = work.best_oa_location or _Location(), work.primary_location or _Location()
    addresses = (free.pdf_url, free.landing_page_url, first.landing_page_url, doi_address(work.doi), work.id)
    abstract = in_order(work.abstract_inverted_index or {})
    return RawHit(
        best_address(query, *addresses),
        title=work.display_name,
        snippet=abstract,
        published=work.publication_date,
        text=abstract,
    )


def in_order(places: dict[str, list[int]]) -> str:
    """A text of which it is known where each of its words stands.

    >>> in_order({"sea": [1, 4], "The": [0], "is": [2], "a": [3]})
    'The sea is a sea'
    """
    words = sorted((place, word) for word, found in places.items() for place in found)
    return " ".join(word for _, word in words[:_LONGEST])
