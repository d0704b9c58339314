"""Copies of a text are one origin, however many there are and wherever they stand."""

from __future__ import annotations

from fathom.browsing import ArchivedPage
from fathom.evidence import Document, text_digest
from fathom.text.copies import distinct, origins
from fathom.text.likeness import signature
from tests.support.doubles.web import text_of


def page(text: str, url: str = "https://a.example/") -> ArchivedPage:
    document = Document(
        sha256=text_digest(text), uri=url, title="", kind="web", language="en", retrieved_at="2026-01-01T00:00:00+00:00"
    )
    return ArchivedPage(document=document, url=url, characters=len(text), likeness=signature(text))


SEA, CAKE = page(text_of("https://sea.example/1")), page(text_of("https://cake.example/2"))
COPY = page(text_of("https://sea.example/1") + " Copied with thanks.", "https://copy.example/")


def test_a_copy_has_the_origin_of_what_came_first() -> None:
    sea, copy, cake = (each.document.sha256 for each in (SEA, COPY, CAKE))
    assert origins([SEA, CAKE, COPY]) == {sea: sea, cake: cake, copy: sea}
    assert origins([COPY, SEA, CAKE]) == {copy: copy, sea: copy, cake: cake}


def test_copies_of_copies_are_one_origin() -> None:
    def with_share_of_the_other(values: int) -> ArchivedPage:
        mixed = CAKE.likeness[: 8 * values] + SEA.likeness[8 * values :]
        return page(f"mixed {values}").model_copy(update={"likeness": mixed})

    near, far = with_share_of_the_other(6), with_share_of_the_other(12)
    sea = SEA.document.sha256
    assert len(set(origins([SEA, far]).values())) == 2, "less than 85 % of 64 values are the same"
    assert set(origins([SEA, far, near]).values()) == {sea}
    assert origins([CAKE, far, SEA, near])[near.document.sha256] == far.document.sha256


def test_of_copies_the_first_is_kept() -> None:
    assert distinct([SEA, COPY, CAKE, SEA]) == [SEA, CAKE]
    assert distinct([COPY, SEA]) == [COPY]


def test_texts_too_short_to_compare_are_origins_of_their_own() -> None:
    one, other = page("Yes."), page("No.")
    assert distinct([one, other]) == [one, other]
