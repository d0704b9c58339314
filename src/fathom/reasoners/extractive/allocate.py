"""Which source is asked what in a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fathom.asks import AllocateQueries
from fathom.evidence import Query, SourceDescription
from fathom.plan import Allocation, StrategicPlan
from fathom.reasoners.extractive.names import names_of
from fathom.reasoners.extractive.parts import own_side
from fathom.reasoners.extractive.rarity import Rarity
from fathom.text.analysis import identifiers, query_terms, terms
from fathom.text.reach import asks_for_current, asks_for_others, speaks_of_own

HELD = 0.8
"""Share of a query's terms, by rarity, from which one passage holds what it asks for."""
LITTLE = 0.35
"""The same, below which the documents hold next to nothing of it."""
FOREIGN = 0.6
"""The same, below which documents that hold none of the names of a query do not know what it is about."""
UNKNOWN = 0.5
"""What is assumed of documents that say nothing of a query's terms."""

Kind = Literal["own", "held", "missed", "foreign", "current", "others", "part"]
"""What decides where a query goes."""

_WHY: dict[Kind, tuple[bool, bool, str]] = {
    "own": (True, False, "it is about what is the asker's own, so the documents are asked"),
    "held": (True, False, "the documents hold what it asks for"),
    "missed": (False, True, "the documents did not answer it, so the web is asked"),
    "foreign": (False, True, "the documents hold little of it, so the web is asked"),
    "current": (True, True, "what is current changes, so the web is asked too"),
    "others": (True, True, "it asks about others too, so documents and web are asked"),
    "part": (True, True, "the documents may hold a part of it, so the web is asked too"),
}
"""Whether the documents are asked, whether the web is, and why."""


def allocate_queries(ask: AllocateQueries) -> StrategicPlan:
    """What is proposed, else the subtask's own queries first, then what was missing; nothing that was asked before.

    A source that holds no documents is not asked. Datasets are asked by their fields (see `data.asking`). With the web
    among the sources, each query goes to the documents, to the web or to both (S0.20 to S0.25): by what the documents
    hold of it, and by the kind of question. No allocation at all means that there is nothing new to ask.
    """
    asked = {_folded(text) for text in ask.asked}
    queries = tuple(query for query in _queries(ask) if _folded(query.text) not in asked)[: ask.max_queries]
    sources = [source for source in ask.sources if source.documents or source.kind != "file" or "open" in source.can]
    if not queries or not sources:
        return StrategicPlan(allocation_strategy="There is nothing new to ask.")
    if any(source.kind == "dataset" for source in sources):
        return _with_data(ask, queries, sources)
    return _of_texts(ask, queries, sources)


def _with_data(ask: AllocateQueries, queries: tuple[Query, ...], sources: Sequence[SourceDescription]) -> StrategicPlan:
    """The datasets that hold what is asked, and beside them, where it makes sense, documents and the web."""
    from fathom.reasoners.extractive.data.asking import ask_data

    documents = [source for source in sources if source.kind == "file"]
    texts = [source for source in sources if source.kind != "dataset"]
    held = max(_cover(query.text, documents) for query in queries) if documents else None
    asked = ask_data(ask, queries, held=held, least=LITTLE)
    beside = _of_texts(ask, queries, texts) if asked.others else StrategicPlan()
    allocations = {each.source: each for each in beside.allocations}
    allocations |= {name: Allocation(source=name, queries=queries) for name in asked.datasets}
    order = [allocations[source.name] for source in sources if source.name in allocations]
    said = f"{asked.reason[:1].upper()}{asked.reason[1:]}." if asked.reason else ""
    return StrategicPlan(allocations=tuple(order), allocation_strategy=f"{said} {beside.allocation_strategy}".strip())


def _of_texts(ask: AllocateQueries, queries: tuple[Query, ...], sources: Sequence[SourceDescription]) -> StrategicPlan:
    """Documents, the web, or both."""
    documents = [source for source in sources if source.kind != "web"]
    web = [source for source in sources if source.kind == "web"]
    if documents and web:
        return _divided(ask, queries, documents, web)
    reason = "The subtask is asked in its own words."
    if ask.proposed:
        reason = "These queries were known before."
    elif ask.feedback:
        reason = "What was missing is asked for."
    return StrategicPlan(
        allocations=tuple(Allocation(source=source.name, queries=queries) for source in sources),
        allocation_strategy=reason,
    )


