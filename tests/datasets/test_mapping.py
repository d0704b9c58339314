"""Which field plays which part, and the file that corrects it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.data.fields import DataField, FieldMapping
from fathom.data.mapping import corrected, field_types, mapping_of, mapping_toml, read_mappings
from fathom.data.results import Record
from fathom.errors import ConfigurationError


def records(*rows: dict[str, Any]) -> list[Record]:
    return [Record(id=str(place), fields=row) for place, row in enumerate(rows)]


ENGLISH = records(
    *(
        {
            "doc_id": f"D{at}",
            "headline": f"Some headline number {at}",
            "body": "Long text. " * 20,
            "published_at": f"2024-03-0{at}T10:00:00Z",
            "views": at * 3,
            "section": ["Sports", "News"][at % 2],
            "permalink": f"https://example.org/{at}",
            "premium": at > 3,
        }
        for at in range(1, 7)
    )
)
JAPANESE = records(
    *(
        {
            "管理番号": f"A-{at:03}",
            "件名": f"第{at}回の会議",
            "本文": "長い文章です。" * 20,
            "開催日": f"2024-03-0{at}",
            "分類": ["技術", "経営"][at % 2],
        }
        for at in range(1, 7)
    )
)


def test_parts_are_found_by_names_and_values_in_english_and_japanese() -> None:
    fields = field_types(ENGLISH)
    assert {field.name: field.type for field in fields} == {
        "doc_id": "id",
        "headline": "text",
        "body": "text",
        "published_at": "date",
        "views": "number",
        "section": "category",
        "permalink": "url",
        "premium": "boolean",
    }
    assert mapping_of(fields, ENGLISH) == FieldMapping(
        id="doc_id",
        title="headline",
        text=("body",),
        date="published_at",
        category=("section", "premium"),
        url="permalink",
    )
    mapping = mapping_of(field_types(JAPANESE), JAPANESE)
    assert (mapping.id, mapping.title, mapping.text, mapping.date, mapping.category) == (
        "管理番号",
        "件名",
        ("本文",),
        "開催日",
        ("分類",),
    )


def test_a_part_that_nothing_fits_stays_empty() -> None:
    assert mapping_of(field_types(records({"x": 1.5}, {"x": 2.5})), []) == FieldMapping()
    assert mapping_of([], []) == FieldMapping()


def test_an_id_that_repeats_is_none_and_a_year_may_stand_for_a_date() -> None:
    fields = [
        DataField(name="id", type="number", distinct=2, missing=0),
        DataField(name="year", type="number", minimum=1999, maximum=2024),
    ]
    assert mapping_of(fields, []) == FieldMapping(date="year")


def test_what_is_missing_everywhere_is_of_no_kind() -> None:
    (field,) = field_types(records({"x": None}, {"x": ""}))
    assert field.type == "other"


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@given(NAMES, st.builds(FieldMapping, id=NAMES, title=NAMES, text=st.lists(NAMES, min_size=1).map(tuple), date=NAMES))
def test_a_mapping_that_was_written_is_read_back(name: str, mapping: FieldMapping) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.toml"
        path.write_text(mapping_toml(name, mapping), encoding="utf-8")
        read = read_mappings(path)[name]

    named = [*filter(None, (mapping.id, mapping.title, mapping.date)), *mapping.text]
    fields = [DataField(name=each) for each in named]
    assert corrected(FieldMapping(url="u", category=("c",)), read, fields) == mapping


def test_what_the_file_leaves_out_stays_and_what_it_empties_goes(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text('[t]\ntitle = ""\ntext = "b"\ncategory = []\n')
    found = FieldMapping(id="a", title="b", text=("c",), category=("d",))

    assert corrected(found, read_mappings(path)["t"], [DataField(name="b")]) == FieldMapping(id="a", text=("b",))
    assert corrected(found, None, []) == found


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[t]\ntitel = 'x'", "Did you mean 'title'"),
        ("t = 1", "is no table"),
        ("[t]\nid = 5", "id of"),
        ("[t\n", "is no TOML"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_says_something_else_is_one_clear_line(tmp_path: Path, content: str | None, told: str) -> None:
    path = tmp_path / "m.toml"
    if content is not None:
        path.write_text(content)

    with pytest.raises(ConfigurationError) as error:
        read_mappings(path)

    assert told in str(error.value) and "\n" not in str(error.value)
