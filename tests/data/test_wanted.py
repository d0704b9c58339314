"""The statistic that a question asks for leads what is said of counts."""

from __future__ import annotations

import pytest

from fathom.data.insights import Insight, insights_of
from fathom.data.requests import DataRequest, DateHistogram
from fathom.data.results import Aggregation, Bucket
from fathom.data.wanted import wanted_of

DEVICES = ("pump", "turbine", "valve", "boiler", "fan", "press")
SUMS = (700.0, 650.0, 600.0, 550.0, 90.0, 80.0)


@pytest.mark.parametrize(
    ("question", "statistics"),
    [
        ("Who are our top 5 customers by revenue?", ("sum",)),
        ("Which city had the most attendees in total?", ("sum",)),
        ("Which movie genre has the most votes?", ("sum",)),
        ("売上が最も多い商品はどれですか", ("sum",)),
        ("売上の平均はいくらですか", ("mean",)),
        ("Which region has the highest average revenue?", ("mean",)),
        ("Which device has the highest temperature?", ("max",)),
        ("Which device is the hottest?", ("max",)),
        ("Which device has the lowest temperature?", ("min",)),
        ("What is the median price?", ("median",)),
        ("How is it going?", ()),
    ],
)
def test_the_words_of_a_question_tell_the_statistic(question: str, statistics: tuple[str, ...]) -> None:
    assert wanted_of(question).statistics == statistics


def _devices(*, tie: bool = False, distinct: int = 6) -> Aggregation:
    buckets = []
    for at, (name, total) in enumerate(zip(DEVICES, SUMS, strict=True)):
        most = 79.9 if tie and at < 2 else 70.0 - at
        figures = {"count": 10.0, "min": 1.0 + at, "max": most, "mean": total / 10, "median": 40.0, "sum": total}
        buckets.append(Bucket(key=(name,), count=10, statistics={"temperature": figures}))
    return Aggregation(type="group_by", fields=("device",), buckets=tuple(buckets), distinct=distinct, other=0)


def _first(counts: Aggregation, question: str, language: str = "en") -> Insight:
    request = DataRequest(group_by=("device",), statistics=("temperature",))
    insights = insights_of(counts, request=request, matched=60, total=60, language=language, question=question)
    return insights[0]


def test_as_many_groups_are_named_as_are_asked_for() -> None:
    found = _first(_devices(), "top 4 devices by total temperature")
    assert found.text == (
        "pump has the highest sum of temperature: 700 (10 records), followed by turbine (650), valve (600) "
        "and boiler (550)."
    )


@pytest.mark.parametrize("language", ["en", "ja"])
def test_groups_with_the_same_maximum_tie(language: str) -> None:
    found = _first(_devices(tie=True), "Which device has the highest temperature?", language)
    assert found.kind == "highest_max"
    assert found.rows == (0, 1)
    assert "pump" in found.text
    assert "turbine" in found.text


def test_the_lowest_comes_first_when_it_is_asked_for() -> None:
    assert _first(_devices(), "Which device has the lowest average temperature?").kind == "lowest_mean"
    assert _first(_devices(), "Which device has the minimum temperature?").kind == "lowest_min"


def test_no_leader_is_claimed_where_groups_were_left_out() -> None:
    assert "sum of" not in _first(_devices(distinct=40), "Which device has the most total temperature?").text


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_halves_of_a_time_are_told_apart(language: str) -> None:
    steps = tuple(Bucket(key=(f"2024-{at:02}",), count=at) for at in range(1, 11))
    counts = Aggregation(type="date_histogram", fields=("day",), interval="month", buckets=steps, total_docs=55)
    request = DataRequest(date_histogram=DateHistogram(field="day", interval="month"))
    insights = insights_of(counts, request=request, matched=55, total=55, language=language)
    (trend,) = [each for each in insights if each.kind == "trend"]
    assert (trend.figures["a"], trend.figures["b"]) == ("15", "40")
    if language == "en":
        assert trend.text == "Of the 55 records, 15 are in 2024-01 to 2024-05, and 40 in 2024-06 to 2024-10."


def test_the_number_of_groups_weighs_most_when_it_is_asked_for() -> None:
    counts = Aggregation(
        type="group_by", fields=("customer",), buckets=(Bucket(key=("Ada",), count=2), Bucket(key=("Bo",), count=1))
    )
    request = DataRequest(group_by=("customer",))
    question = "How many different customers are there?"
    found = insights_of(counts, request=request, matched=3, total=3, language="en", question=question)
    best = [each.text for each in found if each.weight == found[0].weight]
    assert "The 3 records have 2 different values of customer." in best
