"""How deep findings go, whether the plan should change, and which answers are still weak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fathom.asks import AnalyzeGaps, AssessDepth, Reflect, RevisePlan, ValidateFindings
from fathom.evidence import Query
from fathom.findings import ANSWERED, DepthEvaluation, Finding, GapAnalysis, Reflection
from fathom.languages.packs import pack
from fathom.plan import PlanRevision, Subtask
from fathom.reasoners.extractive.coverage import Grounds
from fathom.reasoners.extractive.data.kinds import is_of_data, is_of_records
from fathom.reasoners.extractive.facets import is_lead, named_terms
from fathom.reasoners.extractive.gaps import analyze_gaps
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.pointers import Pointers
from fathom.reasoners.extractive.rarity import Rarity
from fathom.reasoners.extractive.validate import validate_findings
from fathom.text.analysis import query_terms
from fathom.text.phrases import phrases

DEEP_SOURCES = 2
"""Counts that make an answer of data deep."""


def assess_depth(ask: AssessDepth) -> DepthEvaluation:
    """By the names that the subtask asks for: one that no finding holds is missing, and looked into by itself.

    More queries are never asked for: in other words of the question the same comes, and where nothing was found to ask
    again finds nothing.
    """
    if not ask.findings and len(ask.subtask.dependencies) > 1:
        told = "Its sides are looked for by the parts that it builds on."
        return DepthEvaluation(is_sufficient=True, depth_quality="adequate", reasoning=told)
    if not ask.findings:
        return DepthEvaluation(
            is_sufficient=False, depth_quality="superficial", reasoning="Nothing was found that answers it."
        )
    if all(map(is_of_data, ask.findings)):
        return _of_data(ask.findings)
    return DepthEvaluation(is_sufficient=True, depth_quality="adequate", reasoning="What is nearest was found.")


def _lack(ask: AssessDepth, missing: Sequence[str], areas: Sequence[str]) -> str:
    """What the findings lack, in the language of the run: its person may be asked whether that is looked into."""
    words: Mapping[str, str] = pack(ask.language).says("judgement")
    comma = phrases(ask.language).comma
    if missing:
        return words["partly"].format(question=ask.subtask.description, missing=comma.join(missing))
    return words["mentioned"].format(what=comma.join(areas)) if areas else words["answered"]


def _of_data(findings: Sequence[Finding]) -> DepthEvaluation:
    """Counts are complete, and the loop over the data has read what there is: more queries would bring no more."""
    records = {evidence.locator for each in findings if is_of_records(each) for evidence in each.evidence}
    counts = {each.evidence[0].document for each in findings if not is_of_records(each)}
    return DepthEvaluation(
        is_sufficient=True,
        depth_quality="deep" if len(counts) >= DEEP_SOURCES else "adequate",
        reasoning=f"{len(findings)} findings rest on {len(counts)} counts and {len(records)} records.",
    )


# ── The plan as a whole ────────────────────────────────────────────────────────────────────────────────────────────


def revise_plan(ask: RevisePlan) -> PlanRevision:
    """A part for what several documents bring up. Every clause of the question is in the plan from the beginning."""
    topics, told = ask.evaluation.topics if ask.evaluation else (), pack(ask.language).says("judgement")
    if not topics:
        return PlanRevision(should_revise=False, revision_reasoning="The plan holds all that the question asks.")
    return PlanRevision(
        should_revise=True,
        revision_reasoning="; ".join(told["brought_up"].format(what=words) for words in topics),
        trigger_type="new_topic",
        new_subtasks=tuple(
            Subtask(
                subtask_id=f"task_{at}",
                description=words,
                focus_area=words,
                priority=len(ask.plan.subtasks) + at,
                estimated_importance=MATTERS,
                queries=(Query(text=words, context=ask.query),),
            )
            for at, words in enumerate(topics, start=1)
        ),
        estimated_impact=IMPACT,
    )


IMPACT = 0.8
"""What a part that nobody asked for by name adds."""
MATTERS = 0.7
"""Importance from which a subtask that is answered too little is researched again."""


def reflect(ask: Reflect) -> Reflection:
    """Nothing is asked again: subtasks without findings are not in the sources."""
    found = {each.subtask_id for each in ask.syntheses if each.findings}
    lost = tuple(each.subtask_id for each in ask.subtasks if each.subtask_id not in found)
    return Reflection(needs_improvement=False, not_found=lost)
