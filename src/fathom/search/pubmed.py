"""Searches of PubMed by the E-utilities: ids first, then their records (https://www.ncbi.nlm.nih.gov/books/NBK25499/)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import StringConstraints, ValidationError

from fathom.browsing import WebQuery
from fathom.search.hits import RawHit
from fathom.search.http import Entries, HttpSearch
from fathom.search.papers import best_address, significant_words
from fathom.services.http import Reply
from fathom.services.terms import Terms
from fathom.settings import Settings
from fathom.text.dates import month_number

if TYPE_CHECKING:
    from lxml.etree import _Element

_PAGES = "https://pubmed.ncbi.nlm.nih.gov/"
_OPERATORS = re.compile(r'[\[\]()":*/\\|&,?]+')
"""What has a meaning in a term of PubMed."""
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec).*|0?[1-9]|[1-9]\d"
_FAR = "3000"
"""A year after all others: a first date is ignored without a last one."""


class _Ids(Reply):
    idlist: Entries[Annotated[str, StringConstraints(pattern=r"^[0-9]{1,10}$")]]


class _Reply(Reply):
    esearchresult: _Ids


class _Terms(Terms):
    """A key raises the rate."""

    def rate_of(self, settings: Settings) -> float:
        own = self.name in settings.search_rates or self.key_of(settings) is None
        return super().rate_of(settings) if own else 10.0


class PubMed(HttpSearch):
    """Papers of medicine and the life sciences, by PubMed. Each search takes two requests, or three."""

    terms = _Terms(
        name="pubmed",
        title="PubMed",
        key="optional",
        variable="NCBI_API_KEY",
        per_second=3.0,  # 10 with a key: https://www.ncbi.nlm.nih.gov/books/NBK25497/
        advice={400: "check pubmed_api_key and the query", 429: "wait, or set pubmed_api_key"},
    )
    longest = 300

    def __init__(self, settings: Settings, *, timeout: float = 20.0, first_wait: float = 0.5) -> None:
        super().__init__(settings, timeout=timeout, first_wait=first_wait)
        self._key = self.terms.key_of(settings)

    async def _found(self, query: WebQuery) -> list[RawHit]:
        if not best_address(query, _PAGES):
            return []
        # The language is not sent: it is a filter, and would hide what science writes in English.
        ids = await self._ids(" ".join(_OPERATORS.sub(" ", query.text).split()), query)
        if not ids and len(words := significant_words(query.text)) > 1:  # PubMed has looked for all words in one paper
            ids = await self._ids(" OR ".join(words), query)
        if not ids:
            return []
        wanted = {"id": ",".join(ids), "retmode": "xml", "rettype": "abstract"}
        data = await self._asked("efetch", wanted)
        try:
            records = read_records(data)
        except ValueError as error:
            raise self.service.malformed(str(error)) from error
        if not records:
            raise self.service.malformed("it holds no record of those that were asked for")
        return [records[id] for id in ids if id in records]

    async def _asked(self, tool: str, form: dict[str, str]) -> bytes:
        ours = {"db": "pubmed", "tool": "fathom", "email": self.contact}
        if self._key:
            ours["api_key"] = self._key.get_secret_value()
        return await self.service.fetch("POST", f"/entrez/eutils/{tool}.fcgi", form=ours | form)

    async def _ids(self, term: str, query: WebQuery) -> list[str]:
        """The ids of what a term finds, best first."""
        asked = {"term": term, "retmode": "json", "retmax": str(query.limit), "sort": "relevance"}
        if query.since:
            asked |= {"datetype": "pdat", "mindate": query.since.replace("-", "/"), "maxdate": _FAR}
        body = await self._asked("esearch", asked)
        try:
            return _Reply.model_validate_json(body).esearchresult.idlist
        except ValidationError as error:
            raise self.service.malformed("it is no list of ids") from error


def read_records(data: bytes) -> dict[str, RawHit]:
    """The records of a reply of EFetch, by their id, in its order. Entities are not expanded and nothing is loaded.

    Raises:
        ValueError: it is no XML, or not PubMed's; the text is the reason.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError("it is no XML") from error
    if root.tag != "PubmedArticleSet":
        raise ValueError("it is no set of articles")
    found: dict[str, RawHit] = {}
    for record in root:
        id = _text(record, "./MedlineCitation/PMID", "./BookDocument/PMID")
        if not (id.isascii() and id.isdecimal()):
            continue
        abstract = _abstract(record)
        found[id] = RawHit(
            f"{_PAGES}{id}/",
            title=_text(record, ".//Article/ArticleTitle", "./BookDocument/ArticleTitle", ".//Book/BookTitle"),
            snippet=abstract,
            published=_day(record),
            text=abstract,
        )
    return found


def _abstract(record: _Element) -> str:
    """The abstract, each part of a structured one behind its label."""
    parts = []
    for part in (
        *record.findall("./MedlineCitation/Article/Abstract/AbstractText"),
        *record.findall("./BookDocument/Abstract/AbstractText"),
    ):
        label, text = part.get("Label", "").strip(), _words(part)
        if text:
            parts.append(f"{label}: {text}" if label else text)
    return " ".join(parts)


def _day(record: _Element) -> str:
    """The day it was published: online, else in print, else the day it was listed; empty when none is exact."""
    for path in (
        ".//Article/ArticleDate",
        ".//JournalIssue/PubDate",
        ".//Book/PubDate",
        ".//PubMedPubDate[@PubStatus='pubmed']",
    ):
        for place in record.findall(path):
            year, month, day = (_text(place, f"./{name}") for name in ("Year", "Month", "Day"))
            if re.fullmatch(r"\d{4}", year) and re.fullmatch(_MONTH, month, re.I) and re.fullmatch(r"\d\d?", day):
                return f"{year}-{month_number(month):02}-{int(day):02}"
    return ""


def _text(record: _Element, *paths: str) -> str:
    """The words at the first path that has any."""
    for path in paths:
        for place in record.findall(path):
            if words := _words(place):
                return words
    return ""


def _words(place: _Element) -> str:
    texts = cast("list[str]", place.xpath(".//text()"))  # unlike itertext, it leaves entities out
    return " ".join("".join(texts).split())