def _queries(ask: AllocateQueries) -> list[Query]:
    """What may be asked, each text once."""
    if ask.proposed:
        return list({_folded(query.text): query for query in reversed(ask.proposed)}.values())[::-1]
    if ask.feedback:
        texts = [*ask.feedback.missing, *ask.feedback.drill_down_areas]
    else:
        names = identifiers(ask.subtask.description)
        texts = [query.text for query in ask.subtask.queries] or [ask.subtask.description]
        texts += [" ".join(names)] if 1 < len(names) <= 4 else []
    return [Query(text=text, context=ask.query) for text in dict.fromkeys(texts) if text.strip()]


# ── Documents, web, or both ────────────────────────────────────────────────────────────────────────────────────────


def _divided(
    ask: AllocateQueries,
    queries: Sequence[Query],
    documents: Sequence[SourceDescription],
    web: Sequence[SourceDescription],
) -> StrategicPlan:
    """Each query where it belongs, and why, in a sentence for each reason."""
    kinds = {query: _kind(ask, query.text, documents) for query in queries}
    allocations = []
    for source in ask.sources:
        if source in documents or source in web:
            own = tuple(query for query in queries if _WHY[kinds[query]][source in web])
            if own:
                allocations.append(Allocation(source=source.name, queries=own))
    return StrategicPlan(allocations=tuple(allocations), allocation_strategy=_reason(kinds))


def _kind(ask: AllocateQueries, text: str, documents: Sequence[SourceDescription]) -> Kind:
    """In doubt both: a search too many costs less than an answer that is not found."""
    asked_for = f"{own_side(ask.subtask.description)} {text}"
    others = asks_for_others(asked_for)
    if speaks_of_own(asked_for) and not others:
        return "own"
    cover = _cover(text, documents)
    lost, names = _lost(text, documents)
    if cover < LITTLE or (names and lost == names and cover < FOREIGN):
        return "missed" if ask.feedback else "foreign"
    if asks_for_current(f"{ask.query} {asked_for}", today=ask.today):
        return "current"
    if others:
        return "others"
    if cover >= HELD and not lost:
        return "part" if ask.feedback else "held"  # it stands there, and was not found by the words asked before
    return "missed" if ask.feedback else "part"


def _cover(text: str, documents: Sequence[SourceDescription]) -> float:
    """Share of the query that the best passage may hold: no more than what all passages together hold of its terms."""
    best = max(source.cover for source in documents)
    rarity = Rarity.over(documents)
    known = {term: rarity.of(term) for term in query_terms(text) if rarity.knows(term)}
    if not known:
        return best or UNKNOWN
    held = sum(weight for term, weight in known.items() if not rarity.is_absent(term)) / (sum(known.values()) or 1.0)
    return min(best, held) if best else held


def _lost(text: str, documents: Sequence[SourceDescription]) -> tuple[int, int]:
    """How many names and numbers of the query no document is known to hold, and how many it has."""
    rarity = Rarity.over(documents)
    shown = [line for source in documents for line in (*source.titles, *source.headings)]
    said = {term for line in shown for term in terms(line)}

    def is_held(term: str) -> bool:
        return term in said or (rarity.knows(term) and not rarity.is_absent(term))

    wanted = [name.terms for name in names_of(text)]
    numbers = [(term,) for term in query_terms(text) if term[0].isdigit()]
    wanted += [number for number in numbers if not any(number[0] in terms for terms in wanted)]
    lost = sum(not (is_held(own[0]) or (len(own) > 1 and all(map(is_held, own[1:])))) for own in wanted)
    return lost, len(wanted)


def _reason(kinds: dict[Query, Kind]) -> str:
    """Why each query goes where it goes; what holds for all of them is said once."""
    by_reason: dict[str, list[str]] = {}
    for query, kind in kinds.items():
        by_reason.setdefault(_WHY[kind][2], []).append(query.text)
    if len(by_reason) == 1:
        (reason,) = by_reason
        return f"{reason[:1].upper()}{reason[1:]}."
    return " ".join(f"{', '.join(f'“{text}”' for text in texts)}: {why}." for why, texts in by_reason.items())


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
