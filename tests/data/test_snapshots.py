"""What is written down of a page of records, or of counts, can be read back, whatever the data hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fathom.data.requests import Scalar
from fathom.data.results import Aggregation, Bucket, Record
from fathom.data.snapshots import SnapshotHead, cells_of, page_snapshot, records_in, table_snapshot, value_text

HOSTILE = st.one_of(
    st.text(max_size=20),
    st.lists(
        st.sampled_from(
            [
                *"\n\r#:| \u2028\u2029\x85\x0b\x0c\x1c\u200b\ufeff",
                "\r\n",
                "# ",
                ": ",
                "id",
                "値",
                "a",
                "matched records: 7",
            ]
        ),
        max_size=8,
    ).map("".join),
)
VALUES: st.SearchStrategy[Scalar] = st.one_of(
    HOSTILE, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.none()
)


def flat(text: str) -> str:
    """Every run of white space, line separators included, is one space."""
    return " ".join(text.split())


@st.composite
def records(draw: st.DrawFn) -> list[Record]:
    ids = draw(st.lists(HOSTILE.filter(lambda id: bool(flat(id))), max_size=5))
    return [Record(id=id, fields=draw(st.dictionaries(HOSTILE, VALUES, max_size=5))) for id in ids]


def asked(dataset: str = "events", **arguments: Scalar) -> SnapshotHead:
    return SnapshotHead(dataset, "analyze", arguments, 7, 9)


@given(page=records(), dataset=HOSTILE, argument=HOSTILE)
def test_ids_and_values_of_a_page_come_back(page: list[Record], dataset: str, argument: str) -> None:
    text = page_snapshot(asked(dataset, query=argument), page)

    placed = records_in(text)

    assert [each.id for each in placed] == [flat(record.id) for record in page]
    for each, record in zip(placed, page, strict=True):
        values = [text[span.start : span.end] for span in each.fields.values()]
        assert values == [value_text(value) for value in record.fields.values() if value is not None]
        assert all(each.start <= span.start <= span.end <= each.end for span in each.fields.values())
        assert text[each.start :].startswith(f"# {each.id}")


@given(page=records())
def test_a_page_is_the_same_when_it_is_written_again(page: list[Record]) -> None:
    assert page_snapshot(asked(), page) == page_snapshot(asked(), page)


def test_an_id_of_spaces_alone_still_begins_a_record() -> None:
    page = [Record(id="\n", fields={"a": 1}), Record(id="b", fields={"a": 2})]
    text = page_snapshot(asked(), page)
    placed = records_in(text)
    assert len(placed) == 2
    assert [text[each.fields["a"].start : each.fields["a"].end] for each in placed] == ["1", "2"]


def test_fields_whose_names_differ_by_spaces_alone_are_both_kept() -> None:
    text = page_snapshot(asked(), [Record(id="1", fields={"a b": "x", "a  b": "y", "": "z", "# ": "w"})])
    (record,) = records_in(text)
    assert [text[span.start : span.end] for span in record.fields.values()] == ["x", "y", "z", "w"]
    assert next(iter(record.fields)) == "a b"


@given(
    keys=st.lists(st.tuples(HOSTILE, HOSTILE), max_size=6),
    names=st.tuples(HOSTILE, HOSTILE),
    measured=HOSTILE,
    dataset=HOSTILE,
)
def test_each_row_of_counts_stands_where_it_is_said_to(
    keys: list[tuple[str, str]], names: tuple[str, str], measured: str, dataset: str
) -> None:
    buckets = tuple(
        Bucket(key=key, count=at, statistics={measured: {"mean": at / 3}} if at % 2 else {})
        for at, key in enumerate(keys)
    )
    aggregation = Aggregation(type="group_by", fields=names, buckets=buckets, distinct=9, other=4)

    table = table_snapshot(asked(dataset), aggregation)

    rows = [table.text[row.start : row.end] for row in table.rows]
    assert rows == [" | ".join(cells_of(aggregation, bucket)) for bucket in buckets]
    columns = table.text[table.head.start : table.head.end].count(" | ")
    assert all(row.count(" | ") == columns for row in rows)
    assert table.matched is not None
    assert table.text[table.matched.start : table.matched.end] == "matched records: 7"
    assert not any("\n" in row for row in rows)
