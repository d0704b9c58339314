"""Findings and the documents that they rest on, written in a line."""

from __future__ import annotations

from fathom.data.requests import DataRequest, Filter
from fathom.data.results import Aggregation, Bucket
from fathom.data.turns import AggregationResult, SubQuestion
from fathom.evidence import Document, DocumentKind, Evidence, Span, text_digest
from fathom.findings import Finding


def a_document(name: str, *, kind: DocumentKind = "file", site: str = "", uri: str = "", title: str = "") -> Document:
    return Document(
        sha256=text_digest(name),
        uri=uri or f"file:///{name}",
        title=title or name,
        kind=kind,
        language="en",
        retrieved_at="2026-01-01T00:00:00+00:00",
        site=site,
    )


def a_finding(
    claim: str,
    *documents: Document,
    subtask: str = "task_1",
    locator: str = "",
    quote: str = "",
    relevance: float = 1.0,
) -> Finding:
    """A finding that each of the documents states word for word."""
    evidence = tuple(
        Evidence(document=each.sha256, start=0, end=len(quote or claim), quote=quote or claim, locator=locator)
        for each in documents
    )
    return Finding(subtask_id=subtask, claim=claim, evidence=evidence, relevance=relevance)


def a_question(text: str, id: str = "task_1", *, priority: int = 1, depends_on: tuple[str, ...] = ()) -> SubQuestion:
    return SubQuestion(id=id, question=text, priority=priority, depends_on=depends_on)


def a_count(document: Document, *fields: str, country: str = "India") -> AggregationResult:
    """Fifty records about AI and forty about Cloud."""
    buckets = (Bucket(key=("AI",), count=50), Bucket(key=("Cloud",), count=40))
    return AggregationResult(
        document=document.sha256,
        request=DataRequest(filters=(Filter(field="country", value=country),), group_by=fields),
        tool="analyze",
        aggregation=Aggregation(type="group_by", fields=fields, buckets=buckets, total_docs=90),
        matched=90,
        head=Span(start=0, end=5),
        rows=(Span(start=6, end=13), Span(start=14, end=24)),
    )
