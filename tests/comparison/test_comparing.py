"""Two reports side by side: what became of each sentence and of each source."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.comparison.comparing import compared
from fathom.comparison.records import Comparison
from fathom.comparison.telling import told_by
from fathom.comparison.words import pieces
from fathom.report import NotFoundEntry
from tests.comparison.changes import CHANGED, GONE, NEW, UNLIKE
from tests.comparison.reports import claim, report, source
from tests.support.figures import bars

OLD = (*(before for before, _ in CHANGED), *GONE, *(before for before, _ in UNLIKE))
LATER = (*(now for _, now in CHANGED), *NEW, *(now for _, now in UNLIKE))


def states(comparison: Comparison) -> list[tuple[str, str]]:
    return [(pair.state, pair.sentence.text) for pair in comparison.sentences]


@pytest.mark.parametrize("seed", range(10))
def test_what_has_changed_is_told_from_what_is_new_or_gone_in_whatever_order(seed: int) -> None:
    chance = random.Random(seed)
    old, new = chance.sample(OLD, len(OLD)), chance.sample(LATER, len(LATER))

    comparison = compared(report(("All", old)), report(("All", new)))

    changed = {(pair.old.text, pair.new.text) for pair in comparison.sentences if pair.old and pair.new}
    assert changed == set(CHANGED)
    assert comparison.counts == {
        "changed": len(CHANGED),
        "gone": len(GONE) + len(UNLIKE),
        "new": len(NEW) + len(UNLIKE),
    }


SENTENCES = st.lists(st.sampled_from((*OLD, *LATER)), max_size=30)


@given(SENTENCES, SENTENCES)
def test_each_sentence_is_in_exactly_one_pair_and_the_other_way_round_new_is_gone(
    old: list[str], new: list[str]
) -> None:
    before, now = report(("All", old)), report(("All", new))
    all_before = Counter(each.sentence for each in told_by(before))

    there, back = compared(before, now), compared(now, before)

    assert Counter(pair.old for pair in there.sentences if pair.old) == all_before
    assert [pair.new for pair in there.sentences if pair.new] == [each.sentence for each in told_by(now)]
    turned = {"new": "gone", "gone": "new"}
    assert Counter((turned.get(pair.state, pair.state), pair.new, pair.old) for pair in there.sentences) == Counter(
        (pair.state, pair.old, pair.new) for pair in back.sentences
    )


@given(SENTENCES)
def test_a_report_compared_with_itself_is_the_same(told: list[str]) -> None:
    comparison = compared(report(("All", told)), report(("All", told)))

    assert comparison.unchanged
    assert {pair.state for pair in comparison.sentences} <= {"same"}
    assert {pair.state for pair in comparison.sources} == {"same"}


TEXT = st.text("ab 12.、。はの漢字カナ\n", max_size=60)


@given(TEXT, TEXT)
def test_the_pieces_of_a_change_make_both_texts(old: str, new: str) -> None:
    found = pieces(old, new)

    assert "".join(piece.text for piece in found if piece.state != "new") == old
    assert "".join(piece.text for piece in found if piece.state != "gone") == new
    assert all(a.state != b.state for a, b in pairwise(found))


def test_texts_that_are_much_too_long_for_a_comparison_word_by_word_are_compared_at_once() -> None:
    old, new = "a b " * 20_000 + "c d", "a b " * 20_000 + "e a b " * 20_000

    assert "".join(piece.text for piece in pieces(old, new) if piece.state != "gone") == new


def test_a_number_in_a_passage_of_several_sentences_changes_one_sentence() -> None:
    before = "It was installed in 2023. The service costs 240 euros. 費用は240ユーロ。毎年行う。"

    comparison = compared(report(("Costs", [before])), report(("Costs", [before.replace("240", "265")])))

    assert [pair.state for pair in comparison.sentences] == ["same", "changed", "changed", "same"]
    told = comparison.sentences[1].pieces
    assert [(piece.state, piece.text) for piece in told] == [
        ("same", "The service costs "),
        ("gone", "240"),
        ("new", "265"),
        ("same", " euros."),
    ]
    assert [piece.text for piece in comparison.sentences[2].pieces] == ["費用は", "240", "265", "ユーロ。"]


def test_a_sentence_that_stands_elsewhere_has_moved_and_one_told_twice_is_first_looked_for_where_it_stood() -> None:
    old = report(("Summary", ["It is deep."]), ("Depth", ["It is deep.", "It is cold."]))
    new = report(("Summary", ["It is cold."]), ("Depth", ["It is deep."]))

    assert states(compared(old, new)) == [("gone", "It is deep."), ("moved", "It is cold."), ("same", "It is deep.")]


def test_the_same_words_that_cite_something_else_or_have_another_verdict_are_told_apart() -> None:
    sources = source("S1", "a.md"), source("S2", "b.md")
    old = report(
        ("A", [claim("It is deep.", "S1"), claim("It is cold.", "S1"), claim("It is wet.", "S2")]), sources=sources
    )
    renumbered = source("S2", "a.md"), source("S1", "b.md")
    doubted = claim("It is cold.", "S2", status="contradicted", verified=False)
    new = report(("A", [claim("It is deep.", "S1"), doubted, claim("It is wet.", "S1")]), sources=renumbered)

    assert [state for state, _ in states(compared(old, new))] == ["recited", "recited", "same"]
    assert not compared(old, new).unchanged


def test_a_source_has_changed_by_its_text_and_is_known_by_its_address_and_query() -> None:
    data = {"kind": "dataset", "query": 'count {"by": "a"}'}
    old = source("S1", "a.md"), source("S2", "b.md"), source("S3", "c.csv", **data), source("S4", "gone.md")
    new = (
        source("S1", "b.md", sha256="1" * 64),
        source("S2", "a.md"),
        source("S3", "c.csv", **data, sha256="2" * 64),
        source("S4", "c.csv", **{**data, "query": 'count {"by": "b"}'}),
    )

    pairs = compared(report(("A", []), sources=old), report(("A", []), sources=new)).sources

    assert [(pair.state, pair.old and pair.old.id, pair.new and pair.new.id) for pair in pairs] == [
        ("changed", "S2", "S1"),
        ("same", "S1", "S2"),
        ("changed", "S3", "S3"),
        ("new", None, "S4"),
        ("gone", "S4", None),
    ]


def test_a_figure_whose_count_changes_and_what_is_no_longer_missing_do_not_go_unsaid() -> None:
    old = report(("A", []), figures=(bars({"AI": 50, "Cloud": 40}),), not_found=(NotFoundEntry(what="Who owns it?"),))
    new = report(("A", []), figures=(bars({"AI": 51, "Cloud": 40}),))

    assert states(compared(old, new)) == [
        ("changed", "event_theme: AI, records: 51"),
        ("same", "event_theme: Cloud, records: 40"),
        ("gone", "Who owns it?"),
    ]


def test_two_files_of_one_name_are_told_apart_and_no_folder_is_told() -> None:
    old = report(("A", []), sources=(source("S1", "a/x.md", title="x"),))
    new = report(("A", []), sources=(source("S1", "b/x.md", title="x"),))

    portable = compared(old, new)

    assert [pair.entry.uri for pair in portable.sources] == ["b/x.md", "a/x.md"]
    assert "/notes" not in portable.model_dump_json()
