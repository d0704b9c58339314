from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.evidence import Markup
from fathom.text.display import display, word_count


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("**Bold** and *soft* and ***both*** and __strong__ and _em_", "Bold and soft and both and strong and em"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("`a*b*c` and ``x`y``", "a*b*c and x`y"),
        ('[text](http://x.org/a_(b) "Title") and [ref][1] and ![alt text](i.png)', "text and ref and alt text"),
        ("a claim.[^1] <br/>next <span class='x'>word</span>", "a claim. next word"),
        ("x < y and y > z", "x < y and y > z"),
        (r"1\. not a list \*star\*", "1. not a list *star*"),
        ("a &lt; b &amp; c", "a < b & c"),
        ("over\n  two lines", "over two lines"),
        ("**太字**の文\nが続く", "太字の文が続く"),
    ],
)
def test_markdown_marks_are_gone(source: str, shown: str) -> None:
    assert display(source, "markdown") == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("``a*b*c`` and *emph* and **strong**", "a*b*c and emph and strong"),
        (":func:`len` and :py:meth:`~str.join` and :ref:`The title <label>`", "len and join and The title"),
        ("`Python <https://python.org>`_ and `a b`_ and PEP_", "Python and a b and PEP"),
        ("|release| of *args and **kwargs", "release of *args and **kwargs"),
        ("see [1]_ and [#note]_ there", "see and there"),
        ("the __init__ method of some_name", "the __init__ method of some_name"),
        ("The following::", "The following:"),
    ],
)
def test_rst_marks_are_gone(source: str, shown: str) -> None:
    assert display(source, "rst") == shown


def test_plain_text_keeps_its_characters() -> None:
    assert display("a *b*\n `c` [d](e)", "plain") == "a *b* `c` [d](e)"


def test_a_cell_of_a_drawn_table_is_read_to_its_end() -> None:
    assert display("x in s | true if it  | (1) |\n|       | is *x* | ", "rst") == "x in s | true if it is x | (1)"
    assert display("a || b  | one |\n|    | two", "plain") == "a || b | one two"


def test_japanese_lines_join_without_a_space() -> None:
    assert display("これは\n  文です。\nnext", "plain") == "これは文です。 next"


@given(st.text(), st.sampled_from(["plain", "markdown", "rst"]))
@settings(deadline=None)
def test_a_shown_text_is_one_line_without_double_spaces(text: str, markup: Markup) -> None:
    shown = display(text, markup)
    assert shown == " ".join(shown.split())


@given(st.text(alphabet="abc \n漢字。-"))
def test_a_text_is_at_most_as_long_as_its_parts(text: str) -> None:
    assert word_count(text) <= word_count(text[: len(text) // 2]) + word_count(text[len(text) // 2 :])


def test_marks_without_letters_are_no_words() -> None:
    assert word_count("## A title — with 3 words:\n- x") == 6
    assert word_count("漢字カナ PostgreSQL の表") == 4
