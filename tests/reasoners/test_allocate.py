"""Where a query is asked: of the documents, of the web, or of both."""

from __future__ import annotations

from typing import Any

import pytest

from fathom.asks import AllocateQueries
from fathom.evidence import Query, SourceDescription
from fathom.findings import DepthEvaluation
from fathom.plan import StrategicPlan, Subtask
from fathom.reasoners.extractive.allocate import allocate_queries
from fathom.text.analysis import query_terms

WEB = SourceDescription(name="web", kind="web", documents=0)
LACKING = DepthEvaluation(is_sufficient=False, depth_quality="superficial", missing=("Kelvin waves",))


def documents(query: str, *, cover: float, lost: tuple[str, ...] = ()) -> SourceDescription:
    """Documents whose best passage holds that share of the query, without the terms of `lost`."""
    absent = {term for text in lost for term in query_terms(text)}
    counts = {term: 0 if term in absent else 9 for term in query_terms(query)}
    return SourceDescription(
        name="knowledge", kind="file", documents=40, passages=900, term_passages=counts, cover=cover
    )


def allocated(text: str, *, cover: float, lost: tuple[str, ...] = (), **changes: Any) -> StrategicPlan:
    proposed = (Query(text=text, context=text),)
    fields = {
        "query": text,
        "language": "en",
        "subtask": Subtask(subtask_id="task_1", description=text),
        "sources": (documents(text, cover=cover, lost=lost), WEB),
        "proposed": proposed,
        "max_queries": 4,
        "today": "2026-11-22",
    }
    return allocate_queries(AllocateQueries(**{**fields, **changes}))


def asked(plan: StrategicPlan) -> str:
    return " ".join(allocation.source for allocation in plan.allocations)


@pytest.mark.parametrize(
    ("text", "cover", "lost", "sources"),
    [
        ("How does autovacuum decide when to vacuum a table?", 0.95, (), "knowledge"),
        ("How does autovacuum decide when to vacuum a table?", 0.6, (), "knowledge web"),
        ("How does autovacuum decide when to vacuum a table?", 0.1, (), "web"),
        ("What does the planner of CockroachDB do?", 0.5, ("CockroachDB",), "web"),
        ("How many users, servers, tables and indexes were there in 1987?", 0.9, ("1987",), "knowledge web"),
        ("What is the latest version of PostgreSQL?", 0.95, (), "knowledge web"),
        ("What does PostgreSQL cost in 2026, its price for small teams?", 0.95, (), "knowledge web"),
        ("Which events are planned in 2027?", 0.95, (), "knowledge web"),
        ("How does it compare with competitors on the market?", 0.95, (), "knowledge web"),
        ("What is our policy on retries?", 0.2, (), "knowledge"),
        ("How does our policy on retries compare with best practices?", 0.9, (), "knowledge web"),
        ("弊社の再試行の規定は何ですか", 0.2, (), "knowledge"),
        ("PostgreSQLの最新の状況を教えてください", 0.95, (), "knowledge web"),
        ("現在の価格はいくらですか", 0.1, (), "web"),
    ],
)
def test_a_query_goes_where_it_can_be_answered(text: str, cover: float, lost: tuple[str, ...], sources: str) -> None:
    plan = allocated(text, cover=cover, lost=lost)

    assert asked(plan) == sources
    assert all(allocation.queries == (Query(text=text, context=text),) for allocation in plan.allocations)
    assert plan.allocation_strategy.endswith(".") and len(plan.allocation_strategy) > 20


def test_documents_that_say_nothing_of_themselves_are_asked_beside_the_web() -> None:
    silent = SourceDescription(name="knowledge", kind="file", documents=40)

    assert asked(allocated("How deep is the sea?", cover=0, sources=(silent, WEB))) == "knowledge web"


def test_what_the_documents_could_not_answer_goes_to_the_web() -> None:
    text = "What do Kelvin waves do?"
    plan = allocated(text, cover=0.7, feedback=LACKING, proposed=())
    assert asked(plan) == "web" and plan.allocations[0].queries[0].text == "Kelvin waves"
    assert asked(allocated(text, cover=0.95, feedback=LACKING)) == "knowledge web"


def test_queries_of_one_round_part_ways_and_each_reason_is_told() -> None:
    held, lost = "How does autovacuum work?", "What is the market share of CockroachDB?"
    plan = allocated(
        held,
        cover=0.95,
        sources=(documents(f"{held} {lost}", cover=0.95, lost=("CockroachDB market share",)), WEB),
        proposed=(Query(text=held), Query(text=lost)),
    )

    texts = {each.source: [query.text for query in each.queries] for each in plan.allocations}
    assert texts == {"knowledge": [held], "web": [lost]}
    assert held in plan.allocation_strategy and lost in plan.allocation_strategy


def test_without_the_web_every_source_is_asked_for_what_is_proposed() -> None:
    first, second = (documents("sea", cover=cover).model_copy(update={"name": str(cover)}) for cover in (0.9, 0.0))
    plan = allocated("What is the latest on our sea?", cover=0, sources=(first, second))

    assert asked(plan) == "0.9 0.0"


def test_the_web_alone_is_asked_for_everything() -> None:
    assert asked(allocated("What is our policy on retries?", cover=0, sources=(WEB,))) == "web"


def test_nothing_is_proposed_twice_and_nothing_that_was_asked_before_is_asked_again() -> None:
    proposed = (Query(text="Sea depth"), Query(text="sea  depth"), Query(text="tides"))
    plan = allocated("How deep is the sea?", cover=0.9, proposed=proposed, asked=("Tides",))

    assert [query.text for query in plan.allocations[0].queries] == ["Sea depth"]
    assert not allocated("How deep is the sea?", cover=0.9, proposed=proposed[2:], asked=("Tides",)).allocations
