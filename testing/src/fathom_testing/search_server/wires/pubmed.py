"""PubMed's E-utilities: `esearch.fcgi`, which answers with ids, and `efetch.fcgi`, with their records in XML."""

from __future__ import annotations

import re
from typing import Any

from fathom_testing.little_web.ranking import Entry
from fathom_testing.model_server.http import Asked
from fathom_testing.search_server.shelf import Shelf, number_of
from fathom_testing.search_server.wires import form, limit_of, parameters, words_of, xml

RESULTS = "esearchresult.idlist"
ROUTE = ""
KEY = "api_key"
_ADDRESS = re.compile(r"https://pubmed\.ncbi\.nlm\.nih\.gov/(\d+)/")
_SET = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>{}</PubmedArticleSet>'
)
_RECORD = (
    '<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{id}</PMID><Article><ArticleTitle>{title}'
    "</ArticleTitle><Abstract><AbstractText>{text}</AbstractText></Abstract>{date}</Article></MedlineCitation>"
    "</PubmedArticle>"
)
_DATE = '<ArticleDate DateType="Electronic"><Year>{}</Year><Month>{}</Month><Day>{}</Day></ArticleDate>'


def answer(asked: Asked, shelf: Shelf) -> dict[str, Any] | str:
    """Ids, or the records of ids; a page outside of PubMed gets a number."""
    given = _given(asked)
    if given.get("db") != "pubmed":
        raise ValueError("Invalid db name specified")
    match asked.path:
        case "/entrez/eutils/esearch.fcgi":
            limit = limit_of(given.get("retmax"), otherwise=20, most=10_000)
            ids = [id_of(entry) for entry in shelf.search(words_of(given.get("term")), limit)]
            counts = {"count": str(len(ids)), "retmax": str(limit), "retstart": "0"}
            return {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": {**counts, "idlist": ids}}
        case "/entrez/eutils/efetch.fcgi":
            asked_for = [_found(id, shelf) for id in given.get("id", "").split(",")]
            return _SET.format("".join(_record(entry) for entry in asked_for if entry))
    raise LookupError(asked.path)


def failure(status: int, message: str) -> dict[str, Any]:
    """The message stands in `error`."""
    return {"error": message, "status": str(status)}


def id_of(entry: Entry) -> str:
    """The number under which PubMed has a page."""
    whole = entry._replace(url=entry.url.partition("#")[0])
    match = _ADDRESS.fullmatch(whole.url)
    return match[1] if match else str(number_of(whole))


def _given(asked: Asked) -> dict[str, str]:
    return {**parameters(asked), **form(asked)}


def _found(id: str, shelf: Shelf) -> Entry | None:
    return shelf.at(f"https://pubmed.ncbi.nlm.nih.gov/{id}/") or shelf.numbered(int(id))


def _record(entry: Entry) -> str:
    date = _DATE.format(*entry.published.split("-")) if entry.published else ""
    return _RECORD.format(id=id_of(entry), title=xml(entry.title), text=xml(entry.text), date=date)
