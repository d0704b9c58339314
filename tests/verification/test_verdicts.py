"""The check of a sentence against the spans that it cites, without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.report import VERIFIED, SupportStatus
from fathom.verification.verdicts import check

VACUUM = "By default, autovacuum runs when 50 rows plus 20% of the table have changed since the last vacuum."
FORTY = "The pumps of the reactor ran for forty days without a fault."
CELLS = "Sodium cells kept 88 % of their capacity after 2,300 cycles, LFP cells 55 %."


@pytest.mark.parametrize(
    ("sentence", "span", "status"),
    [
        (VACUUM, VACUUM, "quoted"),
        ("autovacuum runs when 50 rows plus 20% of the table have changed", VACUUM, "quoted"),
        ("Autovacuum runs by default when 50 rows plus 20% of the table have changed", VACUUM, "supported"),
        ("Autovacuum runs when 60 rows plus 20% of the table have changed.", VACUUM, "unsupported"),
        ("Autovacuum, written by Alvaro Herrera, runs when 50 rows have changed.", VACUUM, "unjudged"),
        ("Autovacuum sends an e-mail to the administrator each night.", VACUUM, "unjudged"),
        ("Autovacuum never runs when 50 rows of the table have changed.", VACUUM, "contradicted"),
        ("MySQL is faster than Oracle.", "Oracle is faster than MySQL.", "unjudged"),
        ("Setting it to off enables the check.", "Setting it to off disables the check.", "unjudged"),
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
        ("既定値は100である。", "max_connectionsの既定値は100です。", "unjudged"),
        ("既定値は200である。", "max_connectionsの既定値は100です。", "unsupported"),
        ("この値は変更できない。", "この値は変更できる。", "contradicted"),
        ("Sodium cells kept 55 % of their capacity.", CELLS, "unjudged"),
        ("LFP cells kept 55 % of their capacity.", CELLS, "supported"),
        ("Sodium cells kept 33 points more of their capacity than LFP cells.", CELLS, "unjudged"),
        ("Sodium cells kept 1.6 times the capacity of LFP cells.", CELLS, "unjudged"),
        ("Who is on call gets £120 a week.", "Who is on call gets £90 a week, and £30 for each call.", "unjudged"),
        ("Sodium cells kept 3 times the capacity of LFP cells.", CELLS, "unsupported"),
        ("Revenue fell to $4.2bn from $3.5bn.", "Revenue rose to $4.2bn from $3.5bn.", "unjudged"),
        ("Ampril lowers the pressure of the blood.", "Losartan lowers the pressure of the blood.", "unjudged"),
        ("The path is 2.3 km long.", "The path is 2,300 metres long.", "supported"),
        ("Borealis acquired Acme in 2021.", "In 2021 Acme acquired Borealis.", "unjudged"),
        ("Acme was acquired by Borealis in 2021.", "In 2021 Borealis acquired Acme.", "supported"),
        ("The valve closes at 40 degrees.", "The valve may close at 40 degrees.", "unjudged"),
        ("Die Pumpe läuft vierzig Tage.", "炉のポンプは四十日間、故障なしに動いた。", "unjudged"),
    ],
)
def test_a_sentence_gets_the_status_that_its_span_earns(sentence: str, span: str, status: SupportStatus) -> None:
    assert check(sentence, [span]).status == status


@pytest.mark.parametrize(
    ("sentence", "span", "why"),
    [
        ("Autovacuum, written by Alvaro Herrera, runs.", VACUUM, "Alvaro Herrera is not in the source"),
        ("The pumps ran for 41 days.", FORTY, "41 is not in the source, nor does it follow from it"),
        ("Sodium cells kept 55 % of their capacity.", CELLS, "55 stands beside something else in the source"),
        ("The valve closes at 40 degrees.", "The valve may close at 40 degrees.", "the source says it with 'may'"),
        ("Borealis acquired Acme.", "Acme acquired Borealis.", "Borealis and Acme stand the other way round"),
    ],
)
def test_a_verdict_says_what_decided_it(sentence: str, span: str, why: str) -> None:
    assert why.casefold() in check(sentence, [span]).why.casefold()


def test_only_a_quotation_is_beyond_a_judge() -> None:
    assert check(VACUUM, [VACUUM]).is_proved
    assert not check("Autovacuum runs when 60 rows have changed.", [VACUUM]).is_proved
    assert not check("Autovacuum runs by default when 50 rows have changed.", [VACUUM]).is_proved


def test_a_sentence_without_spans_is_unsupported() -> None:
    verdict = check(VACUUM, [])
    assert (verdict.status, verdict.why) == ("unsupported", "it cites nothing")


def test_what_is_too_long_for_a_sentence_is_not_judged() -> None:
    assert check("The limit is 64 pages. " * 500, ["The limit is 64 pages."]).why == "it is too long for one sentence"


def test_a_name_may_stand_in_the_title_of_what_is_cited() -> None:
    sentence, span = "The K40 scanner restarts when its battery is low.", "It restarts when the battery of it is low."
    assert check(sentence, [span]).why == "K40 is not in the source"
    assert check(sentence, [span], titles=["Kestrel K40 handheld scanner"]).status == "supported"


def test_a_sentence_may_rest_on_two_spans_together() -> None:
    spans = ["The following modes exist:", "strict, which refuses 7-bit input"]
    assert check("The following modes exist: strict, which refuses 7-bit input.", spans).status == "quoted"


words = st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8), min_size=1, max_size=12)


@given(words, st.integers(0, 11), st.integers(1, 12))
def test_every_quotation_is_known(text: list[str], start: int, length: int) -> None:
    quotation = " ".join(text[start % len(text) :][:length])
    assert check(quotation, [" ".join(text)]).status == "quoted"


@given(words, st.integers(10_000, 99_999))
def test_a_number_that_no_span_holds_never_passes(text: list[str], number: int) -> None:
    span = " ".join(word for word in text if not any(char.isnumeric() for char in word))
    assert check(f"{span} {number}", [span]).status not in VERIFIED


def test_code_whose_lines_end_in_colons_is_a_quotation_however_it_is_set() -> None:
    code = "main.cf:\n    maps = hash:/etc/maps\n\nmaps:\n    @host @example.org"
    assert check(code, [f"Set it so: {' '.join(code.split())}"]).why == "quotation"
    assert check(code, [code]).why == "quotation"


def test_a_row_with_bars_between_its_cells_and_japanese_sentences_set_apart_are_quotations() -> None:
    assert check("Contents | GBP 75,000", ["Excess not changed\nContents      GBP 75,000"]).why == "quotation"
    assert check("敵は来ない。 味方は来る。", ["敵は来ない。味方は来る。"]).why == "quotation"


@pytest.mark.parametrize("sentence", ["About 1/0 of them came.", "0/0 came.", "Version 3/0 came of 40."])
def test_a_share_of_nothing_is_a_figure_like_any_that_is_not_there(sentence: str) -> None:
    assert check(sentence, ["Of 40, 20 came."]).status == "unsupported"
