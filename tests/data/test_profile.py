"""A request becomes the arguments of any tool, and the arguments the same request again."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from fathom.data.fields import ToolProfile
from fathom.data.profile import arguments_for, lacks, profile_of, request_of
from fathom.data.requests import DataRequest, DateHistogram, Filter

NAMES = st.text(min_size=1, max_size=10).filter(lambda name: name.strip() == name and "," not in name)
SCALARS = st.one_of(
    st.text(max_size=10), st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)
)
SEVERAL = st.lists(SCALARS, min_size=1, max_size=3).map(tuple)
FILTERS = st.one_of(
    st.builds(
        Filter, field=NAMES, op=st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte", "contains"]), value=SCALARS
    ),
    st.builds(
        Filter,
        field=NAMES,
        op=st.sampled_from(["in", "not_in"]),
        value=st.lists(SCALARS, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(Filter, field=NAMES, op=st.sampled_from(["is_null", "not_null"])),
)
PROFILES = st.builds(
    ToolProfile,
    table=st.just("table"),
    text=st.just("query"),
    filters=st.just("filters"),
    filters_as=st.sampled_from(["object", "json", "list"]),
    group_by=st.just("group_by"),
    group_by_as=st.sampled_from(["list", "string"]),
    date_histogram=st.just("date_histogram"),
    date_histogram_as=st.sampled_from(["object", "json", "string"]),
    statistics=st.just("statistics"),
    statistics_as=st.sampled_from(["list", "string"]),
    top_n=st.just("top_n"),
    samples_per_bucket=st.just("samples_per_bucket"),
    page_size=st.just("page_size"),
    cursor=st.just("cursor"),
    cursor_as=st.sampled_from(["list", "scalar", "json", "offset", "page"]),
)
UNIQUE = st.lists(NAMES, max_size=3, unique=True).map(tuple)
INTERVALS = st.sampled_from("year quarter month week day hour".split())
COUNTS = st.builds(
    DataRequest,
    table=st.text(max_size=5),
    text=st.text(max_size=8),
    filters=st.lists(FILTERS, max_size=4).map(tuple),
    group_by=UNIQUE.filter(bool),
    date_histogram=st.none() | st.builds(DateHistogram, field=NAMES, interval=INTERVALS),
    statistics=UNIQUE,
    top_n=st.integers(1, 1_000),
    samples_per_bucket=st.integers(0, 100),
)
PAGES = st.builds(
    DataRequest,
    filters=st.lists(FILTERS, max_size=3).map(tuple),
    page_size=st.integers(1, 100),
    search_after=st.one_of(
        st.just(()), st.tuples(st.one_of(st.integers(), st.text(min_size=1, max_size=5), st.booleans()))
    ),
)
JSON = st.recursive(
    st.one_of(st.none(), SCALARS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)


def key(request: DataRequest) -> tuple[Any, ...]:
    """A request; the order of its filters does not count."""
    return (request.model_copy(update={"filters": ()}), frozenset(map(repr, request.filters)))


@given(profile=PROFILES, request=st.one_of(COUNTS, PAGES))
def test_a_request_comes_back_from_its_arguments(profile: ToolProfile, request: DataRequest) -> None:
    assume(not lacks(profile, request))
    assert key(request_of(profile, arguments_for(profile, request))) == key(request)


@given(profile=PROFILES, request=st.one_of(COUNTS, PAGES))
def test_what_a_tool_lacks_is_only_filters_that_its_form_cannot_hold(
    profile: ToolProfile, request: DataRequest
) -> None:
    fields = [(each.field, each.op) for each in request.filters]
    expected = len(set(fields)) < len(fields) and profile.filters_as != "list"
    assert expected or not lacks(profile, request)


def test_two_conditions_that_one_form_cannot_hold_are_not_lost_in_silence() -> None:
    twice = DataRequest(filters=(Filter(field="a", op="ne", value=1), Filter(field="a", op="ne", value=2)))
    assert lacks(ToolProfile(filters="where", filters_as="object"), twice) == ["filters"]
    assert lacks(ToolProfile(filters="where", filters_as="list"), twice) == []


@given(profile=PROFILES, arguments=st.dictionaries(st.sampled_from(sorted(ToolProfile.model_fields)), JSON))
def test_any_arguments_are_understood_as_far_as_they_go(profile: ToolProfile, arguments: dict[str, Any]) -> None:
    assert isinstance(request_of(profile, {**arguments, "query": arguments.get("text")}), DataRequest)


def test_a_deeply_nested_text_is_no_filter() -> None:
    assert request_of(ToolProfile(filters="where"), {"where": "[" * 100_000}).filters == ()


@given(
    schema=JSON
    | st.fixed_dictionaries({"properties": JSON | st.dictionaries(st.sampled_from(["filters", "limit", "page"]), JSON)})
)
def test_any_schema_has_a_profile(schema: Any) -> None:
    assume(isinstance(schema, dict))
    assert isinstance(profile_of(schema), ToolProfile)
