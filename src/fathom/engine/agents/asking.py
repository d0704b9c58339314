"""The sub-agents that only judge: they ask the reasoner, and fetch nothing."""

from __future__ import annotations

from fathom.asks import AnalyzeGaps, GeneratePerspectives, PlanResearch, SynthesizeSubtask, ValidateFindings
from fathom.data.turns import (
    AgentName,
    AnalyzeGap,
    Decompose,
    DecomposerOutput,
    SubQuestion,
    Synthesize,
    TakePerspectives,
    Validate,
)
from fathom.engine.data.agent import AgentContext
from fathom.engine.steps.extract import standing_on
from fathom.findings import GapAnalysis, Synthesis, Validation
from fathom.plan import MasterPlan, Perspectives

FEWEST = 3
"""Sub-questions that a question is broken into, if it is broken at all."""


NOTHING = "synthesizer: there are no findings to sum up"


class _Judging:
    """Of all of them."""

    fetches = False
    reads = False


class Decomposer(_Judging):
    """Plans like the run itself; what would be subtasks are sub-questions here."""

    name: AgentName = "decomposer"
    line = "Breaks the question into 3 to 7 sub-questions that the data must answer; run it beside the first count."

    async def run(self, agent: AgentContext, call: Decompose) -> DecomposerOutput | None:
        """Sub-questions `sq_1`, …; a simple question stays one."""
        dataset = agent.dataset
        plan = await agent.ask(
            PlanResearch(
                query=call.query or dataset.subtask.description,
                language=agent.context.run.language,
                mode="hierarchical",
                sources=(dataset.source,),
                max_questions=max(FEWEST, call.max_questions),
                perspectives=dataset.turn.state.perspectives,
            )
        )
        return DecomposerOutput(sub_questions=_questions(plan, call.max_questions)) if plan else None


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


class PerspectiveTaker(_Judging):
    """Asks how experts would look at the topic; the planner and the decomposer see what they would ask."""

    name: AgentName = "perspective"
    line = "Names experts who would look at the topic differently, with their questions; for broad questions."

    async def run(self, agent: AgentContext, call: TakePerspectives) -> Perspectives | None:
        """Several perspectives, the most telling first."""
        dataset = agent.dataset
        found = await agent.ask(
            agent.context.about(
                GeneratePerspectives,
                topic=call.topic or dataset.subtask.description,
                domain=call.domain,
                num_perspectives=call.num_perspectives,
                sources=(dataset.source,),
            )
        )
        if found is None:
            return None
        return found.model_copy(update={"perspectives": found.perspectives[: call.num_perspectives]})


class Validator(_Judging):
    """Says how sure the answer is; from there on confidence may end the research."""

    name: AgentName = "validator"
    line = (
        "Checks the findings for contradictions, coverage, evidence strength and relevance, and says how sure the "
        "answer is, as a whole and for each sub-question."
    )

    async def run(self, agent: AgentContext, call: Validate) -> Validation | None:
        """What holds, and what does not."""
        dataset = agent.dataset
        return await agent.ask(
            agent.context.about(
                ValidateFindings,
                findings=dataset.turn.findings,
                questions=dataset.questions,
                documents=dataset.documents_of(dataset.turn.findings),
                validation_checks=call.validation_checks,
            )
        )


class GapAnalyzer(_Judging):
    """Looks at coverage question by question."""

    name: AgentName = "gap_analyzer"
    line = (
        "Says how far each sub-question is answered, what is missing and which sub-agent would bring it, and whether "
        "to go on."
    )

    async def run(self, agent: AgentContext, call: AnalyzeGap) -> GapAnalysis | None:  # noqa: ARG002 - it takes nothing
        """The gaps, the most important first."""
        dataset, state = agent.dataset, agent.dataset.turn.state
        return await agent.ask(
            agent.context.about(
                AnalyzeGaps,
                findings=dataset.turn.findings,
                questions=dataset.questions,
                results=tuple(dataset.results.values()),
                docs_processed=state.scanned,
                total_docs_available=state.matched if state.matched is not None else state.total,
                new_findings=dataset.turn.news,
            )
        )


class Synthesizer(_Judging):
    """Ends the research of a dataset. What it pays for is what the subtask is answered with."""

    name: AgentName = "synthesizer"
    line = (
        "Sums the findings up as a comprehensive report, an executive summary or bullet points, and ends the research; "
        "run it alone, when nothing else is worth doing."
    )

    async def run(self, agent: AgentContext, call: Synthesize) -> Synthesis | None:
        """The answer; `None` when there is nothing to sum up."""
        dataset = agent.dataset
        if not dataset.findings.kept:
            agent.outcome.errors.append(NOTHING)
            return None
        synthesis = await agent.ask(
            agent.context.about(
                SynthesizeSubtask,
                subtask=dataset.subtask,
                findings=dataset.findings.kept,
                questions=dataset.notes.sub_questions,
                format=call.format,
            )
        )
        known = {finding.id for finding in dataset.findings.kept}
        synthesis = synthesis and standing_on(synthesis, dataset.subtask.subtask_id, known)
        dataset.round.synthesis = synthesis or dataset.round.synthesis
        return synthesis
