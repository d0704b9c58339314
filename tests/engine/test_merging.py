"""The one order of what documents and web have on a question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fathom.engine.merging import in_one_order
from fathom.evidence import Document, Passage, Query, SourceDescription, text_digest


def passage(text: str, *, headings: tuple[str, ...] = ()) -> Passage:
    return Passage(document=text_digest(text), start=0, end=len(text), text=text, headings=headings)


def ordered(
    passages: list[Passage], query: str, *, question: str = "", counts: dict[str, int] | None = None
) -> list[str]:
    known = SourceDescription(name="knowledge", kind="file", documents=9, passages=5_000, term_passages=counts or {})
    titles = {
        each.document: Document(
            sha256=each.document, uri="file:///x", title="", kind="file", language="en", retrieved_at="2026-01-01"
        )
        for each in passages
    }
    found = in_one_order(
        passages, documents=titles, sources=[known], queries=[Query(text=query)], question=question or query
    )
    return [each.text for each in found]


NEAR = passage("A credential helper keeps the password of a remote in a cache.")
FAR = passage("The remote is fetched and its branches are listed.")
ASIDE = passage("Nothing of it.")


def test_what_holds_more_of_the_query_comes_first_wherever_it_comes_from() -> None:
    assert ordered([ASIDE, FAR, NEAR], "credential helper cache remote") == [NEAR.text, FAR.text, ASIDE.text]


def test_the_sources_say_how_rare_a_term_is_not_the_passages_at_hand() -> None:
    common = passage("Remote remote remote.")
    rare = passage("Helper.")
    assert ordered([common, rare], "remote helper", counts={"remot": 4_900, "helper": 3})[0] == rare.text


def test_the_words_of_the_query_count_more_than_those_of_the_rest_of_the_question() -> None:
    asked, rest = passage("Cache of it all."), passage("Branch of it all.")
    assert ordered([rest, asked], "cache", question="What is a cache and what is a branch?")[0] == asked.text


def test_a_heading_counts_for_its_passage() -> None:
    under = passage("It is kept there.", headings=("Credential cache",))
    assert ordered([ASIDE, under], "credential cache")[0] == under.text


@given(st.lists(st.text(min_size=1, max_size=40), unique=True, max_size=8), st.text(max_size=30))
def test_every_passage_keeps_its_place_once_whatever_it_says(texts: list[str], query: str) -> None:
    passages = [passage(text) for text in texts]
    assert sorted(ordered(passages, query or "x")) == sorted(texts)
