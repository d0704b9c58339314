from __future__ import annotations

import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fathom.errors import Unreadable
from fathom.reading.chunking import chunks
from fathom.reading.readers import read_bytes, read_here, readers, suffixes
from fathom.reading.visible import visible
from tests.support.readers import read, shown

SUFFIXES = sorted(suffixes() - {*".pdf .png .jpg .jpeg .tif .tiff".split()})  # what is no text has tests of its own
DEEP = sys.getrecursionlimit() + 100
"""Steps of nesting. The length of the text grows with their square."""
MARKUP = st.lists(
    st.sampled_from(
        [
            *"\n\n\n \t\r#*-=~`>|:._123abcXYZ語。・　[]()<>&;+",
            "\n\n",
            "\n    ",
            "\n- ",
            "\n1. ",
            "\n.. note:: ",
            "\n.. code::\n\n   ",
            "\n:field: ",
            "::\n\n  ",
            "\n=====\n",
            "\n===  ===\n",
            "\n+---+---+\n",
            "\n| a | b |\n|---|---|\n",
            "\n```\n",
            "\n---\n",
            "\n-a, --all  ",
            "<p>",
            "</p>",
            "<ul><li>",
            "<dl><dt>a<dd>",
            "<table><tr><td>",
            "<h2>",
            "<div class='note'>",
            "<pre>",
            "<pre>it is the text of a page that has been set as it was and\n\n",
            "term  text that hangs\n      below itself\n",
            "From: A\nSubject: B\n\n",
            "Note:\n\n  ",
            "\ufeff",
            "\x0c",
            "\x00",
        ]
    ),
    max_size=40,
).map("".join)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(text=st.one_of(st.text(), MARKUP))
@example(text="\x00")
@example(text="---\ntitle: x\n---\n")
@example(text="\r\r\n\n a\r- b")
@settings(max_examples=2 * settings().max_examples)
def test_any_text_is_read_or_refused_with_a_reason(suffix: str, text: str) -> None:
    try:
        document = read_bytes(text.encode("utf-8", "surrogatepass"), suffix)
    except Unreadable as error:
        assert str(error)
        return
    if "\x00" in text:  # it may be a text in UTF-16, which has other characters
        pass
    elif suffix in {".txt", ".text"}:
        assert document.text == visible(text)
    elif suffix in {".md", ".markdown", ".rst"}:  # what is not shown is left out, and nothing else is touched
        rest = iter(text)
        assert all(char in rest for char in document.text)
    last = 0
    for block in document.blocks:
        assert last <= block.start < block.end <= len(document.text)
        assert document.text[block.start : block.end].strip() == document.text[block.start : block.end]
        if block.lead_in:
            assert 0 <= block.lead_in.start < block.lead_in.end <= block.start
        last = block.end
    cut = chunks(document)
    assert [(b.start, b.end) for chunk in cut for b in chunk.blocks] == [
        (b.start, b.end) for b in document.blocks if b.kind != "heading" and b.end - b.start <= 3000
    ]
    last = 0
    for chunk in cut:
        assert last <= chunk.start <= chunk.blocks[0].start and chunk.blocks[-1].end == chunk.end
        last = chunk.end


@given(st.binary())
@settings(deadline=None)
def test_any_bytes_are_read_or_refused_with_a_reason(data: bytes) -> None:
    for suffix in (".txt", ".html", ".md"):
        try:
            read_bytes(data, suffix)
        except Unreadable as error:
            assert str(error)


PACKED = frozenset(".csv .tsv .jsonl .ndjson .mbox .docx .docm .pptx .xlsx .xlsm .xlsb .xls .ods .epub .zip".split())


@pytest.mark.parametrize(
    "suffix", {readers.get(suffix): suffix for suffix in SUFFIXES if suffix not in PACKED}.values()
)
@pytest.mark.parametrize("step", ["word", "- word", "> word", "<div>word", "term"])
def test_nesting_without_end_is_read(suffix: str, step: str) -> None:
    text = "\n".join(" " * (2 * depth) + step for depth in range(DEEP))
    assert "word" in read(text, suffix).text or step == "term"


def test_every_known_suffix_has_a_reader() -> None:
    assert all(callable(readers.get(suffix)) for suffix in SUFFIXES)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("caf\u00e9 \u8868".encode(), "café 表"),
        ("\ufeffcaf\u00e9".encode(), "\ufeffcafé"),
        ("表のバキューム".encode("utf-16"), "表のバキューム"),
        ("これは日本語の文章です。".encode("euc_jp"), "これは日本語の文章です。"),
        ("これは日本語の文章です。".encode("shift_jis"), "これは日本語の文章です。"),
        ("これは日本語の文章です。".encode("iso2022_jp"), "これは日本語の文章です。"),
        ("un café très fort".encode("iso-8859-1"), "un café très fort"),
    ],
)
def test_the_encoding_of_a_text_is_found(data: bytes, text: str) -> None:
    assert read_bytes(data, ".txt").text == text


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\x01\x00\x00", b"\x89PNG\r\n\x1a\n\x00\x00", bytes(range(128, 256)) + b"\x01\x02\x03"]
)
def test_a_binary_file_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable, match="binary"):
        read_bytes(data, ".txt")


def test_a_page_in_a_declared_encoding_is_read() -> None:
    page = '<html><head><meta charset="euc-jp"><title>表</title></head><body><p>自動バキューム。</p></body></html>'
    document = read_bytes(page.encode("euc_jp"), ".html")
    assert shown(document) == [("paragraph", "自動バキューム。")]


@pytest.mark.parametrize(
    "charset", ["undefined", "no-such", "rot13", "unicode_escape", "idna", "utf-7", "x" * 5_000, "\u2603"]
)
def test_an_encoding_that_is_none_costs_no_page(charset: str) -> None:
    page = f"<meta charset='{charset}'><p>The tide is \\ud800 high.</p>".encode() + b"<p>caf\xe9</p>"
    assert "The tide is" in read_bytes(page, ".html").text


def test_rules_in_rules_without_end_cost_no_page() -> None:
    sheet = "@media screen{" * 5_000 + ".x { display: none }"
    page = f"<style>{sheet}</style><p>The tide.</p><p class='x'>OBEY</p>"
    assert read_bytes(page.encode(), ".html").text == "The tide."


def test_exponents_in_exponents_are_read_once_each() -> None:
    page = f"<p>2{'<sup>' * 200}32{'</sup>' * 200} is large.</p><p>2<sup>16</sup></p>"
    assert read_bytes(page.encode(), ".html").text.endswith("2^16")


def test_what_announces_code_or_a_list_is_found_with_it() -> None:
    steps = "".join(f"- pull rope number {number}\n" for number in range(250))
    for calm in range(20, 140, 4):
        before = "\n\n".join(["It was a calm sea. " * 4] * (calm // 4))
        for told, led in (
            ("do this:\n", "```\n" + "haul --all\n" * 250 + "```\n"),
            ("do this:\n", steps),
            ("**do this** (Ida)", steps),
        ):
            document = read_here(f"# Sails\n\n{before}\n\nTo set them, {told}\n{led}".encode(), ".md")
            (holding,) = (chunk for chunk in chunks(document) if "do this" in document.text[chunk.start : chunk.end])
            assert not document.text[: holding.end].endswith(told.strip())
