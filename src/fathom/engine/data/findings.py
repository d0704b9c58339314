"""The findings of a dataset: each claim once, the best of them at hand, and how many there were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from fathom.data.insights import Insight, insights_of
from fathom.data.met import Met
from fathom.data.snapshots import cells_of, one_line
from fathom.data.turns import AggregationResult
from fathom.evidence import Evidence, Span
from fathom.findings import Fact, Finding

SURE = 0.95
"""Confidence of a count: what is left is that the data may be wrong."""


class DatasetFindings:
    """Keeps what counts say, and of what records say the most relevant, at most `most`; the rest is only counted."""

    def __init__(self, met: Met, *, most: int) -> None:
        self._met = met
        self._most = most
        self._counts: dict[str, Finding] = {}
        self._best: list[tuple[float, int, Finding]] = []
        self._of_records = 0
        self.found = 0
        """Different claims so far."""

    def add(self, findings: Iterable[Finding], *, counted: bool = False) -> list[Finding]:
        """Take findings in; returns those whose claim is new. `counted` are those that rest on counts."""
        new = [finding for finding in findings if self._met.first_time("claim", _claim(finding))]
        self.found += len(new)
        for finding in new:
            if counted:
                self._counts[finding.id] = finding
            else:
                self._best.append((-finding.relevance, self._of_records, finding))
                self._of_records += 1
        self._best.sort(key=lambda each: each[:2])
        del self._best[self._most :]
        return new

    @property
    def kept(self) -> tuple[Finding, ...]:
        """What is kept, the most relevant first. A count weighs as much as the best of what records say."""
        best = max(1.0, -self._best[0][0] if self._best else 0.0)
        counts = [
            finding.model_copy(update={"relevance": round(finding.relevance * best, 6)})
            for finding in self._counts.values()
        ]
        return tuple(sorted([*counts, *(finding for *_, finding in self._best)], key=lambda each: -each.relevance))

    @property
    def left_over(self) -> int:
        """Findings that are not kept."""
        return self._of_records - len(self._best)


def _claim(finding: Finding) -> str:
    folded = " ".join(finding.claim.casefold().split()).rstrip(".。")
    return sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()


# ── What counts say ────────────────────────────────────────────────────────────────────────────────────────────────


def findings_of(result: AggregationResult, *, subtask_id: str, language: str, question: str = "") -> list[Finding]:
    """What counts say, each statement on the rows that it rests on, what the question asks for first."""
    insights = insights_of(
        result.aggregation,
        request=result.request,
        matched=result.matched,
        total=result.total,
        language=language,
        question=question,
    )
    return [_finding(insight, result, subtask_id) for insight in insights if insight.rows or insight.uses_matched]


def _finding(insight: Insight, result: AggregationResult, subtask_id: str) -> Finding:
    evidence = [_row(result, number) for number in insight.rows]
    if insight.uses_matched and result.matched_line is not None:
        evidence.append(_span(result, result.matched_line, f"matched records: {result.matched}", ""))
    return Finding(
        subtask_id=subtask_id,
        claim=insight.text,
        evidence=tuple(evidence),
        confidence=SURE,
        relevance=insight.weight,
        facets=tuple(result.aggregation.fields),
        fact=Fact(kind=insight.kind, figures=insight.figures),
    )


def _row(result: AggregationResult, number: int) -> Evidence:
    counts = result.aggregation
    bucket = counts.buckets[number]
    where = ", ".join(
        f"{one_line(name)} = {one_line(part)}" for name, part in zip(counts.fields, bucket.key, strict=False)
    )
    return _span(result, result.rows[number], " | ".join(cells_of(counts, bucket)), where)


def _span(result: AggregationResult, span: Span, quote: str, locator: str) -> Evidence:
    return Evidence(document=result.document, start=span.start, end=span.end, quote=quote, locator=locator, block=span)


def grounded(findings: Iterable[Finding], texts: Mapping[str, str]) -> list[Finding]:
    """Those whose every quote stands in its snapshot, at the offsets that it names, letter by letter."""
    return [
        finding
        for finding in findings
        if all(texts.get(span.document, "")[span.start : span.end] == span.quote for span in finding.spans)
    ]
