"""Snippets: the sentences of a passage that match."""

from __future__ import annotations

import pytest

from fathom.text.analysis import query_terms, snippet

FILLER = "The weather was fine. " * 30


@pytest.mark.parametrize(
    ("text", "query", "told"),
    [
        (
            f"{FILLER}The starter rests for a day. {FILLER}",
            "resting starters",
            "… The starter rests for a day. The weather",
        ),
        (f"{'天気がよい。' * 60}深い海は冷たい。{'天気がよい。' * 60}", "深い海とは？", "… 深い海は冷たい。天気"),
        (f"Ruhetag. {FILLER}Der Fahrpreis beträgt 3 Euro.", "Fahrpreis", "… Der Fahrpreis beträgt 3 Euro."),
    ],
)
def test_a_snippet_begins_with_the_sentence_that_holds_the_words_in_any_language(
    text: str, query: str, told: str
) -> None:
    assert snippet(text, query_terms(query)).startswith(told)


def test_sentences_that_hold_the_words_between_them_stand_together() -> None:
    text = f"{FILLER}A starter lives on flour. It rests for a day. {FILLER}"
    told = snippet(text, query_terms("How long does a starter rest?"))
    assert told.startswith("… A starter lives on flour. It rests for a day.")


def test_a_sentence_that_is_too_long_is_cut_around_the_words() -> None:
    told = snippet("row " * 500 + "starter " + "row " * 500, query_terms("starter"), width=100)
    assert "starter" in told and told.startswith("… ") and told.endswith(" …") and len(told) <= 104


def test_without_any_of_the_words_a_snippet_is_the_beginning() -> None:
    assert snippet("Cold. " * 100, query_terms("starter"), width=10) == "Cold. Cold …"
