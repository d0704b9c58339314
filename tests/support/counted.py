"""Counts over a dataset as research leaves them: with their snapshot, and findings that rest on rows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fathom.data.requests import DataRequest
from fathom.data.results import Aggregation, Bucket
from fathom.data.snapshots import SnapshotHead, cells_of, table_snapshot
from fathom.data.turns import AggregationResult
from fathom.evidence import Document, Evidence, text_digest
from fathom.findings import Fact, Finding

AT = "2026-01-02T03:04:05+00:00"


FACT = Fact(kind="leader")


@dataclass(frozen=True)
class Counted:
    """A table of counts."""

    result: AggregationResult
    document: Document
    text: str

    def finding(self, claim: str, *rows: int, matched: bool = False, subtask: str = "task_1") -> Finding:
        """A claim on some of the rows, and on the line that says how many records match."""
        counts = self.result.aggregation
        evidence = [
            self._span(self.result.rows[row].start, " | ".join(cells_of(counts, counts.buckets[row]))) for row in rows
        ]
        if matched and self.result.matched_line:
            evidence.append(self._span(self.result.matched_line.start, f"matched records: {self.result.matched}"))
        return Finding(
            subtask_id=subtask, claim=claim, evidence=tuple(evidence), confidence=0.9, fact=Fact(kind="leader")
        )

    def _span(self, start: int, quote: str) -> Evidence:
        assert self.text[start : start + len(quote)] == quote
        return Evidence(document=self.document.sha256, start=start, end=start + len(quote), quote=quote)


def counted(
    counts: Mapping[str, int] | Mapping[tuple[str, ...], int] | Mapping[tuple[str, str], int],
    *,
    fields: Sequence[str] = ("event_theme",),
    title: str = "events: event_theme (country = India)",
    matched: int | None = None,
    total: int | None = 100_000,
    uri: str = "file:///data/events.csv",
    at: str = AT,
    statistics: Mapping[str, Mapping[str, float]] | None = None,
    request: DataRequest | None = None,
    **changed: Any,
) -> Counted:
    """A distribution, unless `changed` says otherwise; `statistics` has the measures of `price` by key."""
    buckets = tuple(
        Bucket.model_validate(
            {
                "key": key if isinstance(key, tuple) else (key,),
                "count": count,
                "statistics": {"price": statistics[str(key)]} if statistics else {},
            }
        )
        for key, count in counts.items()
    )
    matched = sum(counts.values()) if matched is None else matched
    fields_of = {"type": "group_by", "fields": tuple(fields), "buckets": buckets, "total_docs": matched}
    aggregation = Aggregation.model_validate(fields_of | changed)
    arguments = {"filters": [{"field": "country", "op": "eq", "value": "India"}], "group_by": list(fields)}
    asked = SnapshotHead(dataset="events", tool="analyze", arguments=arguments, matched=matched, total=total)
    snapshot = table_snapshot(asked, aggregation)
    sha256 = text_digest(snapshot.text)
    document = Document(
        sha256=sha256,
        uri=uri,
        title=title,
        kind="dataset",
        language="und",
        retrieved_at=at,
        query=asked.lines()[1].removeprefix("query: "),
    )
    result = AggregationResult(
        document=sha256,
        request=request or DataRequest(group_by=tuple(fields)),
        tool="analyze",
        aggregation=aggregation,
        matched=matched,
        total=total,
        head=snapshot.head,
        rows=snapshot.rows,
        matched_line=snapshot.matched,
    )
    return Counted(result, document, snapshot.text)
