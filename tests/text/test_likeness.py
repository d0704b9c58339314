"""Copies of a text are told by their signatures."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.text.likeness import likeness, signature

WORDS = [f"word{number}" for number in range(2_000)]
KANA = [chr(code) for code in range(0x3041, 0x3090)]


def prose(seed: int, length: int = 600) -> list[str]:
    return random.Random(seed).choices(WORDS, k=length)


def test_a_text_is_like_itself_whatever_its_case_and_white_space() -> None:
    words = prose(1)
    assert likeness(signature(" ".join(words)), signature("\n\n".join(words).upper())) == 1.0


def test_texts_that_share_nothing_are_not_alike() -> None:
    assert likeness(signature(" ".join(prose(1))), signature(" ".join(prose(2)))) < 0.05


def test_a_copy_with_a_frame_around_it_is_nearly_the_same() -> None:
    words = prose(1)
    assert likeness(signature(" ".join(words)), signature(" ".join(prose(2, 40) + words + prose(3, 40)))) > 0.7


def test_the_estimate_follows_the_share_in_common() -> None:
    common, rest = prose(1, 4_000), prose(2, 4_000)
    for share in (0.2, 0.5, 0.8):
        kept = int(len(common) * share)
        expected = kept / (2 * len(common) - kept)
        other = common[:kept] + rest[kept:]
        assert abs(likeness(signature(" ".join(common)), signature(" ".join(other))) - expected) < 0.2


def test_japanese_copies_are_told_by_their_characters() -> None:
    letters = random.Random(1).choices(KANA, k=3_000)
    text, other = "".join(letters), "".join(random.Random(2).choices(KANA, k=3_000))
    assert likeness(signature(text), signature("\n".join(letters[:2_900]))) > 0.8
    assert likeness(signature(text), signature(other)) < 0.05


def test_a_text_too_short_to_compare_has_no_signature_and_is_like_nothing() -> None:
    assert signature("") == signature("Page not found.") == ""
    assert likeness("", "") == 0.0


def test_every_process_gives_the_same_signature() -> None:
    text = " ".join(prose(1))
    code = f"from fathom.text.likeness import signature; print(signature({text!r}))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == signature(text)


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        (" ".join(f"word{number * number % 977}" for number in range(400)), "fe95473ae4b14d9e"),
        ("".join(chr(0x3041 + number * number % 79) for number in range(400)), "2197f76a730ae6b0"),
    ],
)
def test_signatures_that_archives_hold_are_the_same_in_every_version(text: str, digest: str) -> None:
    assert hashlib.sha256(signature(text).encode()).hexdigest().startswith(digest)


def test_of_a_very_long_text_only_the_beginning_is_looked_at() -> None:
    long = "one two three four five six seven eight " * 30_000
    assert signature(long) == signature(long + " ".join(prose(3)))


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_texts_can_be_compared(a: str, b: str) -> None:
    assert likeness(signature(a), signature(b)) == likeness(signature(b), signature(a)) <= 1.0
