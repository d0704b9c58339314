"""What is hostile in a value is gone, and what it says stays."""

from __future__ import annotations

import json
import math
import unicodedata
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fathom.tools.cleaning import MOST_FIELDS, MOST_NAME, MOST_TEXT, clean_line, clean_text, flat, scalar
from fathom.tools.lines import ByteLines

ANY_TEXT = st.text(alphabet=st.characters(), max_size=80)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=5),
    max_leaves=20,
)


@given(ANY_TEXT)
def test_no_text_keeps_what_steers_a_terminal_or_cannot_be_seen(text: str) -> None:
    kinds = {unicodedata.category(char) for char in clean_text(text) if char not in "\n\t\u200c\u200d"}

    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert clean_text(text).encode().decode() == clean_text(text)
    assert "\n" not in clean_line(text)


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=80))
def test_what_can_be_seen_stays(text: str) -> None:
    hidden = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"

    assert clean_text(text) == "".join(char for char in text if char not in hidden)


@given(st.dictionaries(ANY_TEXT, JSON, max_size=8))
def test_a_record_is_flat_and_can_be_written(value: dict[str, Any]) -> None:
    fields = flat(value)

    assert json.loads(json.dumps(fields, allow_nan=False)) == fields
    assert all(name and len(name) <= MOST_NAME for name in fields)
    assert not any(isinstance(each, dict | list) for each in fields.values())


def test_nothing_is_without_bounds() -> None:
    wide = flat({f"f{number}": "x" * (MOST_TEXT + 1) for number in range(MOST_FIELDS + 1)})
    deep: Any = 1
    for _ in range(5_000):
        deep = {"a": deep}

    assert len(wide) == MOST_FIELDS
    assert {len(str(value)) for value in wide.values()} == {MOST_TEXT}
    assert list(flat({"d": deep})) == ["d" + 7 * ".a"]
    assert len(next(iter(flat({"n" * 1_000_000: 1})))) == MOST_NAME


def test_numbers_stay_exact_or_become_text() -> None:
    assert [scalar(each) for each in (2**53, 2**53 + 1, math.inf, -math.inf, 0.1)] == [
        2**53,
        str(2**53 + 1),
        None,
        None,
        0.1,
    ]
    assert scalar(10**5_000) is None  # Python writes no such number


@given(
    lines=st.lists(st.binary(max_size=60).filter(lambda line: b"\n" not in line), max_size=8), step=st.integers(1, 50)
)
def test_lines_are_cut_alike_however_they_arrive(lines: list[bytes], step: int) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    reader = ByteLines(40)
    found = [line for at in range(0, len(stream), step) for line in reader.feed(stream[at : at + step])]

    assert [line.is_whole for line in found] == [len(line) <= 40 for line in lines]
    assert [line.start for line in found if line.is_whole] == [line for line in lines if len(line) <= 40]
    assert all(
        line.start == whole and line.end == whole for line, whole in zip(found, lines, strict=True) if not line.is_whole
    )


def test_of_a_line_that_is_too_long_only_its_ends_are_held() -> None:
    reader = ByteLines(5_000)
    for _ in range(1_000):
        assert list(reader.feed(b"x" * 1_000)) == []
    (line,) = reader.feed(b'"id": 3}]}, "id":7}\n')

    assert (line.is_whole, len(line.start), len(line.end), line.answers) == (False, 1_000, 1_000, 7)
