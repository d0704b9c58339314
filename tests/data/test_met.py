"""Which records were met, on disk; and records of a snapshot as passages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fathom.data.fields import FieldMapping
from fathom.data.met import FETCHED, PAGED, READ, Met, passages_of
from fathom.data.results import Record
from fathom.data.snapshots import SnapshotHead, page_snapshot, records_in
from fathom.evidence import text_digest

ASKED = SnapshotHead(dataset="events", tool="analyze", arguments={}, matched=2, total=9)


def test_a_record_is_counted_once_per_condition_and_read_once_at_all() -> None:
    met = Met()
    assert met.note("india", "", ["a", "b", "a"], FETCHED) == 2
    assert met.note("india", "", ["b", "c"], PAGED) == 2
    met.note("india", "", ["a", "b"], READ)
    met.note("all", "", ["a", "d"], PAGED)
    assert (met.fetched["india"], met.paged["india"], met.read["india"]) == (3, 2, 2)
    assert (met.fetched["all"], met.read["all"]) == (2, 1), "a was read before, under another condition"
    assert (met.different, met.all_read) == (4, 2)
    assert met.unread("", ["d", "a", "c", "d"]) == ["d", "c"]
    met.close()


def test_equal_ids_of_two_tables_are_two_records() -> None:
    met = Met()
    met.note("orders", "orders", ["1"], READ)
    assert met.unread("customers", ["1"]) == ["1"] and met.unread("orders", ["1"]) == []
    met.close()


@given(st.lists(st.tuples(st.sampled_from("xy"), st.lists(st.sampled_from("abcdef")), st.sampled_from([1, 2, 4]))))
def test_the_counts_are_those_of_sets(steps: list[tuple[str, list[str], int]]) -> None:
    met = Met()
    fetched: dict[str, set[str]] = {"x": set(), "y": set()}
    read: set[str] = set()
    for conditions, ids, bit in steps:
        met.note(conditions, "", ids, bit)  # type: ignore[arg-type]
        fetched[conditions] |= set(ids)
        read |= set(ids) if bit == READ else set()
    assert {name: met.fetched[name] for name in fetched} == {name: len(ids) for name, ids in fetched.items()}
    assert (met.different, met.all_read) == (len(fetched["x"] | fetched["y"]), len(read))
    assert set(met.unread("", "abcdef")) == set("abcdef") - read
    met.close()


def test_records_become_passages_that_hold_their_text_to_the_letter() -> None:
    records = [
        Record(id="EV1", fields={"title": "Summit on AI", "note": "two\nlines", "visitors": 7}),
        Record(id="EV2", fields={"title": None, "note": "# EV9"}),
        Record(id="EV1", fields={"title": "again"}),
    ]
    text = page_snapshot(ASKED, records)
    passages = passages_of(text, text_digest(text), mapping=FieldMapping(title="title"))
    assert list(passages) == ["EV1", "EV2"]
    first = passages["EV1"]
    assert first.headings == ("Summit on AI",) and first.text.startswith("# EV1\n")
    assert text[first.start : first.end] == first.text
    (read,) = records_in(first.text)
    assert [first.text[at.start : at.end] for at in read.fields.values()] == ["Summit on AI", "two lines", "7"]
    assert passages["EV2"].headings == ()


def test_what_a_tool_says_in_words_is_one_passage() -> None:
    text = "\n".join([*ASKED.lines(), "", "There were 12 events.", "", "Most were in India.", ""])
    (passage,) = passages_of(text, text_digest(text), mapping=FieldMapping()).values()
    assert passage.text == "There were 12 events.\n\nMost were in India."
    assert [passage.quote(block.start, block.end) for block in passage.blocks] == [
        "There were 12 events.",
        "Most were in India.",
    ]


def test_a_snapshot_without_anything_has_no_passage() -> None:
    text = page_snapshot(ASKED, [])
    assert passages_of(text, text_digest(text), mapping=FieldMapping()) == {}
