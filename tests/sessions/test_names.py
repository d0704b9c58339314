"""Names of files that clients send."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.sessions.names import numbered, safe_name, split_name

WORDS = st.sampled_from(
    [
        "..",
        ".",
        "/",
        "\\",
        "CON",
        "nul",
        "com1",
        ".md",
        ".csv",
        ".gz",
        " ",
        "\u202e",
        "\x00",
        "e\u0301",
        "か\u3099",
        "~",
        "-",
        "\ud800",
        "\u212b",
    ]
)
NAMES = st.one_of(st.text(max_size=300), st.lists(st.one_of(WORDS, st.text(max_size=5)), max_size=20).map("".join))


@given(NAMES)
def test_a_safe_name_is_a_visible_file_in_the_folder_and_nothing_else(given: str) -> None:
    name = safe_name(given)

    folder = Path("/uploads/data")
    assert (folder / name).resolve().parent == folder
    assert name.isprintable() and name == name.strip() and not name.startswith((".", "-", "~")) and name[-1] != "."
    assert len(numbered(name, 9_999).encode()) <= 200
    assert unicodedata.is_normalized("NFC", name)
    assert not set(name) & set("/\\:*?\"<>|[]{}$`;'%!\n")


@given(NAMES)
def test_a_safe_name_is_safe_already(given: str) -> None:
    assert safe_name(safe_name(given)) == safe_name(given)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../x", "x"),
        ("..", "file"),
        ("", "file"),
        ("...", "file"),
        ("   ", "file"),
        ("C:\\Users\\me\\Plan.md", "Plan.md"),
        ("0..0..GZ", "0.0.GZ"),
        ("C:x.md", "C_x.md"),
        ("a.md\x00.exe", "a.md.exe"),
        ("evil\u202efdp.exe", "evilfdp.exe"),
        ("two\r\nlines.txt", "twolines.txt"),
        (".hidden.md", "hidden.md"),
        (" notes .md . ", "notes.md"),
        ("aux", "aux_"),
        ("Com1.tar.csv", "Com1_.tar.csv"),
        ("con .txt", "con_.txt"),
        ("console.md", "console.md"),
        ("cafe\u0301.md", "café.md"),
        ("が.md", "が.md"),
        ("報告書（最終版）.pdf", "報告書（最終版）.pdf"),
        ("a／b.md", "a／b.md"),
        ("'; DROP TABLE t; --.csv", "__ DROP TABLE t_ --.csv"),
        ("*.csv", "_.csv"),
        ("[a].csv", "_a_.csv"),
        ("--output=x.csv", "output=x.csv"),
        ("~root.md", "root.md"),
        ("🎉 party.md", "🎉 party.md"),
    ],
)
def test_a_name_stays_one_that_a_person_knows(given: str, name: str) -> None:
    assert safe_name(given) == name


def test_a_long_name_keeps_its_ending() -> None:
    name = safe_name("議" * 100 + ".csv.gz")

    assert name.startswith("議議") and name.endswith(".csv.gz") and len(name.encode()) <= 180


def test_two_ways_to_write_a_name_are_one_name() -> None:
    assert safe_name("re\u0301sume\u0301.txt") == safe_name("résumé.txt")


def test_a_number_stands_before_the_ending() -> None:
    assert split_name(numbered("sales.csv", 2)) == ("sales-2", ".csv")
