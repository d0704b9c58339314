"""What is said of counts: exact, standing alone, and never more than the counts hold."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fathom.data.counting import percent
from fathom.data.insights import Insight, insights_of
from fathom.data.naming import conditions, in_short
from fathom.data.requests import DataRequest, DateHistogram, Filter
from fathom.data.results import Aggregation, Bucket
from tests.support.tables import INDIA, MONTHS, OVERALL, SPENT, THEMES, TIED, TOP, YEARS

IN_2020 = (
    Filter(field="date", op="gte", value="2020-01-01"),
    Filter(field="date", op="lt", value="2021-01-01"),
)
IN_2024 = (
    Filter(field="date", op="gte", value="2024-03-01"),
    Filter(field="date", op="lte", value="2024-08-31"),
)
SEVERAL = (
    INDIA,
    Filter(field="theme", op="in", value=("AI", "Data")),
    Filter(field="size", op="lt", value=50),
    Filter(field="summary", op="contains", value="30 records"),
    Filter(field="day", op="gte", value="2023-01-01"),
)
KEYS = st.one_of(
    st.sampled_from(
        "AI Cloud Security Data IoT most Other 50 2024 経済 カテゴリ 人工知能 Web\u00a03.0 R&D C++".split(" ")
    ),
    st.text(string.ascii_letters + " .-", min_size=1, max_size=8),
    st.text(max_size=8),
    st.just(""),
)
COUNTS = st.integers(min_value=0, max_value=300)


def said(aggregation: Aggregation, *, matched: int | None, language: str = "en", **asked: object) -> list[str]:
    request = DataRequest(filters=(INDIA,), **asked)
    return [
        insight.text
        for insight in insights_of(aggregation, request=request, matched=matched, total=2_000, language=language)
    ]


@st.composite
def distributions(draw: st.DrawFn) -> tuple[Aggregation, DataRequest, int | None]:
    keys = draw(st.lists(KEYS, min_size=1, max_size=9, unique_by=lambda key: " ".join(key.casefold().split())))
    counts = sorted((draw(COUNTS) for _ in keys), reverse=True)
    other = draw(st.sampled_from([None, 0, 7]))
    distinct = None if other is None else len(keys) + (2 if other else 0)
    aggregation = Aggregation(
        type="group_by",
        fields=("event_theme",),
        buckets=tuple(Bucket(key=(key,), count=count) for key, count in zip(keys, counts, strict=True)),
        distinct=distinct,
        other=other,
    )
    matched = draw(st.sampled_from([None, sum(counts) + (other or 0), sum(counts) + 11, max(counts)]))
    filters = draw(
        st.sampled_from([(), (INDIA,), (Filter(field="size", op="gte", value=5),), SEVERAL, (INDIA, *IN_2024)])
    )
    return aggregation, DataRequest(filters=filters, group_by=("event_theme",)), matched


@st.composite
def histograms(draw: st.DrawFn) -> tuple[Aggregation, DataRequest, int | None]:
    many = draw(st.integers(min_value=1, max_value=12))
    steps = [f"{2020 + month // 12}-{month % 12 + 1:02}" for month in range(many)]
    counts = [draw(COUNTS) for _ in steps]
    aggregation = Aggregation(
        type="date_histogram",
        fields=("date",),
        interval="month",
        buckets=tuple(Bucket(key=(step,), count=count) for step, count in zip(steps, counts, strict=True)),
    )
    filters = draw(st.sampled_from([(INDIA,), IN_2020, (INDIA, *IN_2020)]))
    request = DataRequest(filters=filters, date_histogram=DateHistogram(field="date"))
    return aggregation, request, sum(counts)


def of(case: tuple[Aggregation, DataRequest, int | None], language: str) -> tuple[Insight, ...]:
    aggregation, request, matched = case
    return insights_of(aggregation, request=request, matched=matched, total=2_000, language=language)


CASES = st.one_of(distributions(), histograms())
LANGUAGES = st.sampled_from(["en", "ja"])
SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def worked_out(insight: Insight, aggregation: Aggregation, matched: int | None) -> dict[str, list[str]]:
    """What the figures of an insight may be, worked out from its rows once more."""
    counts = [aggregation.buckets[at].count for at in insight.rows]
    half = len(counts) // 2
    told = sum(counts) if insight.kind in ("top", "concentration") else counts[0] if counts else 0
    told = aggregation.other or 0 if insight.kind == "other" else told
    both = {"trend": (sum(counts[:half]), sum(counts[half:]))}.get(insight.kind, (*counts[:1], *counts[-1:]))
    base = matched if matched is not None else aggregation.total_docs
    exact = {
        "count": [counts[0]] if counts else [],
        "sum": [told],
        "a": both[:1],
        "b": both[1:],
        "low": [min(counts)] if counts else [],
        "high": [max(counts)] if counts else [],
        "base": [base],
    }
    share = percent(told, base) if base else ""
    return {**{name: [f"{n:,}" for n in exact[name]] for name in exact}, "share": [f"{share} %", f"{share}%"]}


@SLOW
@given(case=CASES, language=LANGUAGES)
def test_every_figure_of_an_insight_follows_from_its_rows(
    case: tuple[Aggregation, DataRequest, int | None], language: str
) -> None:
    aggregation, _, matched = case
    for insight in of(case, language):
        if insight.kind == "scope":
            continue
        right = worked_out(insight, aggregation, matched)
        for name in right.keys() & insight.figures.keys():
            assert insight.figures[name] in right[name], (insight, name, right[name])
            assert insight.figures[name] in insight.text


@SLOW
@given(case=CASES, language=LANGUAGES)
def test_no_share_is_above_all_and_no_sentence_comes_twice(
    case: tuple[Aggregation, DataRequest, int | None], language: str
) -> None:
    insights = of(case, language)
    counted = any(bucket.count for bucket in case[0].buckets)
    assert counted <= len(insights) <= 5
    assert len({insight.text for insight in insights}) == len(insights)
    assert [each.weight for each in insights] == sorted((each.weight for each in insights), reverse=True)
    if case[0].type == "group_by":
        for insight in insights:
            shares = re.findall(r"([\d.]+) ?%[)）]", insight.text)
            assert all(float(share) <= 100 for share in shares), insight.text


def test_the_leader_comes_first_with_count_share_and_filter_and_those_next_to_it_in_the_same_sentence() -> None:
    assert said(THEMES, matched=165)[0] == (
        "Of the 165 records with country = India, AI has the most: 50 (30.3 %), "
        "followed by Cloud (40) and Security (30)."
    )
    assert said(THEMES, matched=165, language="ja")[0] == (
        "記録165件（country = India）のうち、「AI」が最も多く50件（30.3%）、"
        "次いで「Cloud」（40件）、「Security」（30件）です。"
    )


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_largest_three_are_summed_up(language: str) -> None:
    texts = said(THEMES, matched=165, language=language)
    assert any("120" in text and "72.7" in text for text in texts)


def test_a_tie_is_told_as_one() -> None:
    texts = said(TIED, matched=50)
    assert texts[0] == "Of the 50 records with country = India, Pune and Delhi tie for the most: 20 each (40.0 %)."
    assert not any("has the most" in text for text in texts)


def test_nothing_is_said_of_the_smallest_when_groups_are_left_out() -> None:
    texts = said(TOP, matched=165)
    assert not any("fewest" in text for text in texts)
    assert any("20 (12.1 %) are in groups that are not listed" in text for text in texts)


def test_no_match_is_said_plainly() -> None:
    nothing = Aggregation(type="group_by", fields=("event_theme",))
    assert said(nothing, matched=0) == ["Of the 2,000 records of the dataset, 0 match country = India."]


def test_change_over_time_is_between_the_ends_in_per_cent() -> None:
    texts = said(YEARS, matched=101)
    assert "The number of records with country = India fell from 20 in 2021 to 15 in 2025, by 25.0 %." in texts


def test_a_step_that_a_filter_cuts_is_no_end() -> None:
    request = DataRequest(filters=(Filter(field="date", op="lt", value="2025-03-10"),))
    texts = [each.text for each in insights_of(YEARS, request=request, matched=101, total=None, language="en")]
    assert any("rose from 20 in 2021 to 30 in 2024, by 50.0 %" in text for text in texts)


def test_the_peak_and_the_outlier_and_the_gap_are_told() -> None:
    texts = " ".join(said(MONTHS, matched=50))
    assert "the peak is 2024-03: 30 (60.0 %)" in texts
    assert "2024-03 stands out with 30" in texts


def test_the_highest_mean_is_told_by_group() -> None:
    texts = said(SPENT, matched=90, statistics=("attendance",))
    assert "AI has the highest mean of attendance: 120.5" in texts[0]


def test_statistics_of_all_are_told() -> None:
    texts = said(OVERALL, matched=165, statistics=("attendance",))
    assert any("the sum of attendance is 12,347" in text for text in texts)
    assert any("the mean of attendance is 74.8 and its median 60" in text for text in texts)


def test_days_between_two_filters_read_as_the_year_the_month_or_the_span() -> None:
    def told(first: str, last: str, language: str = "en") -> str:
        bounds = ((first, "gte"), (last, "lt"))
        filters = tuple(Filter(field="date", op=op, value=day) for day, op in bounds if day)
        return conditions(DataRequest(filters=filters), language)

    assert told("2023-01-01", "2024-01-01") == "date in 2023"
    assert told("2024-03-01", "2024-04-01") == "date in March 2024"
    assert told("2023-03-01", "2023-09-01") == "date from 2023-03 to 2023-08"
    assert told("2023-03-05", "2023-03-06") == "date on 2023-03-05"
    assert told("2023-01-01", "") == "date since 2023"
    assert told("", "2021-01-01") == "date before 2021"
    assert told("2023-01-01", "2024-01-01", "ja") == "dateが2023年"
    assert told("2023-03-01", "2023-09-01", "ja") == "dateが2023年3月～2023年8月"
    assert told("2024-01-01", "2023-01-01") == "date ≥ 2024-01-01 and date < 2023-01-01"


@pytest.mark.parametrize(
    ("language", "named"),
    [("en", "Of the 165 records (India, 2024-03 to 2024-08), AI"), ("ja", "（India、2024年3月～2024年8月）")],
)
def test_several_filters_are_named_by_their_values_alone(language: str, named: str) -> None:
    request = DataRequest(filters=(INDIA, *IN_2024), group_by=("event_theme",))
    texts = [each.text for each in insights_of(THEMES, request=request, matched=165, total=None, language=language)]
    assert named in texts[0]
    assert not any("≥" in text for text in texts)


def test_values_that_would_not_be_clear_alone_keep_the_name_of_their_field() -> None:
    filters = (INDIA, Filter(field="size", op="gte", value=5), Filter(field="online", value=True))
    assert in_short(DataRequest(filters=filters), "en") == "India, size ≥ 5, online = true"


def test_nothing_is_told_of_a_field_that_a_filter_fixes_or_of_a_single_step_within_a_filter() -> None:
    india = Aggregation(type="group_by", fields=("country",), buckets=(Bucket(key=("India",), count=9),), distinct=1)
    assert [text for text in said(india, matched=9) if "have country" in text] == []
    year = Aggregation(
        type="date_histogram", fields=("date",), interval="year", buckets=(Bucket(key=("2020",), count=9),)
    )
    told = insights_of(year, request=DataRequest(filters=IN_2020), matched=9, total=40, language="en")
    assert [each.text for each in told] == ["Of the 40 records of the dataset, 9 (22.5 %) match date in 2020."]


def test_names_are_all_in_quotation_marks_or_none() -> None:
    assert all("“" not in text for text in said(THEMES, matched=165))
    buckets = (Bucket(key=("high",), count=9), Bucket(key=("urgent",), count=5), Bucket(key=("low",), count=3))
    texts = said(Aggregation(type="group_by", fields=("priority",), buckets=buckets, distinct=3, other=0), matched=17)
    assert "“high” has the most: 9 (52.9 %), followed by “urgent” (5) and “low” (3)" in texts[0]


def test_the_highest_mean_says_of_how_many_values_and_what_is_next_to_it() -> None:
    means = {"Open Circuit": (205.84, 980), "Lantern": (205.43, 963), "Meridian": (199.7, 990), "Harbour": (193.3, 956)}
    buckets = tuple(
        Bucket(key=(name,), count=1_000, statistics={"attendees": {"mean": mean, "count": count}})
        for name, (mean, count) in means.items()
    )
    table = Aggregation(type="group_by", fields=("organizer",), buckets=buckets, distinct=4, other=0)
    told = insights_of(table, request=DataRequest(), matched=4_000, total=None, language="en")
    assert told[0].text == (
        "Open Circuit has the highest mean of attendees: 205.8 (980 records with a value), "
        "followed by Lantern (205.4) and Meridian (199.7)."
    )


@pytest.mark.parametrize("language", ["en", "ja"])
def test_of_groups_of_one_record_each_the_value_itself_is_told(language: str) -> None:
    values = {"Tokyo": 37_400_068.0, "Delhi": 28_514_000.0, "Shanghai": 25_582_000.0, "Osaka": 19_281_000.0}
    buckets = tuple(
        Bucket(key=(name,), count=1, statistics={"population": {"mean": each, "min": each, "max": each, "count": 1}})
        for name, each in values.items()
    )
    cities = Aggregation(type="group_by", fields=("city",), buckets=buckets, distinct=4, other=0)
    told = insights_of(cities, request=DataRequest(), matched=4, total=None, language=language)
    assert not any("mean" in each.text or "平均" in each.text for each in told)


def test_records_without_a_value_are_no_group_among_the_others() -> None:
    buckets = (Bucket(key=("",), count=60), Bucket(key=("AI",), count=40))
    texts = said(Aggregation(type="group_by", fields=("event_theme",), buckets=buckets, distinct=2), matched=100)
    assert any("60 (60.0 %) have no event_theme" in text for text in texts)
    assert not any("(no value) has" in text for text in texts)


def test_a_key_that_reads_as_a_figure_stands_in_quotation_marks() -> None:
    buckets = (Bucket(key=("²",), count=9), Bucket(key=("50",), count=3))
    aggregation = Aggregation(type="group_by", fields=("size",), buckets=buckets, distinct=2, other=0)
    assert said(aggregation, matched=12)[0] == (
        "Of the 12 records with country = India, “²” has the most: 9 (75.0 %), followed by “50” (3)."
    )


def test_groups_that_share_records_are_not_added() -> None:
    buckets = (
        Bucket(key=("a-b",), count=80),
        Bucket(key=("c-d",), count=70),
        Bucket(key=("e-f",), count=60),
        Bucket(key=("g-h",), count=5),
    )
    texts = said(Aggregation(type="group_by", fields=("tags",), buckets=buckets, distinct=4, other=0), matched=100)
    assert not any("together" in text for text in texts)


@st.composite
def series(draw: st.DrawFn) -> tuple[Aggregation, DataRequest, int | None]:
    themes = draw(
        st.lists(st.sampled_from(["AI", "Cloud", "most", "経済", "R&D"]), min_size=1, max_size=3, unique=True)
    )
    years = ["2023", "2024", "2025"][: draw(st.integers(1, 3))]
    buckets = [Bucket(key=(theme, year), count=draw(COUNTS)) for theme in themes for year in years]
    buckets.sort(key=lambda bucket: -bucket.count)
    aggregation = Aggregation(
        type="group_by", fields=("event_theme", "year"), buckets=tuple(buckets), distinct=len(buckets), other=0
    )
    request = DataRequest(filters=(INDIA,), group_by=("event_theme", "year"))
    return aggregation, request, sum(bucket.count for bucket in buckets)


@st.composite
def measured(draw: st.DrawFn) -> tuple[Aggregation, DataRequest, int | None]:
    numbers = st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6), st.just(float("nan")))
    kinds = ["mean", "sum", "median", "min", "max"]
    size = draw(st.sampled_from([1, 8, 10]))
    values = {"count": min(size, 8)} if draw(st.booleans()) else {}
    names = draw(st.lists(st.sampled_from(["AI", "Cloud", "Security", "第一"]), max_size=4, unique=True))
    buckets = [
        Bucket(
            key=(name,), count=size, statistics={"attendance": {**values, **{kind: draw(numbers) for kind in kinds}}}
        )
        for name in names
    ]
    if not buckets:
        whole = Bucket(
            key=(), count=10, statistics={"attendance": {**values, **{kind: draw(numbers) for kind in kinds}}}
        )
        return Aggregation(type="statistics", buckets=(whole,)), DataRequest(statistics=("attendance",)), 10
    aggregation = Aggregation(
        type="group_by", fields=("theme",), buckets=tuple(buckets), distinct=len(buckets), other=0
    )
    return aggregation, DataRequest(group_by=("theme",), statistics=("attendance",)), size * len(buckets)


@SLOW
@given(case=st.one_of(series(), measured()), language=LANGUAGES)
def test_every_figure_stands_in_its_sentence(case: tuple[Aggregation, DataRequest, int | None], language: str) -> None:
    for insight in of(case, language):
        assert insight.figures, insight
        assert all(figure in insight.text for figure in insight.figures.values())
