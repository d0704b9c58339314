"""The check of a sentence against the spans that it cites."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.report import SupportStatus
from fathom.verification.verdicts import check

VACUUM = "By default, autovacuum runs when 50 rows plus 20% of the table have changed since the last vacuum."
FORTY = "The pumps of the reactor ran for forty days without a fault."


@pytest.mark.parametrize(
    ("sentence", "span", "status"),
    [
        (VACUUM, VACUUM, "supported"),
        ("autovacuum runs when 50 rows plus 20% of the table have changed", VACUUM, "supported"),
        ("Autovacuum runs by default when 50 rows plus 20% of the table have changed", VACUUM, "supported"),
        ("Autovacuum runs when 60 rows plus 20% of the table have changed.", VACUUM, "unsupported"),
        ("Autovacuum, written by Alvaro Herrera, runs when 50 rows have changed.", VACUUM, "unsupported"),
        ("Autovacuum sends an e-mail to the administrator each night.", VACUUM, "unsupported"),
        ("By default, autovacuum never runs when 50 rows of the table have changed.", VACUUM, "partial"),
        ("MySQL is faster than Oracle.", "Oracle is faster than MySQL.", "partial"),
        ("Setting it to off enables the check.", "Setting it to off disables the check.", "partial"),
        ("The buffer holds 1000 pages.", "The buffer holds 1,000 pages.", "supported"),
        ("The buffer holds three pages.", "The buffer holds 3 pages.", "supported"),
        ("The buffer holds 100 pages.", "The buffer holds 1,000 pages.", "unsupported"),
        ("The pumps of the reactor ran for sixty days without a fault.", FORTY, "unsupported"),
        ("The pumps of the reactor ran for 40 days without a fault.", FORTY, "supported"),
        (
            "A third of the seabed lies below the northern shelf.",
            "A quarter of the seabed lies below the northern shelf.",
            "unsupported",
        ),
        ("炉のポンプは三十日間、故障なしに動いた。", "炉のポンプは四十日間、故障なしに動いた。", "unsupported"),
        ("The buffer holds 00 pages", "The buffer holds 1,000 pages", "unsupported"),
        ("既定値は100である。", "max_connectionsの既定値は100です。", "supported"),
        ("既定値は200である。", "max_connectionsの既定値は100です。", "unsupported"),
        ("この値は変更できない。", "この値は変更できる。", "partial"),
    ],
)
def test_a_sentence_gets_the_status_that_its_span_earns(sentence: str, span: str, status: SupportStatus) -> None:
    assert check(sentence, [span]).status == status


@pytest.mark.parametrize(
    ("sentence", "open"),
    [
        (VACUUM, False),
        ("Autovacuum runs when 60 rows plus 20% of the table have changed.", False),
        ("Autovacuum, written by Alvaro Herrera, runs when 50 rows have changed.", False),
        ("Autovacuum sends an e-mail to the administrator each night.", True),
        ("By default, autovacuum never runs when 50 rows of the table have changed.", True),
    ],
)
def test_a_judge_may_decide_on_other_words_but_not_on_a_missing_number_or_name(sentence: str, open: bool) -> None:
    assert check(sentence, [VACUUM]).open is open


def test_a_sentence_without_spans_is_uncited() -> None:
    assert check(VACUUM, []).status == "uncited"


def test_a_sentence_may_rest_on_two_spans_together() -> None:
    spans = ["The following modes exist:", "strict, which refuses 7-bit input"]
    assert check("The following modes exist: strict, which refuses 7-bit input.", spans).status == "supported"


words = st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8), min_size=1, max_size=12)


@given(words, st.integers(0, 11), st.integers(1, 12))
def test_every_quotation_is_supported(text: list[str], start: int, length: int) -> None:
    quotation = " ".join(text[start % len(text) :][:length])
    assert check(quotation, [" ".join(text)]).status == "supported"


@given(words, st.integers(10_000, 99_999))
def test_a_number_that_no_span_holds_never_passes(text: list[str], number: int) -> None:
    span = " ".join(word for word in text if not any(char.isnumeric() for char in word))
    assert check(f"{span} {number}", [span]).status == "unsupported"


def test_only_what_shares_words_with_its_source_or_is_in_another_script_is_left_to_a_judge() -> None:
    span = "A shared buffer holds a page of a table in memory until it is written back to disk."

    assert check("Buffers keep pages of tables cached.", [span]).open
    assert check("共有バッファは表のページをメモリに保持する。", [span]).open
    assert not check("Use nothing but them, nothing from here.", [span]).open


def test_code_whose_lines_end_in_colons_is_a_quotation_however_it_is_set() -> None:
    code = "main.cf:\n    maps = hash:/etc/maps\n\nmaps:\n    @host @example.org"
    assert check(code, [f"Set it so: {' '.join(code.split())}"]).reason == "quotation"
    assert check(code, [code]).reason == "quotation"


def test_a_row_with_bars_between_its_cells_and_japanese_sentences_set_apart_are_quotations() -> None:
    assert check("Contents | GBP 75,000", ["Excess not changed\nContents      GBP 75,000"]).reason == "quotation"
    assert check("敵は来ない。 味方は来る。", ["敵は来ない。味方は来る。"]).reason == "quotation"
