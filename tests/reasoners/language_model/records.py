"""A page of records, and the ask that reads it."""

from __future__ import annotations

from typing import Any

from fathom.asks import ExtractFindings
from fathom.data.requests import Scalar
from fathom.data.results import Record
from fathom.data.snapshots import SnapshotHead, page_snapshot, records_in
from fathom.data.sources import as_source
from fathom.evidence import Document, Passage, text_digest
from fathom.plan import Subtask
from tests.contracts.dataset import ASKED, EVENTS, QUESTIONS

TALKS: tuple[dict[str, Scalar], ...] = (
    {
        "event_title": "AI Summit Pune",
        "country": "India",
        "event_theme": "AI",
        "event_date": "2024-03-05",
        "attendees": 120,
        "summary": "Engineers from five hospitals discussed language models. A workshop on privacy followed at night.",
    },
    {
        "event_title": "Cloud Days Delhi",
        "country": "India",
        "event_theme": "Cloud",
        "event_date": "2023-11-20",
        "attendees": 80,
        "summary": "Speakers compared the cost of container platforms over three years of operation.",
    },
    {
        "event_title": "Security Forum Mumbai",
        "country": "India",
        "event_theme": "Security",
        "event_date": "2022-07-01",
        "attendees": None,
        "summary": "A panel warned that the privacy of patients is at risk.",
    },
)


def a_record_page(talks: tuple[dict[str, Scalar], ...] = TALKS) -> tuple[Document, tuple[Passage, ...]]:
    """A page of a scan: its document, and each record as a passage."""
    records = [Record(id=f"EV{number:05}", fields=fields) for number, fields in enumerate(talks, start=1)]
    asked = SnapshotHead(dataset="events", tool="analyze", arguments={}, matched=165, total=2_000)
    text = page_snapshot(asked, records)
    document = Document(
        sha256=text_digest(text),
        uri="file:///events.csv",
        title="events (country = India)",
        kind="dataset",
        language="und",
        retrieved_at="2026-01-01",
        query="analyze {}",
    )
    passages = []
    for placed in records_in(text):
        title = placed.fields.get("event_title")
        passages.append(
            Passage(
                document=document.sha256,
                start=placed.start,
                end=placed.end,
                text=text[placed.start : placed.end],
                headings=(text[title.start : title.end],) if title else (),
            )
        )
    return document, tuple(passages)


def records_ask(query: str = ASKED["en"], *, language: str = "en", **changes: Any) -> ExtractFindings:
    """What do these records say?"""
    document, passages = a_record_page(changes.pop("talks", TALKS))
    fields = {
        "query": query,
        "language": language,
        "subtask": Subtask(subtask_id="task_1", description=query),
        "documents": (document,),
        "passages": passages,
        "sources": (as_source(EVENTS, query),),
        "questions": QUESTIONS,
        "focus": "what is said of privacy",
        "mapping": EVENTS.mapping,
        "max_findings": 20,
    }
    return ExtractFindings(**{**fields, **changes})
