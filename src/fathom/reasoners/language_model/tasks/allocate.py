"""AllocateQueries: what a round asks of whom, where the planner has not said so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fathom.asks import AllocateQueries
from fathom.evidence import Query
from fathom.plan import Allocation, StrategicPlan
from fathom.reasoners.extractive.allocate import allocate_queries
from fathom.reasoners.language_model.task import Draft, Read, Task, Wire
from fathom.reasoners.language_model.tasks.sources import has_data, has_web, shown_sources
from fathom.reasoners.language_model.tasks.words import (
    Number,
    fitting,
    line,
    lines,
    picked,
    searches,
)

FINDINGS = 12
"""Findings that are shown, the most relevant ones."""
CLAIM_LENGTH = 300


class AllocatedQuery(Wire):
    """One query."""

    text: str
    """The words that matter, in the language of the source."""
    sources: list[Number] = []
    """Numbers of the sources to ask; empty for all."""


class Allocated(Wire, title="AllocateQueries"):
    """What is asked of whom."""

    reasoning: str = ""
    """Why these, in a sentence."""
    queries: list[AllocatedQuery]
    """Best first; none if there is nothing new to ask."""


class AllocateQueriesTask(Task[AllocateQueries, StrategicPlan]):
    """Asks for the queries of a round whose queries are not known yet."""

    name = "allocate_queries"
    answer_tokens = 500
    prompt_tokens = 1_500

    def rule(self, ask: AllocateQueries) -> StrategicPlan | None:
        """Where a known query goes needs no model; and there is nothing to decide without a source, or a query."""
        if ask.proposed:
            return allocate_queries(ask)
        if ask.sources and ask.max_queries:
            return None
        return StrategicPlan(allocation_strategy="There is nobody to ask.")

    def drafts(self, ask: AllocateQueries, *, room: int) -> Sequence[Draft[StrategicPlan]]:
        """The part, what it lacks, and what was asked before."""
        feedback = ask.feedback
        best = sorted(ask.known, key=lambda finding: -finding.relevance)[:FINDINGS]
        variables = {
            "subtask": ask.subtask,
            "missing": lines((*feedback.missing, *feedback.drill_down_areas), most=8) if feedback else (),
            "asked": fitting(ask.asked[-20:], room // 4),
            "known": fitting([line(finding.claim, CLAIM_LENGTH) for finding in best], room // 3),
            "sources": shown_sources(ask.sources, room=room // 3),
            "web": has_web(ask.sources),
            "data": has_data(ask.sources),
            "max_queries": ask.max_queries,
        }
        return [Draft(variables=variables, schema=Allocated, read=partial(_allocation, ask))]


def _allocation(ask: AllocateQueries, wire: Allocated) -> Read[StrategicPlan]:
    numbered = {number: source.name for number, source in enumerate(ask.sources, start=1)}
    texts: dict[str, list[str]] = {name: [] for name in numbered.values()}
    invented = 0
    for query in wire.queries:
        names, unknown = picked(query.sources, numbered)
        invented += unknown
        for name in names if query.sources else texts:
            texts[name].append(query.text)
    for source in ask.sources:
        if source.kind == "dataset" and texts[source.name]:
            texts[source.name] = [ask.subtask.description]
    allocations = tuple(
        Allocation(
            source=name,
            queries=tuple(
                Query(text=text, context=ask.subtask.description)
                for text in searches(own, most=ask.max_queries, asked=ask.asked)
            ),
        )
        for name, own in texts.items()
    )
    asked = tuple(allocation for allocation in allocations if allocation.queries)
    return Read(StrategicPlan(allocations=asked, allocation_strategy=line(wire.reasoning, 300)), invented)
