"""What becomes of the hits that providers send."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.browsing import SearchResults, WebQuery
from fathom.search.hits import RawHit, cleaned, iso_date, without_markup
from tests.contracts.searches import hold

QUERY = WebQuery(text="sea", limit=10)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-05-06", "2024-05-06"),
        ("2024-05-06T10:00:00.000Z", "2024-05-06"),
        ("2024-05-06 10:00", "2024-05-06"),
        ("Mon, 06 May 2024 10:00:00 GMT", "2024-05-06"),
        ("May 6, 2024", "2024-05-06"),
        ("6 May 2024", "2024-05-06"),
        ("2024/05/06", "2024-05-06"),
        ("2024-13-06", ""),
        ("2024-02-30", ""),
        ("0001-01-01", ""),
        ("2024-05-061", ""),
        ("3 days ago", ""),
        ("2024", ""),
        ("", ""),
    ],
)
def test_a_date_is_one_that_is_exact_to_the_day(text: str, date: str) -> None:
    assert iso_date(text) == date


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<strong>Deep</strong>er <em>sea</em>", "Deeper sea"),
        ("one<br/>two<p class='x'>three</p>", "one two three"),
        ("a &amp; b &lt;script src=x&gt;alert(1)&lt;/script&gt;", "a & b alert(1)"),
        ("<!-- hidden --><!DOCTYPE html>shown", "shown"),
        ("<jats:p>An abstract</jats:p>", "An abstract"),
        ("where a<b and b>c", "where a<b and b>c"),
        ("List<T> and 1 < 2", "List<T> and 1 < 2"),
        ("\x1b[31mred\x07\u202eder\u200b\n\ttab", "[31mred der tab"),
        ("<x onclick='y()'>text", "text"),
        ("<b\x1f>deep", "deep"),
        ("<<b>b>deep", "deep"),
    ],
)
def test_a_text_keeps_its_words_and_loses_its_markup(text: str, plain: str) -> None:
    assert without_markup(text, width=100) == plain


def test_a_tag_that_never_ends_is_text() -> None:
    name = "<" + "a" * 200_000
    assert without_markup(name, width=50_000) == name[:49_999] + "…"


def test_a_hit_stands_once_however_its_address_is_written() -> None:
    found = [
        RawHit("https://www.example.org/a/?utm_source=x", title="first"),
        RawHit("http://example.org/a#part", title="second"),
        RawHit("https://example.org/b"),
    ]

    assert [hit.title for hit in cleaned(found, QUERY)] == ["first", ""]


def test_a_day_in_a_far_future_is_not_when_a_page_was_published() -> None:
    found = [RawHit("https://a.org/x", published="2999-01-01"), RawHit("https://a.org/y", published="2025-01-01")]
    assert [hit.published for hit in cleaned(found, WebQuery(text="sea"))] == ["", "2025-01-01"]


def test_what_follows_is_not_lost_for_what_is_left_out() -> None:
    found = [RawHit("javascript:x"), RawHit("https://denied.org/"), RawHit("https://a.org/", published="2019-01-01")]
    query = WebQuery(text="sea", limit=1, deny=("denied.org",), since="2020-01-01")

    hits = cleaned([*found, RawHit("https://b.org/"), RawHit("https://c.org/")], query)

    assert [hit.url for hit in hits] == ["https://b.org/"]


@given(
    found=st.lists(
        st.builds(
            RawHit,
            url=st.one_of(st.text(), st.sampled_from(["https://a.org/", "http://a.org", "https://b.a.org/x", "//x"])),
            title=st.text(),
            snippet=st.text(alphabet="<>&;/!a=b \"'\x00"),
            score=st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True)),
            published=st.one_of(st.text(), st.dates().map(str)),
            text=st.text(),
        ),
        max_size=8,
    ),
    limit=st.integers(1, 5),
    allow=st.sampled_from([(), ("a.org",)]),
    since=st.sampled_from(["", "2000-01-01"]),
)
def test_whatever_is_found_the_hits_hold(found: list[RawHit], limit: int, allow: tuple[str, ...], since: str) -> None:
    query = WebQuery(text="sea", limit=limit, allow=allow, since=since)

    hold(SearchResults(provider="x", hits=cleaned(found, query)), query)
