from __future__ import annotations

import pytest

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
