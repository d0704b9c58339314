"""What is said of counts: exact, standing alone, and never more than the counts hold."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fathom.data.figures import CitedTable, check_figures
from fathom.data.insights import Insight, insights_of
from fathom.data.requests import DataRequest, DateHistogram, Filter
from fathom.data.results import Aggregation, Bucket
from tests.data.tables import INDIA, MONTHS, OVERALL, SPENT, THEMES, TIED, TOP, YEARS

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
    filters = draw(st.sampled_from([(), (INDIA,), (Filter(field="size", op="gte", value=5),)]))
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
    request = DataRequest(filters=(INDIA,), date_histogram=DateHistogram(field="date"))
    return aggregation, request, sum(counts)


def proofs(case: tuple[Aggregation, DataRequest, int | None], language: str) -> list[tuple[Insight, CitedTable]]:
    aggregation, request, matched = case
    return [
        (insight, CitedTable(aggregation, insight.rows, matched, 2_000, request))
        for insight in insights_of(aggregation, request=request, matched=matched, total=2_000, language=language)
    ]


CASES = st.one_of(distributions(), histograms())
LANGUAGES = st.sampled_from(["en", "ja"])
SLOW = settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@SLOW
@given(case=CASES, language=LANGUAGES)
def test_every_insight_passes_the_check_with_its_own_rows(
    case: tuple[Aggregation, DataRequest, int | None], language: str
) -> None:
    for insight, table in proofs(case, language):
        verdict = check_figures(insight.text, [table], [])
        assert verdict.status == "supported", (insight, verdict.reason)


@SLOW
@given(case=CASES, language=LANGUAGES, data=st.data())
def test_no_insight_passes_once_a_figure_is_changed(
    case: tuple[Aggregation, DataRequest, int | None], language: str, data: st.DataObject
) -> None:
    told = proofs(case, language)
    assume(told)
    insight, table = data.draw(st.sampled_from(told))
    figures = [
        match
        for match in re.finditer(r"(?<![\d.,\w-])\d+(?:,\d{3})*(?:\.\d+)?(?![\d-])", insight.text, re.ASCII)
        if not _is_name(insight.text, match, table)
    ]
    assume(figures)
    figure = data.draw(st.sampled_from(figures))
    decimals = len(figure[0].partition(".")[2])
    step = 10.0**-decimals
    by = data.draw(st.integers(min_value=2, max_value=400)) * step * data.draw(st.sampled_from([1, -1]))
    changed = round(float(figure[0].replace(",", "")) + by, 6)
    assume(changed >= 0)
    text = f"{insight.text[: figure.start()]}{changed:.{decimals}f}{insight.text[figure.end() :]}"
    assert check_figures(text, [table], []).status != "supported", text


def _is_name(text: str, match: re.Match[str], table: CitedTable) -> bool:
    """Whether digits stand in a name or a filter."""
    names = [" ".join(part.split()) for bucket in table.aggregation.buckets for part in bucket.key]
    names += ["size ≥ 5", "size >= 5"]
    return any(
        name and at <= match.start() < at + len(name)
        for name in names
        for at in [each.start() for each in re.finditer(re.escape(name), text)]
    )


@SLOW
@given(case=CASES, language=LANGUAGES)
def test_no_share_is_above_all_and_no_sentence_comes_twice(
    case: tuple[Aggregation, DataRequest, int | None], language: str
) -> None:
    insights = [insight for insight, _ in proofs(case, language)]
    counted = any(bucket.count for bucket in case[0].buckets)
    assert counted <= len(insights) <= 5
    assert len({insight.text for insight in insights}) == len(insights)
    assert [each.weight for each in insights] == sorted((each.weight for each in insights), reverse=True)
    if case[0].type == "group_by":
        for insight in insights:
            shares = re.findall(r"([\d.]+) ?%[)）]", insight.text)
            assert all(float(share) <= 100 for share in shares), insight.text


def test_the_leader_comes_first_with_count_share_and_filter() -> None:
    assert said(THEMES, matched=165)[0] == "Of the 165 records with country = India, AI has the most: 50 (30.3 %)."


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
    assert said(nothing, matched=0) == ["No record with country = India matches."]


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
    assert any("AI has the highest mean of attendance: 120.5" in text for text in texts)


def test_statistics_of_all_are_told() -> None:
    texts = said(OVERALL, matched=165, statistics=("attendance",))
    assert any("the sum of attendance is 12,347" in text for text in texts)
    assert any("the mean of attendance is 74.8 and its median 60" in text for text in texts)


def test_records_without_a_value_are_no_group_among_the_others() -> None:
    buckets = (Bucket(key=("",), count=60), Bucket(key=("AI",), count=40))
    texts = said(Aggregation(type="group_by", fields=("event_theme",), buckets=buckets, distinct=2), matched=100)
    assert any("60 (60.0 %) have no event_theme" in text for text in texts)
    assert not any("(no value) has" in text for text in texts)


def test_a_key_that_reads_as_a_figure_stands_in_quotation_marks() -> None:
    buckets = (Bucket(key=("²",), count=9), Bucket(key=("50",), count=3))
    aggregation = Aggregation(type="group_by", fields=("size",), buckets=buckets, distinct=2, other=0)
    assert said(aggregation, matched=12)[0] == "Of the 12 records with country = India, “²” has the most: 9 (75.0 %)."


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
    names = draw(st.lists(st.sampled_from(["AI", "Cloud", "Security", "第一"]), max_size=4, unique=True))
    buckets = [
        Bucket(key=(name,), count=10, statistics={"attendance": {kind: draw(numbers) for kind in kinds}})
        for name in names
    ]
    if not buckets:
        whole = Bucket(key=(), count=10, statistics={"attendance": {kind: draw(numbers) for kind in kinds}})
        return Aggregation(type="statistics", buckets=(whole,)), DataRequest(statistics=("attendance",)), 10
    aggregation = Aggregation(
        type="group_by", fields=("theme",), buckets=tuple(buckets), distinct=len(buckets), other=0
    )
    return aggregation, DataRequest(group_by=("theme",), statistics=("attendance",)), 10 * len(buckets)


@SLOW
@given(case=st.one_of(series(), measured()), language=LANGUAGES)
def test_insights_on_several_fields_and_on_statistics_pass_the_check(
    case: tuple[Aggregation, DataRequest, int | None], language: str
) -> None:
    for insight, table in proofs(case, language):
        verdict = check_figures(insight.text, [table], [])
        assert verdict.status == "supported", (insight, verdict.reason)


@SLOW
@given(case=st.one_of(distributions(), histograms(), series(), measured()), language=LANGUAGES, data=st.data())
def test_no_insight_passes_once_two_figures_are_swapped(
    case: tuple[Aggregation, DataRequest, int | None], language: str, data: st.DataObject
) -> None:
    told = [
        each
        for each in proofs(case, language)
        if each[0].kind in ("change", "trend", "even", "steps", "mean", "extremes")
    ]
    assume(told)
    insight, table = data.draw(st.sampled_from(told))
    figures = [
        match
        for match in re.finditer(r"(?<![\d.,\w-])\d+(?:,\d{3})*(?:\.\d+)?(?![\d-])(?! ?%)", insight.text, re.ASCII)
        if not _is_name(insight.text, match, table)
    ]
    assume(len(figures) >= 2)
    one, other = figures[-2:]
    assume(float(one[0].replace(",", "")) != float(other[0].replace(",", "")))
    text = "".join(
        [
            insight.text[: one.start()],
            other[0],
            insight.text[one.end() : other.start()],
            one[0],
            insight.text[other.end() :],
        ]
    )
    assert check_figures(text, [table], []).status != "supported", text
