"""What sources say to the sentence of a text."""

from __future__ import annotations

from fathom.evidence import Passage
from fathom.verification.texts import fails, held_against

LIMIT = "By default the limit is 64 pages. A larger limit has to be asked for."
OFFICE = "The office in Halifax is closed on Mondays and opens at 9:30 on all other days."


def passages(*texts: str) -> list[tuple[str, Passage]]:
    return [("Notes", Passage(document="d", start=0, end=len(text), text=text)) for text in texts]


def test_the_passage_that_bears_a_sentence_out_is_named_wherever_it_stands() -> None:
    verdict, at = held_against("The limit is 64 pages.", passages(OFFICE, LIMIT))
    assert (verdict.status, at) == ("quoted", 1)


def test_a_figure_that_no_passage_holds_is_unsupported_and_one_that_stands_elsewhere_unjudged() -> None:
    verdict, at = held_against("The limit is 65 pages.", passages(OFFICE, LIMIT))
    assert (verdict.status, at) == ("unsupported", 1) and "65" in verdict.why
    verdict, at = held_against("The limit is 9:30 pages.", passages(OFFICE, LIMIT))
    assert (verdict.status, at) == ("unjudged", 1)


def test_words_of_several_passages_prove_nothing_together() -> None:
    verdict, _ = held_against("The limit is 64 pages and the office opens at 9:30.", passages(OFFICE, LIMIT))
    assert verdict.status == "unjudged"


def test_what_no_passage_speaks_of_is_unsupported() -> None:
    assert held_against("Elephants are found in Botswana.", passages(OFFICE, LIMIT))[0].status == "unsupported"
    assert held_against("Elephants are large.", []) == held_against("x", [])
    assert held_against("x", [])[0].status == "unsupported" and held_against("x", [])[1] is None


def test_what_says_the_opposite_of_the_nearest_passage_is_contradicted() -> None:
    verdict, at = held_against("The limit is not 64 pages.", passages(OFFICE, "The limit is 64 pages."))
    assert (verdict.status, at) == ("contradicted", 1)


def test_a_text_fails_by_its_sentences() -> None:
    assert not fails({"quoted": 3, "partial": 1}, strict=True)
    assert fails({"quoted": 3, "unsupported": 1}, strict=False) and fails({"contradicted": 1}, strict=False)
    assert not fails({"unjudged": 1}, strict=False) and fails({"unjudged": 1}, strict=True)
