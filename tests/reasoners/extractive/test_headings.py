from __future__ import annotations

import pytest

from fathom.asks import OutlineReport
from fathom.reasoners.extractive.outline import title_of
from fathom.reasoners.extractive.parts import divide
from fathom.reasoners.extractive.question import read_question
from fathom.text.language import detect


def headings(query: str) -> list[str]:
    question = read_question(query, language=detect(query))
    return [part.focus for part in divide(question, texts=(), limit=8)[1]]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("What are the limits of VLOOKUP and give a table", ["Limits of VLOOKUP"]),
        ("Explain VLOOKUP, its limits, and show me an example.", ["VLOOKUP, its limits"]),
        ("What is WAL and give me a short summary?", ["WAL"]),
        ("Give me a table", ["Table"]),
        ("Describe replication, backups and list the commands", ["Replication", "Backups", "Commands"]),
    ],
)
def test_what_asks_for_a_form_of_the_answer_is_no_heading(query: str, told: list[str]) -> None:
    assert headings(query) == told


@pytest.mark.parametrize(
    "query", ["VLOOKUPと、XLOOKUPの違いは何ですか", "VLOOKUPと", "会費を", "表計算のVLOOKUPや、INDEXを比較して"]
)
def test_no_japanese_heading_ends_in_a_particle_that_joins(query: str) -> None:
    assert [heading for heading in headings(query) if heading[-1] in "とやをがも"] == []


def test_an_ordinal_ends_no_part_and_a_list_is_divided_from_one_on() -> None:
    assert headings("Kann ich meinen 50. Geburtstag feiern, was kostet das?")[0].startswith("Kann ich meinen 50. Geb")
    assert headings("1. How are backups checked? 2. Who deletes backups?") == [
        "How are backups checked?",
        "Who deletes backups?",
    ]


@pytest.mark.parametrize(
    ("query", "scene", "asked"),
    [
        ("The pump won't start any more, how do I reset it?", "The pump won't start any more", ["How to reset it"]),
        (
            "Since the maker dropped the least order, can I order two wheels? And which discount applies?",
            "Since the maker dropped the least order",
            ["Can I order two wheels?", "Which discount applies?"],
        ),
        ("Tides, currents and waves, how do they differ?", "", ["Tides", "Currents", "Waves"]),
        (
            "How does a cache fill, and which server empties it?",
            "",
            ["How does a cache fill?", "Which server empties it?"],
        ),
    ],
)
def test_what_a_sentence_tells_before_it_asks_sets_the_scene(query: str, scene: str, asked: list[str]) -> None:
    assert read_question(query, language="en").background == scene
    assert headings(query)[: len(asked)] == asked


def test_no_heading_breaks_off_at_a_word_that_joins() -> None:
    long = "Am I allowed to, and if it goes wrong how do I get back to the version from the day before?"
    assert headings(f"I change the till today. {long}") == ["Am I allowed to"]


def test_a_title_holds_all_that_is_asked_where_the_scene_makes_the_question_too_long() -> None:
    scene = "The site says that we have fourteen of a chainring and I am standing at the shelf and there are three. "
    asked = "Who corrects the number? Where is the shelf list?"
    ask = OutlineReport(
        query=scene + asked, language="en", subtasks=(), syntheses=(), findings=(), documents=(), max_words=300
    )
    assert title_of(ask) == asked
    about = ask.model_copy(
        update={"query": "Give me everything about the rota: who is on it, and how much is it paid?"}
    )
    assert title_of(about) == "The rota"


def test_a_title_is_not_cut_where_what_is_asked_has_room() -> None:
    asked = "Am I allowed to, and if it goes wrong how do I get back to the version from before?"
    query = f"I am about to push a small change to the till and it is Friday half past three in the afternoon. {asked}"
    told = {"subtasks": (), "syntheses": (), "findings": (), "documents": (), "max_words": 300}
    assert title_of(OutlineReport(query=query, language="en", **told)) == asked


def test_who_has_to_explain_something_asks_nothing_and_who_wants_a_belief_confirmed_does() -> None:
    told, asked = (
        read_question(query, language="ja")
        for query in (
            "穴の位置の件、社長に説明しないといけません。不良の原因は何だったのか教えてください。",
            "免許がなくてもフォークに乗っていいはずですよね。先に何を教えればいいですか。",
        )
    )
    assert told.background == "穴の位置の件、社長に説明しないといけません"
    assert asked.background == ""
