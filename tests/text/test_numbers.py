"""The numbers of a text are found however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.text.numbers import numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("it took forty days", {"40"}),
        ("twenty-one of them", {"21"}),
        ("one hundred and five", {"105"}),
        ("nineteen eighty-four", {"19", "84"}),
        ("twelve hundred", {"1200"}),
        ("twelve five", {"12", "5"}),
        ("a dozen eggs", {"12"}),
        ("five million", {"5000000"}),
        ("5 million", {"5000000"}),
        ("5 billion", {"5000000000"}),
        ("1.5 million", {"1500000"}),
        ("5,000,000", {"5000000"}),
        ("two thirds of it and a quarter", {"2/3", "1/4"}),
        ("the third edition of a third party", set()),
        ("one of them, zero of us, hundreds of others", set()),
        ("version 3.11.10 of march", {"3.11.10", "3"}),
        ("四十日間", {"40"}),
        ("三万人と3万人", {"30000"}),
        ("1億2000万円", {"120000000"}),
        ("3万5千", {"35000"}),
        ("二〇二四年十二月", {"2024", "12"}),
        ("二十分の一", {"20"}),
        ("十分な時間、万一の場合、一人、百科事典、千代田", set()),
        ("五〇%", {"50"}),
    ],
)
def test_a_number_is_found_however_it_is_written(text: str, found: set[str]) -> None:
    assert numbers(text) == found


@given(st.integers(2, 999_999))
def test_digits_and_japanese_numerals_are_one_number(number: int) -> None:
    assert numbers(f"{number}個") == numbers(f"{_japanese(number)}個") == {str(number)}


def _japanese(number: int) -> str:
    if number >= 10_000:
        return f"{_japanese(number // 10_000)}万{_japanese(number % 10_000) if number % 10_000 else ''}"
    text = ""
    for size, name in ((1_000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // size % 10
        if digit:
            text += ("" if digit == 1 and name else "〇一二三四五六七八九"[digit]) + name
    return text


PIECES = st.sampled_from(
    [*"0123456789.,- 〇一三十百千万億兆年人個つ", " million", " hundred", "forty", "-two", " and ", "a third"]
)


@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=30))
def test_any_text_has_its_numbers_whatever_stands_before_and_behind_it(text: str) -> None:
    assert numbers(text) <= numbers(f"x. {text} .x") and numbers(f"x. {text} .x") <= numbers(text)
