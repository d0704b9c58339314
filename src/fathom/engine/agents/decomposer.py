"""Breaks a question into sub-questions: the research structure that every other agent keeps to."""

from __future__ import annotations

from fathom.asks import PlanResearch
from fathom.data.turns import AgentName, Decompose, DecomposerOutput, SubQuestion
from fathom.engine.data.desk import Bench
from fathom.plan import MasterPlan

FEWEST = 3
"""Sub-questions that a question is broken into, if it is broken at all."""


class Decomposer:
    """Plans like the run itself; what would be subtasks are sub-questions here."""

    name: AgentName = "decomposer"
    fetches = False
    reads = False
    line = "Breaks the question into 3 to 7 sub-questions that the data must answer; run it beside the first count."

    async def run(self, bench: Bench, call: Decompose) -> DecomposerOutput | None:
        """Sub-questions `sq_1`, …; a simple question stays one."""
        desk = bench.desk
        plan = await bench.ask(
            PlanResearch(
                query=call.query or desk.subtask.description,
                language=desk.context.run.language,
                mode="hierarchical",
                sources=(desk.source,),
                max_questions=max(FEWEST, call.max_questions),
                perspectives=desk.state.perspectives,
            )
        )
        if plan is None:
            return None
        return DecomposerOutput(
            sub_questions=_questions(plan, call.max_questions),
            reasoning=plan.overall_strategy or plan.complexity_reasoning,
        )


def _questions(plan: MasterPlan, most: int) -> tuple[SubQuestion, ...]:
    """The subtasks by priority as questions; a dependency on one that was left out is none."""
    kept = sorted(plan.subtasks, key=lambda subtask: subtask.priority)[:most]
    names = {subtask.subtask_id: f"sq_{number}" for number, subtask in enumerate(kept, start=1)}
    return tuple(
        SubQuestion(
            id=names[subtask.subtask_id],
            question=subtask.description,
            priority=number,
            depends_on=tuple(names[id] for id in subtask.dependencies if id in names),
        )
        for number, subtask in enumerate(kept, start=1)
    )
