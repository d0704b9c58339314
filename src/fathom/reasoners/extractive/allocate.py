"""Which source is asked what in a round."""

from __future__ import annotations

from fathom.asks import AllocateQueries
from fathom.evidence import Query
from fathom.plan import Allocation, StrategicPlan
from fathom.text.analysis import identifiers


def allocate_queries(ask: AllocateQueries) -> StrategicPlan:
    """The subtask's own queries first, then what was found to be missing; nothing that was asked before.

    A source without documents is not asked. No allocation at all means that there is nothing new to ask.
    """
    texts = _missing(ask) if ask.feedback else _first(ask)
    asked = {_folded(text) for text in ask.asked}
    new = [text for text in dict.fromkeys(texts) if text.strip() and _folded(text) not in asked][: ask.max_queries]
    queries = tuple(Query(text=text, context=ask.query) for text in new)
    sources = [source.name for source in ask.sources if source.documents or source.kind == "web"]
    if not queries or not sources:
        return StrategicPlan(allocation_strategy="There is nothing new to ask.")
    reason = "What was missing is asked for." if ask.feedback else "The subtask is asked in its own words."
    return StrategicPlan(
        allocations=tuple(Allocation(source=name, queries=queries) for name in sources), allocation_strategy=reason
    )


def _first(ask: AllocateQueries) -> list[str]:
    texts = [query.text for query in ask.subtask.queries] or [ask.subtask.description]
    names = identifiers(ask.subtask.description)
    return [*texts, " ".join(names)] if 1 < len(names) <= 4 else texts


def _missing(ask: AllocateQueries) -> list[str]:
    assert ask.feedback is not None
    return [*ask.feedback.missing, *ask.feedback.drill_down_areas]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
