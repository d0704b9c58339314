"""JSON lines are read record by record, and programs by what they define and what their comments say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.errors import Unreadable
from fathom.reading.readers import read_bytes, read_here, suffixes
from tests.support.readers import read, shown


def test_a_record_stands_under_its_line_and_its_name_with_its_fields() -> None:
    records = [
        {
            "title": "Fees",
            "who": {"name": "Ada"},
            "tags": ["a", "b"],
            "empty": None,
            "text": "Long. " * 60 + "\n\nEnd.",
        },
        {"n": 0, "list": [{"x": 1}, {"x": True}]},
    ]
    found = shown(read("\n".join(map(json.dumps, records)) + "\n\n", ".jsonl"))
    assert found == [
        ("heading", "Line 1: Fees"),
        ("list_item", "title: Fees"),
        ("list_item", "who.name: Ada"),
        ("list_item", "tags: a, b"),
        ("paragraph", "text: " + "Long. " * 59 + "Long."),
        ("paragraph", "text: End."),
        ("heading", "Line 2"),
        ("list_item", "n: 0"),
        ("list_item", "list.x: 1"),
        ("list_item", "list.x: True"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"), [("{}\n{", "line 2 is no JSON"), ("[" * 100_000, "line 1"), ("{}\n" * 1_001, "given as data")]
)
def test_what_is_no_record_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(text, ".ndjson")


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.text()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(JSON)
@settings(deadline=None)
def test_any_record_is_read(record: object) -> None:
    document = read_here(json.dumps(record).encode(), ".jsonl")
    assert all(document.text[block.start : block.end].strip() for block in document.blocks)


def test_a_program_is_read_by_what_it_defines_and_comments_are_prose() -> None:
    program = '"""Reads the tide."""\n\n# metres above\n# low water\nMOST = 14\n\n\n'
    program += 'def level(x):\n    """Give it."""\n    return x\n'
    assert shown(read(program, ".py")) == [
        ("heading", "Line 1"),
        ("paragraph", "Reads the tide."),
        ("paragraph", "metres above low water"),
        ("code", "MOST = 14"),
        ("heading", "Line 8: level"),
        ("code", "def level(x):"),
        ("paragraph", "Give it."),
        ("code", "return x"),
    ]
    c = "/*\n * Gives the tide.\n */\nint tide(void)\n{\n  return 3; // metres\n}\n"
    assert shown(read(c, ".c")) == [
        ("heading", "Line 1"),
        ("paragraph", "Gives the tide."),
        ("heading", "Line 4: tide"),
        ("code", "int tide(void) { return 3; // metres }"),
    ]


CODE = sorted(suffixes() & {".py", ".c", ".js", ".rb", ".php", ".sql", ".sh", ".pl"})


@pytest.mark.parametrize("suffix", CODE)
@given(
    st.lists(st.sampled_from(["def ", "x", "\n", "#", '"""', "/*", "*/", "'", "{", "}", " ", "\r", "<?", "`", "\\"]))
)
@settings(deadline=None)
def test_any_program_is_read_whole(suffix: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    document = read_here(text.encode(), suffix)
    assert {*document.text} >= {*text} & {"x", "{", "}"}
    last = 0
    for block in document.blocks:
        assert last <= block.start < block.end <= len(document.text)
        last = block.end


@pytest.mark.parametrize(
    ("text", "encodings"),
    [
        ("月額の料金は三千円です。\n解約は書面で。", "shift_jis euc_jp utf-16 utf-16-le utf-16-be iso2022_jp"),
        ("議事録：予算案承認、工事着手、次回日程。\n以上。", "shift_jis euc_jp"),
        ("Оплата производится ежемесячно.\nРезервное копирование каждую ночь.", "cp1251 utf-16-le"),
        ("매월 요금은 삼천 원이며 월말에 자동으로 인출됩니다.", "euc_kr"),
        ("每月费用为三千元，月底自动扣款。数据库每晚备份。", "gb18030"),
        ("The fee’s “thirty” € – and it costs 5 m² à l’été.", "cp1252 utf-16-le"),
    ],
)  # fmt: skip
def test_encodings_are_told_without_a_mark(text: str, encodings: str) -> None:
    for encoding in encodings.split():
        assert read_bytes(text.encode(encoding), ".txt").text.removeprefix("\ufeff") == text, encoding
        table = f"Name\t{text.splitlines()[0]}\n" + "An ordinary line in English, and another one.\n" * 20
        assert read_bytes(table.encode(encoding), ".txt").text.removeprefix("\ufeff") == table, encoding
