"""A model's words as plain sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.reasoners.language_model.tasks.plain import plain

PIECES = st.sampled_from(
    "The sea is deep . [1] [S2] [^3] ** __ ` ~~ [ ] ( ) < > <b> </b> <script> # - https://evil.example/a?b=c "
    "www.evil.example javascript:alert(1) 【2】 finding_0123456789 海 。 argv[0] \x1b[2J \u202e \n".split(" ")
)
TEXTS = st.lists(PIECES, max_size=25).map(" ".join) | st.text(max_size=80)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The sea is deep [1][2], and [S3] salt [4, 5].", "The sea is deep, and salt."),
        ("The sea is deep (finding 3).", "The sea is deep."),
        ("海は深い【3†source】。", "海は深い。"),
        ("**The sea** is *deep*, `fsync` is ~~on~~ off.", "The sea is deep, fsync is on off."),
        ("## The sea", "The sea"),
        ("- a list item", "a list item"),
        ("<p>The <b>sea</b></p><script>alert(1)</script>", "The sea"),
        ("![x](https://evil.example/p.png?q=secret) The sea.", "x The sea."),
        ("Read https://evil.example/a, then www.evil.example.", "Read, then."),
        ("[Click](javascript:alert(1)) here", "Click here"),
        ("__init__ and a*b*c", "init and a*b*c"),
        ("The sea\nis\tdeep\x1b[2J.", "The sea is deep [2J."),
    ],
)
def test_what_is_no_plain_sentence_is_taken_off(written: str, read: str) -> None:
    assert plain(written) == read


@pytest.mark.parametrize("nothing", ["", "[1]", " <br/> ", "https://evil.example", "***", "【1】。", "![](x)"])
def test_what_says_nothing_is_empty(nothing: str) -> None:
    assert plain(nothing) == ""


@pytest.mark.parametrize(
    "said", ["Write argv[0] or __init__.", "See https://sea.example/a.", "The <b> tag.", "a_b_c and **kwargs"]
)
def test_what_the_evidence_says_is_left(said: str) -> None:
    assert plain(said, held=[f"It says: {said}"]) == said


def test_a_mark_behind_other_words_than_those_of_the_evidence_is_a_citation() -> None:
    assert plain("The sea is deep [0].", held=["argv[0] is the name."]) == "The sea is deep."


@given(TEXTS)
def test_plain_words_are_plain(text: str) -> None:
    once = plain(text)
    assert plain(once, held=[once]) == once
    assert not {"://", "\n", "\x1b", "\u202e", "<script>", "javascript:"} & {once, *once.split()}
    assert "https://" not in once and "[1]" not in once and "<b>" not in once


@given(TEXTS)
def test_evidence_that_says_it_all_changes_nothing_but_blanks(text: str) -> None:
    said = " ".join(plain(text).split())
    assert plain(said, held=[said]) == said
