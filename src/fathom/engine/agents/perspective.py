"""Looks at the topic through the eyes of several experts."""

from __future__ import annotations

from fathom.asks import GeneratePerspectives
from fathom.data.turns import AgentName, TakePerspectives
from fathom.engine.data.desk import Bench
from fathom.plan import Perspectives


class PerspectiveTaker:
    """Asks how experts would look at the topic; the planner and the decomposer see what they would ask."""

    name: AgentName = "perspective"
    fetches = False
    reads = False
    line = "Names experts who would look at the topic differently, with their questions; for broad questions."

    async def run(self, bench: Bench, call: TakePerspectives) -> Perspectives | None:
        """Several perspectives, the most telling first."""
        desk = bench.desk
        found = await bench.ask(
            GeneratePerspectives(
                query=desk.context.run.query,
                language=desk.context.run.language,
                topic=call.topic or desk.subtask.description,
                domain=call.domain,
                num_perspectives=call.num_perspectives,
                sources=(desk.source,),
            )
        )
        if found is None:
            return None
        return found.model_copy(update={"perspectives": found.perspectives[: call.num_perspectives]})
