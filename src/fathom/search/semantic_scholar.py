"""Searches by Semantic Scholar, with abstracts (https://api.semanticscholar.org/api-docs/graph)."""

from __future__ import annotations

from fathom.browsing import WebQuery
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch, Words
from fathom.search.papers import arxiv_address, best_address, doi_address
from fathom.services.http import Reply
from fathom.services.terms import Terms

_FIELDS = "title,abstract,url,publicationDate,openAccessPdf,externalIds"


class _Pdf(Reply):
    url: Words = ""


class _Ids(Reply):
    ArXiv: Words = ""
    DOI: Words = ""


class _Paper(Reply):
    title: str
    abstract: Words = ""
    url: Words = ""
    publicationDate: Words = ""
    openAccessPdf: _Pdf | None = None
    externalIds: _Ids | None = None


class _Reply(Reply):
    total: int
    data: Entries[_Paper] = []  # is not sent when nothing is found


class SemanticScholar(HttpSearch):
    """Papers of all sciences, by Semantic Scholar."""

    terms = Terms(
        name="semantic_scholar",
        title="Semantic Scholar",
        key="optional",
        variable="SEMANTIC_SCHOLAR_API_KEY",
        header="x-api-key",
        per_second=1.0,  # with a key; those without one share a pool: https://www.semanticscholar.org/product/api
        advice={429: "wait, set semantic_scholar_api_key, or lower its rate in search_rates"},
    )

    async def _found(self, query: WebQuery) -> list[RawHit]:
        words = query.text.replace("-", " ")  # a word with a hyphen is never found
        params = {"query": words, "fields": _FIELDS, "limit": str(query.limit)}
        if query.since:
            params["publicationDateOrYear"] = f"{query.since}:"
        reply = await self.service.get("/graph/v1/paper/search", _Reply, params=params)
        return [_of_paper(paper, query) for paper in reply.data]


def _of_paper(paper: _Paper, query: WebQuery) -> RawHit:
    pdf = paper.openAccessPdf.url if paper.openAccessPdf else ""
    ids = paper.externalIds or _Ids()
    return RawHit(
        best_address(query, pdf, arxiv_address(ids.ArXiv), doi_address(ids.DOI), paper.url),
        title=paper.title,
        snippet=paper.abstract,
        published=paper.publicationDate,
        text=paper.abstract,
    )
