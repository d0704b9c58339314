"""Text from outside is harmless where it is shown."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.text.harmless import file_name, inert, inert_lines

ANYTHING = st.text(st.characters())  # lone surrogates too


@given(ANYTHING)
@settings(deadline=None)
def test_inert_text_is_one_line_without_control_characters(text: str) -> None:
    shown = inert(text)
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in shown)
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\x1b\x07\x9b")


@given(ANYTHING)
@settings(deadline=None)
def test_inert_lines_keep_only_line_breaks_and_tabs_of_the_control_characters(text: str) -> None:
    assert {char for char in inert_lines(text) if unicodedata.category(char) == "Cc"} <= {"\n", "\t"}


def test_each_character_is_looked_at_once_however_long_a_text_is(monkeypatch: pytest.MonkeyPatch) -> None:
    category = Mock(return_value="Ll")
    monkeypatch.setattr("unicodedata.category", category)
    assert inert("ab ba\n" * 9) == " ".join(["ab ba"] * 9) and inert_lines("ab\n" * 9) == "ab\n" * 9
    assert sorted(call.args for call in category.call_args_list) == sorted(zip("ab \nab\n"))


@given(ANYTHING, st.integers(min_value=1, max_value=30))
@settings(deadline=None)
def test_inert_text_fits_its_width(text: str, width: int) -> None:
    assert len(inert(text, width=width)) <= width


@given(ANYTHING)
@settings(deadline=None)
def test_a_file_name_stays_in_its_folder_and_is_short(text: str) -> None:
    name = file_name(text)
    assert Path(name).name == name and name not in {"", ".", ".."}
    assert len(name) <= 60 and len(name.encode()) <= 120


@pytest.mark.parametrize(
    ("title", "name"),
    [
        (
            "When was the Norvik lighthouse built, how high is it and how far does its light reach?",
            "When_was_the_Norvik_lighthouse_built_how_high_is_it_and_how",
        ),
        (
            "量子コンピュータの誤り訂正技術の現状と今後の課題について教えてください",
            "量子コンピュータの誤り訂正技術の現状と今後の課題について",
        ),
    ],
)
def test_a_long_file_name_is_cut_between_words(title: str, name: str) -> None:
    assert file_name(title) == name


def test_a_file_name_keeps_letters_of_every_script() -> None:
    assert file_name("型ヒントとは何か？") == "型ヒントとは何か"
    assert file_name("हिन्दी में?") == "हिन्दी_में"
