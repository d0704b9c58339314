"""The account of a run: what it may spend is asked before, and calls under way count as if they were over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.browsing import SearchResults
from fathom.engine.budget import KEPT_BACK, MOST_SECONDS_KEPT_BACK, Budget
from fathom.limits import Limits
from fathom.ports import CallUsage
from fathom.report import Usage


def usage(tokens: int = 0, cost: float = 0.0, **changes: Any) -> CallUsage:
    fields = {"model": "openai:small", "tier": "fast", "prompt_tokens": tokens, "cost_usd": cost, **changes}
    return CallUsage.model_validate(fields)


def metered(**limits: Any) -> Budget:
    return Budget(Limits(**limits), metered=True)


def made(budget: Budget, taken: CallUsage, *, research: bool = True) -> None:
    """A call that was begun and has ended."""
    budget.count("ExtractFindings", research=research)
    ticket = budget.begin(taken)
    budget.end(ticket)
    budget.spend(taken)


def search(cost: float, *, cached: bool = False) -> SearchResults:
    return SearchResults(provider="tavily", cost_usd=cost, cached=cached)


# ── Searches ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_model_searches_may_take_all_of_the_dollars_and_with_one_three_quarters() -> None:
    alone, beside = Budget(Limits(max_cost=1.0)), metered(max_cost=1.0)
    assert alone.refuses_search(1.0) is None and alone.refuses_search(1.01) == "max_cost"
    assert beside.refuses_search(0.75) is None and beside.refuses_search(0.76) == "max_cost"


def test_searches_and_models_spend_the_same_dollars_whether_they_are_over_or_under_way() -> None:
    budget = metered(max_cost=1.0)
    ticket = budget.begin(usage(cost=0.5))
    assert budget.refuses_search(0.3, beside=True) == "max_cost" and budget.refuses_search(0.3) is None
    assert budget.is_crowded(usage(cost=0.3), research=True) and budget.refuses_spending(usage(cost=0.3)) is None
    budget.end(ticket)
    assert budget.refuses_search(0.3, beside=True) is None
    assert not budget.is_crowded(usage(cost=0.3), research=True)
    budget.searched(search(0.5))
    made(budget, usage(cost=0.2))
    assert budget.refuses_search(0.1) == "max_cost" and budget.refuses_search(0.0) is None
    budget.start_from(budget.so_far())
    assert budget.refuses_search(0.7) is None, "a new attempt has its dollars anew"


def test_what_came_from_the_archive_was_not_paid_for() -> None:
    budget = Budget(Limits())
    budget.searched(search(0.0, cached=True))
    assert budget.usage == Usage()
    budget.searched(search(0.008))
    assert (budget.usage.searches, budget.usage.search_cost_usd, budget.usage.cost_usd) == ({"tavily": 1}, 0.008, 0.008)


# ── What binds ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_limits_nothing_is_refused() -> None:
    budget = metered()
    made(budget, usage(10**9, 10_000.0))
    assert budget.refuses_spending(usage(10**9, 10_000.0)) is None
    assert budget.refuses_report(seconds=10**9, expected=usage(10**9, 10_000.0)) is None


@pytest.mark.parametrize(
    ("limits", "fits", "too_much", "reason"),
    [
        ({"max_tokens": 1000}, usage(750), usage(751), "max_tokens"),
        ({"max_cost": 1.0}, usage(cost=0.75), usage(cost=0.76), "max_cost"),
    ],
)
def test_research_leaves_a_quarter_of_tokens_and_dollars_to_the_report(
    limits: dict[str, Any], fits: CallUsage, too_much: CallUsage, reason: str
) -> None:
    budget = metered(**limits)
    assert budget.refuses_spending(fits) is None
    assert budget.refuses_spending(too_much) == reason
    made(budget, fits)
    assert budget.refuses_spending(usage(1, 0.01)) == reason
    assert budget.refuses_report(seconds=0, expected=usage(250, 0.25)) is None
    assert budget.refuses_report(seconds=0, expected=usage(251, 0.26)) == reason


def test_research_leaves_a_quarter_of_the_calls_to_the_report_when_a_model_writes() -> None:
    budget = metered(max_calls=10)
    for _ in range(7):
        assert budget.refuses_research(seconds=0) is None
        made(budget, usage(1))
    assert budget.refuses_research(seconds=0) == "max_calls"
    for _ in range(3):
        assert budget.refuses_report(seconds=0, expected=usage(1)) is None
        made(budget, usage(1), research=False)
    assert budget.refuses_report(seconds=0, expected=usage(1)) == "max_calls"


def test_without_a_model_research_has_every_call_and_the_report_is_free() -> None:
    budget = Budget(Limits(max_calls=2))
    budget.count("search", research=True)
    budget.count("WriteSection", research=False)
    assert budget.refuses_research(seconds=0) is None
    budget.count("search", research=True)
    assert budget.refuses_research(seconds=0) == "max_calls"


@pytest.mark.parametrize(("most", "research"), [(40.0, 30.0), (3600.0, 3600.0 - MOST_SECONDS_KEPT_BACK)])
def test_research_leaves_time_for_writing_when_a_model_writes(most: float, research: float) -> None:
    budget = metered(max_time=most)
    assert budget.research_seconds == research
    assert budget.refuses_research(seconds=research - 0.1) is None
    assert budget.refuses_research(seconds=research) == "max_time"
    assert budget.refuses_report(seconds=research, expected=usage()) is None
    assert budget.refuses_report(seconds=most, expected=usage()) == "max_time"
    assert Budget(Limits(max_time=most)).research_seconds == most


def test_a_call_under_way_counts_with_what_it_is_expected_to_take_until_it_ends() -> None:
    budget = metered(max_tokens=1000)
    first, second = budget.begin(usage(300)), budget.begin(usage(300))
    assert budget.is_crowded(usage(300), research=True) and budget.refuses_spending(usage(300)) is None
    budget.end(first)
    budget.spend(usage(10))
    third = budget.begin(usage(10, held_tokens=300))
    assert not budget.is_crowded(usage(140), research=True)
    assert budget.is_crowded(usage(141), research=True)
    assert not budget.is_crowded(usage(141), research=False)
    budget.end(third)
    budget.end(second)
    assert budget.refuses_spending(usage(740)) is None


# ── What is taken down ─────────────────────────────────────────────────────────────────────────────────────────────


def test_the_usage_tells_priced_unpriced_estimated_and_cached_apart() -> None:
    budget = metered(max_cost=1.0)
    budget.spend(usage(100, 0.125, completion_tokens=20))
    budget.spend(usage(10, 0.5, priced=False))
    budget.spend(usage(5, 0.25, estimated=True))
    budget.spend(usage(1000, 0.0, cached=True))
    budget.spend(usage(0), answered=False)
    assert budget.usage == Usage(
        models={usage(0).model: 4},
        prompt_tokens=115,
        completion_tokens=20,
        cost_usd=0.375,
        unpriced_tokens=10,
        estimated_tokens=5,
        cached_calls=1,
    )


def test_what_has_no_known_price_counts_against_the_cap_with_the_dearest_known_one() -> None:
    budget = metered(max_cost=1.0)
    made(budget, usage(10, 0.8, priced=False))
    assert budget.usage.cost_usd == 0 and budget.charged_usd == 0.8
    assert budget.refuses_spending(usage(1, 0.0)) == "max_cost"


def test_a_new_attempt_starts_with_full_limits_and_an_account_that_goes_on() -> None:
    budget = metered(max_calls=4, max_tokens=1000, max_cost=1.0)
    for _ in range(3):
        made(budget, usage(250, 0.25))
    assert budget.refuses_research(seconds=0) == "max_calls"
    before = budget.so_far()

    anew = metered(max_calls=4, max_tokens=1000, max_cost=1.0)
    for _ in range(3):
        made(anew, usage(250, 0.25))
    anew.start_from(before)
    assert anew.refuses_spending(usage(750, 0.75)) is None
    assert anew.refuses_spending(usage(751, 0.75)) == "max_tokens"
    assert anew.calls.total() == 3 and anew.usage.prompt_tokens == 750


# ── Whatever the order ─────────────────────────────────────────────────────────────────────────────────────────────

CALLS = st.lists(
    st.tuples(
        st.integers(0, 400),  # tokens expected
        st.integers(0, 600),  # tokens taken
        st.booleans(),  # whether it is of the report
        st.integers(0, 3),  # how many calls end before it
    ),
    max_size=40,
)


@given(calls=CALLS, cap=st.integers(1, 3000))
def test_a_cap_is_overshot_by_no_more_than_what_calls_under_way_took_beyond_their_estimate(
    calls: list[tuple[int, int, bool, int]], cap: int
) -> None:
    """Tokens and dollars alike: a thousandth of a dollar per token."""
    budget = metered(max_tokens=cap, max_cost=cap / 1000)
    under_way: list[tuple[int, int, int]] = []
    allowed, spent_by_research, most_of_research = 0.0, 0, 0.0

    def end(count: int) -> None:
        for _ in range(min(count, len(under_way))):
            ticket, _, taken = under_way.pop(0)
            budget.end(ticket)
            budget.spend(usage(taken, taken / 1000))

    for expected, taken, report, ending in calls:
        end(ending)
        asked = usage(expected, expected / 1000)
        if budget.refuses_report(seconds=0, expected=asked) if report else budget.refuses_spending(asked):
            continue
        if budget.is_crowded(asked, research=not report):
            continue
        under_way.append((budget.begin(asked), expected, taken))
        beyond = sum(max(0, taken - expected) for _, expected, taken in under_way)
        allowed = max(allowed, cap + beyond)
        if not report:
            spent_by_research += taken
            most_of_research = max(most_of_research, (1 - KEPT_BACK) * cap + beyond)
    end(len(under_way))

    assert budget.usage.prompt_tokens <= allowed
    assert budget.charged_usd <= allowed / 1000 + 1e-9
    assert spent_by_research <= most_of_research
