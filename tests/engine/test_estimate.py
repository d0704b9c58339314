"""What a run is expected to take, before any of it is done."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.asks import Ask, ExtractFindings
from fathom.browsing import Reach, WebRules
from fathom.engine.estimate import PASSAGES, TAKES, estimate
from fathom.evidence import Query
from fathom.limits import Limits, Tier
from fathom.plan import MasterPlan, Subtask
from fathom.reasoners.language_model.task import Task
from fathom.reasoners.language_model.tasks import TASKS
from fathom.report import Estimate
from fathom.settings import Price

DEAR = Price(input=3, output=15)
PRICES: dict[Tier, Price | None] = {"fast": None, "balanced": DEAR, "strong": DEAR}


def plan_of(count: int, *, importance: float = 0.6, queries: int = 1) -> MasterPlan:
    subtasks = tuple(
        Subtask(
            subtask_id=f"task_{number}",
            description=f"Part {number}?",
            estimated_importance=importance,
            queries=tuple(Query(text=f"query {number} {at}") for at in range(queries)),
        )
        for number in range(1, count + 1)
    )
    mode = "hierarchical" if count > 1 else "simple"
    return MasterPlan(is_complex=count > 1, execution_mode=mode, subtasks=subtasks)


def test_six_subtasks_that_find_at_once_what_they_need_take_eight_calls_to_models() -> None:
    made = estimate(plan_of(6), Limits(), sources=1, prices=PRICES)
    assert made.model_calls_low == 1 + 6 + 1  # plan, extractions and a report of quotations, which needs no check
    assert made.calls_low == made.model_calls_low + 2 + 6


def test_a_simple_question_takes_few_calls() -> None:
    made = estimate(plan_of(1), Limits(max_depth=1, max_refinements=0, max_reflections=0), sources=1, prices=PRICES)
    assert (made.model_calls_low, made.model_calls_high) == (3, 8)  # a report in several calls has a plan and a frame


def test_only_what_is_important_enough_is_expected_to_be_drilled_into() -> None:
    flat, deep = (
        estimate(plan_of(4, importance=importance), Limits(max_children=5), sources=1) for importance in (0.6, 0.9)
    )
    assert flat.calls_low == deep.calls_low and flat.calls_high < deep.calls_high


def test_where_the_window_is_wide_more_tokens_are_expected() -> None:
    windows: list[dict[Tier, int]] = [{"balanced": size, "strong": size} for size in (8_192, 128_000)]
    narrow, wide = (estimate(plan_of(3), Limits(), sources=1, prices=PRICES, windows=each) for each in windows)
    assert narrow == estimate(plan_of(3), Limits(), sources=1, prices=PRICES)
    assert narrow.tokens_high < wide.tokens_high and narrow.cost_usd_high < wide.cost_usd_high


def test_without_models_nothing_costs_anything() -> None:
    made = estimate(plan_of(3), Limits(), sources=1)
    assert made.bounds == Estimate(calls_low=made.calls_low, calls_high=made.calls_high)
    assert (made.cost_usd_typical, made.tokens_typical, made.model_calls_typical) == (0, 0, 0)


def test_the_typical_figure_lies_between_and_grows_with_the_chain_of_parts() -> None:
    flat = plan_of(3)
    needs = ((), ("task_1",), ("task_2",))
    chain = tuple(each.model_copy(update={"dependencies": of}) for each, of in zip(flat.subtasks, needs, strict=True))
    plans = (flat, flat.model_copy(update={"subtasks": chain}))
    one, long = (estimate(plan, Limits(), sources=1, prices=PRICES) for plan in plans)
    assert one.calls_low < one.calls_typical < one.calls_high
    assert one.tokens_low < one.tokens_typical < one.tokens_high
    assert one.calls_typical == long.calls_typical and one.seconds_typical < long.seconds_typical
    capped = estimate(flat, Limits(max_calls=7), sources=1, prices=PRICES)
    assert capped.calls_typical <= capped.calls_high == 7


def test_a_model_without_a_known_price_counts_tokens_and_no_dollars() -> None:
    made = estimate(plan_of(3), Limits(), sources=1, prices={})
    assert made.tokens_high > made.tokens_low > 0 and made.cost_usd_high == 0.0


@pytest.mark.parametrize("kind", TAKES, ids=lambda kind: kind.__name__)
def test_no_call_is_expected_to_take_more_than_its_task_allows_itself(kind: type[Ask[Any]]) -> None:
    (sent, received), task = TAKES[kind], TASKS[kind]
    assert 0 < sent[0] <= sent[1] and 0 < received[0] <= received[1]
    if isinstance(task, Task):  # others take as much as the window has
        passages = PASSAGES if kind is ExtractFindings else 0
        assert sent[1] + passages <= task.prompt_tokens and received[1] <= task.answer_tokens


def test_little_to_read_makes_the_low_end_lower() -> None:
    little, much = (estimate(plan_of(3), Limits(), sources=1, prices=PRICES, material=size) for size in (50, 50_000))
    assert little.tokens_low < much.tokens_low and little.tokens_high == much.tokens_high


@pytest.mark.parametrize(("limit", "value"), [("max_calls", 7), ("max_tokens", 9_000), ("max_cost", 0.01)])
def test_a_cap_caps_the_estimate(limit: str, value: float) -> None:
    made = estimate(plan_of(6), Limits.model_validate({limit: value}), sources=1, prices=PRICES)
    high = {"max_calls": made.calls_high, "max_tokens": made.tokens_high, "max_cost": made.cost_usd_high}
    assert high[limit] == value


WEB = Reach(rules=WebRules(), searches={"tavily": 0.008, "searxng": 0.0}, fallbacks={"brave": 0.005})


def test_without_a_web_nothing_is_searched_and_read() -> None:
    made = estimate(plan_of(3), Limits(), sources=1)
    assert made.searches_low == made.searches_high == made.pages_low == made.pages_high == 0


def test_documents_may_spare_the_run_all_searches_but_the_first() -> None:
    beside, alone = (estimate(plan_of(3, queries=2), Limits(), sources=sources, web=WEB) for sources in (1, 0))
    assert beside.searches_low == 2 and alone.searches_low == 2 * (1 + 3 * 2)
    assert beside.cost_usd_low == 0.008 and alone.cost_usd_low == pytest.approx(7 * 0.008)
    assert beside.searches_high == alone.searches_high


def test_searches_and_models_are_paid_from_the_same_dollars() -> None:
    made, without = (estimate(plan_of(3), Limits(), sources=1, prices=PRICES, web=web) for web in (WEB, None))
    searched = made.searches_high / 2 * 0.008
    assert made.cost_usd_high == pytest.approx(without.cost_usd_high + searched)
    assert estimate(plan_of(3), Limits(max_cost=0.1), sources=1, prices=PRICES, web=WEB).cost_usd_high == 0.1


@given(
    st.builds(plan_of, st.integers(1, 10), importance=st.floats(0, 1), queries=st.integers(0, 5)),
    st.builds(
        Limits,
        max_subtasks=st.integers(1, 30),
        max_depth=st.integers(1, 5),
        max_refinements=st.integers(0, 10),
        max_reflections=st.integers(0, 5),
        max_calls=st.none() | st.integers(1, 100),
        max_tokens=st.none() | st.integers(1, 100_000),
        max_cost=st.none() | st.floats(0.001, 10),
    ),
    st.integers(0, 3),
    st.sampled_from([None, {}, PRICES]),
    st.sampled_from([None, WEB]),
)
def test_the_low_end_is_never_above_the_high_one(
    plan: MasterPlan, limits: Limits, sources: int, prices: dict[Tier, Price | None] | None, web: Reach | None
) -> None:
    made = estimate(plan, limits, sources=sources, prices=prices, web=web)
    assert 0 < made.calls_low <= made.calls_high
    assert made.model_calls_low <= made.model_calls_high <= made.calls_high
    assert made.tokens_low <= made.tokens_high and made.cost_usd_low <= made.cost_usd_high
    assert made.searches_low <= made.searches_high <= made.calls_high
    assert made.pages_low <= made.pages_high <= made.calls_high
