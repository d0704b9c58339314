"""Checks the findings: do they contradict each other, cover the questions, rest on enough, and keep to the point?"""

from __future__ import annotations

from fathom.asks import ValidateFindings
from fathom.data.turns import AgentName, Validate
from fathom.engine.data.desk import Bench
from fathom.findings import Validation


class Validator:
    """Says how sure the answer is; from there on confidence may end the research."""

    name: AgentName = "validator"
    fetches = False
    reads = False
    line = (
        "Checks the findings for contradictions, coverage, evidence strength and relevance, and says how sure the "
        "answer is, as a whole and for each sub-question."
    )

    async def run(self, bench: Bench, call: Validate) -> Validation | None:
        """What holds, and what does not."""
        desk = bench.desk
        return await bench.ask(
            ValidateFindings(
                query=desk.context.run.query,
                language=desk.context.run.language,
                findings=desk.seen,
                questions=desk.questions,
                documents=desk.documents_of(desk.seen),
                validation_checks=call.validation_checks,
            )
        )
