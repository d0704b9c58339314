"""Questions in Japanese, and how Japanese counts and dates."""

from __future__ import annotations

import pytest

from fathom.languages.kanji import of_the_common_era, value_of
from fathom.languages.packs import pack
from fathom.languages.readers import heading, reader_of, under
from fathom.text.phrases import phrases


@pytest.mark.parametrize(
    ("written", "value"),
    [("四十三", 43), ("二〇二四", 2024), ("3万5千", 35_000), ("百", 100), ("一億二千", 100_002_000)],
)
def test_numerals_count_as_they_are_read(written: str, value: int) -> None:
    assert value_of(written) == value


def test_a_year_of_an_era_is_one_of_the_common_era() -> None:
    assert of_the_common_era("昭和64年、平成元年、令和6.4") == "1989年、1989年、令和6.4"


def test_a_question_divides_into_what_it_asks_whatever_language_it_is_said_to_be_in() -> None:
    asked = "倉庫は誰が管理し、点検はいつですか"
    for language in ("ja", "en"):
        assert len(reader_of(asked, language).clauses(asked)[1]) == 2
    assert heading("屋根の直し方を教えて") == "屋根の直し方"


def test_what_is_told_has_the_marks_of_the_language() -> None:
    assert under("屋根", "誰が直すか") == "屋根：誰が直すか"
    assert phrases("ja").colon == pack("ja").says("clauses")["colon"] == "："
