"""Tells what is missing, and whether it is worth going on."""

from __future__ import annotations

from fathom.asks import AnalyzeGaps
from fathom.data.turns import AgentName, AnalyzeGap
from fathom.engine.data.desk import Bench
from fathom.findings import GapAnalysis


class GapAnalyzer:
    """Looks at coverage question by question."""

    name: AgentName = "gap_analyzer"
    fetches = False
    reads = False
    line = (
        "Says how far each sub-question is answered, what is missing and which sub-agent would bring it, and whether "
        "to go on."
    )

    async def run(self, bench: Bench, call: AnalyzeGap) -> GapAnalysis | None:  # noqa: ARG002 - it takes nothing
        """The gaps, the most important first."""
        desk, state = bench.desk, bench.desk.state
        return await bench.ask(
            AnalyzeGaps(
                query=desk.context.run.query,
                language=desk.context.run.language,
                findings=desk.seen,
                questions=desk.questions,
                results=tuple(desk.results.values()),
                docs_processed=state.scanned,
                total_docs_available=state.matched if state.matched is not None else state.total,
                new_findings=desk.batches_before,
            )
        )
