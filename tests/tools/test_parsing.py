"""Any shape that servers answer in, as records and counts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.data.fields import ToolProfile
from fathom.data.results import Aggregation, ToolResult
from fathom.tools.parsing import parsed

OFFSET = ToolProfile(page_size="limit", cursor="offset", cursor_as="offset")
CURSOR = ToolProfile(page_size="limit", cursor="cursor", cursor_as="scalar", group_by="by", group_by_as="string")
OWN = ToolProfile(
    filters="filters",
    filters_as="json",
    group_by="group_by",
    date_histogram="date_histogram",
    page_size="page_size",
    cursor="search_after",
)
ROWS = [{"id": 1, "city": "Pune"}, {"id": 2, "city": "Agra"}]


def read(value: Any, profile: ToolProfile = CURSOR, **arguments: Any) -> ToolResult:
    return parsed({"structuredContent": value, "content": []}, profile=profile, arguments=arguments)


def read_text(text: str, profile: ToolProfile = CURSOR, **arguments: Any) -> ToolResult:
    return parsed({"content": [{"type": "text", "text": text}]}, profile=profile, arguments=arguments)


def counts(aggregation: Aggregation) -> dict[tuple[str, ...], int]:
    return {bucket.key: bucket.count for bucket in aggregation.buckets}


OURS = {
    "aggregations": {
        "group_by": {
            "fields": ["theme"],
            "buckets": [
                {"key": "AI", "doc_count": 50, "samples": [{"event_id": "EV1", "theme": "AI"}]},
                {"key": None, "doc_count": 7, "statistics": {"attendees": {"mean": 3.5, "sum": 24.5, "odd": "x"}}},
            ],
            "distinct": 12,
            "other_doc_count": 9,
        },
        "date_histogram": {"field": "day", "interval": "month", "buckets": [{"key": "2024-03", "doc_count": 5}]},
        "statistics": {"attendees": {"count": 66, "max": 990}},
    },
    "documents": [{"event_id": "EV1", "theme": "AI"}, {"event_id": "EV2", "theme": "Cloud"}],
    "page": {"page_size": 2, "has_more": True, "search_after": ["2024-01-01", "EV2"]},
    "data_context": {
        "dataset": "events",
        "total_records": 100_000,
        "unique_ids_matched": 66,
        "revision": "r1",
        "id_field": "event_id",
    },
}


def test_our_own_shape_is_read_whole() -> None:
    result = read(OURS, OWN, filters='{"country": "India"}', group_by=["theme"])

    groups, months, statistics = result.aggregations
    assert (groups.type, groups.fields, groups.total_docs) == ("group_by", ("theme",), 66)
    assert (groups.distinct, groups.other) == (12, 9)
    assert counts(groups) == {("AI",): 50, ("",): 7}
    assert groups.buckets[0].samples[0].id == "EV1"
    assert groups.buckets[1].statistics == {"attendees": {"mean": 3.5, "sum": 24.5}}
    assert (months.type, months.fields, months.interval) == ("date_histogram", ("day",), "month")
    assert statistics.buckets[0].statistics == {"attendees": {"count": 66, "max": 990}}
    assert [record.id for record in result.records] == ["EV1", "EV2"]
    assert (result.matched, result.total, result.revision) == (66, 100_000, "r1")
    assert (result.has_more, result.search_after) == (True, ("2024-01-01", "EV2"))
    assert result.request.filters[0].field == "country"


def test_hits_of_a_search_engine_are_records_and_its_buckets_counts() -> None:
    value = {
        "hits": {"total": {"value": 30, "relation": "eq"}, "hits": [{"_id": "a", "_source": {"city": "Pune"}}]},
        "aggregations": {
            "by_city": {
                "sum_other_doc_count": 4,
                "buckets": [{"key": "Agra", "doc_count": 6}, {"key": "Pune", "doc_count": 20}],
            },
            "over_time": {"buckets": [{"key": 17, "key_as_string": "2024-01-01", "doc_count": 30}]},
            "avg_price": {"value": 12.5},
            "price": {"min": 2.5},
        },
    }

    result = read(value, OFFSET, limit=1)

    cities, times, price = result.aggregations
    assert (cities.fields, list(counts(cities)), cities.other) == (("by_city",), [("Pune",), ("Agra",)], 4)
    assert (times.type, counts(times)) == ("date_histogram", {("2024-01-01",): 30})
    assert price.buckets[0].statistics == {"price": {"mean": 12.5, "min": 2.5}}
    assert [(record.id, record.fields) for record in result.records] == [("a", {"city": "Pune"})]
    assert (result.matched, result.has_more, result.search_after) == (30, True, (1,))


def test_a_number_of_hits_that_is_only_a_bound_is_not_known() -> None:
    value = {"hits": {"total": {"value": 10_000, "relation": "gte"}, "hits": []}}

    assert read(value).matched is None


@pytest.mark.parametrize("name", ["results", "items", "data", "records", "rows", "documents"])
def test_records_are_found_under_any_usual_name(name: str) -> None:
    assert [record.fields for record in read({name: ROWS}).records] == ROWS
    assert [record.fields for record in read({"data": {name: ROWS}}).records] == ROWS


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROWS),
        json.dumps({"result": ROWS}),
        f"Two cities:\n```json\n{json.dumps(ROWS)}\n```\nThat is all.",
        f"Found: {json.dumps(ROWS)}",
        "\n".join(map(json.dumps, ROWS)),
        "id,city\n1,Pune\n2,Agra\n",
        "id\tcity\n1\tPune\n2\tAgra",
        "The cities:\n\n| id | city |\n|---|:---:|\n| 1 | Pune |\n| 2 | Agra |\n\nThat is all.",
    ],
    ids=["json", "wrapped", "fenced", "behind prose", "json lines", "csv", "tabs", "markdown"],
)
def test_records_are_found_in_text(text: str) -> None:
    assert [record.fields for record in read_text(text).records] == ROWS


def test_columns_and_rows_are_a_table() -> None:
    value = {"columns": ["id", {"name": "city"}], "rows": [[1, "Pune"], [2, "Agra"]]}

    assert [record.fields for record in read(value).records] == ROWS


@pytest.mark.parametrize(
    "value",
    [
        {"facets": {"city": {"Pune": 3, "Agra": 1}}},
        {"facets": {"city": [{"value": "Pune", "count": 3}, {"value": "Agra", "count": 1}]}},
        {"facets": [{"field": "city", "buckets": [{"name": "Pune", "count": "3"}, {"name": "Agra", "count": 1}]}]},
        {"facets": {"city": [["Pune", 3], ["Agra", 1]]}},
        {"results": [{"city": "Pune", "count": 3}, {"city": "Agra", "count": 1}]},
        [{"city": "Agra", "doc_count": 1}, {"city": "Pune", "doc_count": 3}],
        {"data": [{"key": "Pune", "n": 3}, {"key": "Agra", "n": 1}]},
    ],
)
def test_counts_are_found_in_any_form(value: Any) -> None:
    (aggregation,) = read(value, by="city").aggregations

    assert (aggregation.type, aggregation.fields, aggregation.total_docs) == ("group_by", ("city",), 4)
    assert list(counts(aggregation).items()) == [(("Pune",), 3), (("Agra",), 1)]


def test_records_with_a_number_are_no_counts() -> None:
    rows = [{"id": 1, "city": "Pune", "count": 3}]

    assert read({"items": rows}).records[0].fields == rows[0]


def test_prose_is_text_and_pictures_are_left_out() -> None:
    content = [
        {"type": "image", "data": "AAAA"},
        {"type": "text", "text": "No\x1b[2Jthing, found."},
        {"type": "resource"},
    ]

    result = parsed({"content": content}, profile=CURSOR, arguments={})

    assert (result.text, result.records, result.aggregations) == ("No[2Jthing, found.", (), ())


def test_structured_content_wins_over_its_text() -> None:
    content = [{"type": "text", "text": json.dumps([{"id": 9}])}]

    result = parsed({"structuredContent": {"items": ROWS}, "content": content}, profile=CURSOR, arguments={})

    assert [record.id for record in result.records] == ["1", "2"]


@pytest.mark.parametrize(
    ("value", "arguments", "profile", "expected"),
    [
        ({"items": ROWS, "next_cursor": "b"}, {"cursor": "a"}, CURSOR, (True, ("b",))),
        ({"items": ROWS, "nextPageToken": "b", "has_more": False}, {}, CURSOR, (False, ())),
        ({"items": ROWS, "next_cursor": "a", "has_more": True}, {"cursor": "a"}, CURSOR, (False, ())),
        ({"items": [], "next_cursor": "b", "has_more": True}, {}, CURSOR, (False, ())),
        ({"items": ROWS, "next": "https://x.example/list?cursor=b&n=2"}, {}, CURSOR, (True, ("b",))),
        ({"items": ROWS, "total": 5}, {"offset": 2, "limit": 2}, OFFSET, (True, (4,))),
        ({"items": ROWS, "total": 4}, {"offset": 2, "limit": 2}, OFFSET, (False, ())),
        ({"items": ROWS}, {"limit": 2}, OFFSET, (True, (2,))),
        ({"items": ROWS}, {"limit": 3}, OFFSET, (False, ())),
        ({"items": ROWS, "pagination": {"has_more": True}}, {"limit": 50}, OFFSET, (True, (2,))),
    ],
)
def test_the_next_page_is_what_the_answer_says(
    value: Any, arguments: dict[str, Any], profile: ToolProfile, expected: tuple[bool, tuple[Any, ...]]
) -> None:
    result = parsed({"structuredContent": value}, profile=profile, arguments=arguments)

    assert (result.has_more, result.search_after) == expected


def test_records_have_names_that_tell_them_apart() -> None:
    rows = [{"id": 1, "a": "x"}, {"id": 1, "a": "y"}, {"a": "z"}, {"a": "z"}]

    named = [
        record.id
        for record in parsed(
            {"structuredContent": {"items": rows}}, profile=CURSOR, arguments={}, id_field="id"
        ).records
    ]

    assert named[0] == "1"
    assert named[1].startswith("1~")
    assert named[2] == named[3]
    assert len(set(named)) == 3


NAMES = st.sampled_from(
    "hits _source total value items results data columns rows aggregations buckets key doc_count count facets group_by "
    "date_histogram statistics documents page search_after has_more data_context id_field unique_ids_matched fields id "
    "samples sum_other_doc_count meta next sort relation field interval".split()
) | st.text(max_size=5)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=25,
)
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.lists(st.text(max_size=5), max_size=3)
PROFILES = st.sampled_from([OFFSET, CURSOR, OWN, ToolProfile(), OFFSET.model_copy(update={"cursor_as": "page"})])


@given(value=JSON, profile=PROFILES, arguments=st.dictionaries(st.sampled_from(["limit", "offset", "by"]), PLAIN))
def test_no_json_is_too_odd(value: Any, profile: ToolProfile, arguments: dict[str, Any]) -> None:
    result = parsed({"structuredContent": value, "content": value}, profile=profile, arguments=arguments)

    assert ToolResult.model_validate_json(result.model_dump_json()) == result
    assert all(record.id for record in result.records)


@given(text=st.text(alphabet=st.sampled_from('{}[]|,:-"`\n\t aé0123456789.'), max_size=200) | st.text(max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    result = read_text(text)

    assert ToolResult.model_validate_json(result.model_dump_json()) == result
