"""What research has found, as a report is written from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fathom.asks import PartOfReport, WriteReport
from fathom.composing.research import Outcome, ReportMaterial
from fathom.composing.sheet import sheet_of
from fathom.evidence import Document, Evidence, Retrieval, text_digest
from fathom.findings import Finding, Synthesis
from fathom.plan import MasterPlan, Subtask
from fathom.report import Coverage, Estimate
from tests.support.counted import Counted


class Page:
    """A text that is a document."""

    def __init__(self, text: str, *, title: str = "Page", **fields: Any) -> None:
        known = {"uri": f"file:///{title}.md", "kind": "file", "language": "en", "retrieved_at": "2026-01-01"}
        self.text = text
        self.document = Document(sha256=text_digest(text), title=title, **{**known, **fields})

    def span(self, quote: str, **fields: Any) -> Evidence:
        """Where a quote begins first."""
        start = self.text.index(quote)
        return Evidence(document=self.document.sha256, start=start, end=start + len(quote), quote=quote, **fields)

    def finding(self, *quotes: str, part: int = 1, claim: str = "", lead: str = "", **fields: Any) -> Finding:
        """What rests on quotes, in their words unless `claim` has others."""
        known = {"confidence": 0.8, "relevance": 1.0, "lead_in": self.span(lead) if lead else None}
        spans = tuple(map(self.span, quotes))
        return Finding(
            subtask_id=f"task_{part}", claim=claim or " ".join(quotes), evidence=spans, **{**known, **fields}
        )


def parts_of(findings: Iterable[Finding]) -> tuple[Subtask, ...]:
    """The parts that findings are for."""
    ids = dict.fromkeys(finding.subtask_id for finding in findings)
    return tuple(Subtask(subtask_id=id, description=f"What is {id}?", focus_area=f"Part {id[5:]}") for id in ids)


def material(
    findings: Sequence[Finding],
    documents: Iterable[Document],
    *,
    counts: Iterable[Counted] = (),
    parts: Sequence[Subtask] = (),
    syntheses: Sequence[Synthesis] = (),
) -> ReportMaterial:
    """All that a report is written from; without `parts` those that the findings name."""
    parts = tuple(parts) or parts_of(findings)
    amounts = {synthesis.subtask_id: synthesis for synthesis in syntheses}
    counted = {each.document.sha256: each for each in counts}
    return ReportMaterial(
        plan=MasterPlan(is_complex=len(parts) > 1, subtasks=parts),
        outcomes=tuple(
            Outcome(
                subtask=part,
                why="",
                status="completed",
                reason="",
                evaluation=None,
                findings=tuple(each for each in findings if each.subtask_id == part.subtask_id),
                synthesis=amounts.get(part.subtask_id),
            )
            for part in parts
        ),
        documents={each.sha256: each for each in (*documents, *(each.document for each in counted.values()))},
        sources=(),
        preview=Retrieval(),
        failures={},
        lacks=(),
        not_found=(),
        coverage=Coverage(),
        estimate=Estimate(),
        partial=None,
        results={sha256: each.result for sha256, each in counted.items()},
    )


def write_ask(research: ReportMaterial, pages: Iterable[Page] = (), **changes: Any) -> WriteReport:
    """The ask that has a report written from it; `pages` give the sentences beside those that are cited."""
    parts = tuple(
        PartOfReport(subtask=each.subtask, findings=each.findings, synthesis=each.synthesis)
        for each in research.outcomes
    )
    sheet = sheet_of(research, {page.document.sha256: page.text for page in pages})
    fields = {"query": "How deep is the sea?", "language": "en", "max_words": 900, **changes}
    return WriteReport(parts=parts, sheet=sheet, **fields)
