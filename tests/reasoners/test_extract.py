"""What the extractive reasoner finds in passages."""

from __future__ import annotations

import pytest

from fathom.findings import ANSWERED
from fathom.reasoners.extractive.extract import extract_findings
from fathom.reasoners.extractive.names import missing, names_of
from fathom.reasoners.extractive.rarity import Rarity
from tests.support.reasoner_pages import CURRENTS, TIDES, extract, page, sentences

QUESTION = "What causes tides and when are spring tides strongest?"


def test_evidence_is_verbatim() -> None:
    text = TIDES[1].text
    findings = extract_findings(extract(QUESTION, TIDES)).findings

    assert findings
    for finding in findings:
        for evidence in (*finding.evidence, *([finding.lead_in] if finding.lead_in else [])):
            assert text[evidence.start : evidence.end] == evidence.quote


def test_code_pointers_and_announcements_are_not_told() -> None:
    claims = [finding.claim for finding in extract_findings(extract(QUESTION, TIDES)).findings]
    assert not [claim for claim in claims if claim.startswith(("tide --height", "See ", "A spring tide needs"))]


def test_a_list_item_keeps_its_lead_in() -> None:
    findings = sentences(extract(QUESTION, TIDES))
    item = next(finding for finding in findings if "in line with the earth" in finding.claim)

    assert item.lead_in and item.lead_in.quote == "A spring tide needs the following:"
    assert item.claim == "the sun and the moon in line with the earth;"


def test_a_dangling_pronoun_brings_the_sentence_before() -> None:
    findings = sentences(extract(QUESTION, TIDES))
    strongest = next(finding for finding in findings if "strongest" in finding.claim)
    assert strongest.lead_in and strongest.lead_in.quote == "Tides are caused by the gravity of the moon."


def test_the_better_answer_comes_first() -> None:
    findings = extract_findings(extract("How much water does the Gulf Stream move?", TIDES, CURRENTS)).findings
    assert "The Gulf Stream moves 30 million cubic metres of water a second." in findings[0].claim
    assert [f.relevance for f in findings] == sorted((f.relevance for f in findings), reverse=True)


def test_of_a_document_the_whole_passage_is_told_as_it_is_set() -> None:
    cause, *_ = extract_findings(extract(QUESTION, CURRENTS, TIDES)).findings

    assert cause.is_passage and cause.claim.split("\n")[:4] == [
        "Tides are caused by the gravity of the moon. They are strongest at new moon and at full moon.",
        "A spring tide needs the following:",
        "- the sun and the moon in line with the earth;",
        "- no storm that holds the water back.",
    ]


def test_another_number_for_the_same_thing_is_a_finding_of_its_own() -> None:
    one = page("Spring", ("paragraph", "The spring of Kirisawa yields 1800 litres of water in each minute."))
    other = page("Survey", ("paragraph", "The spring of Kirisawa yields 1450 litres of water in each minute."))
    again = page("Leaflet", ("paragraph", "The spring of Kirisawa yields 1450 litres of water in each minute now."))
    asked = extract("How many litres of water does the spring of Kirisawa yield?", one, other, again)

    claims = [finding.claim for finding in extract_findings(asked).findings]

    assert len(claims) == 2
    assert sum("1800" in claim for claim in claims) == sum("1450" in claim for claim in claims) == 1


def test_equal_asks_get_equal_answers() -> None:
    assert extract_findings(extract(QUESTION, TIDES, CURRENTS)) == extract_findings(extract(QUESTION, TIDES, CURRENTS))


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("How do I configure the tide_predictive_mode setting?", "en"),
        ("What is a Django middleware class?", "en"),
        ("asyncio でタスクをキャンセルするにはどうすればよいですか。", "ja"),
        ("🌊🌊", "en"),
    ],
)
def test_what_the_sources_do_not_hold_is_not_answered(query: str, language: str) -> None:
    ask = extract(query, TIDES, CURRENTS, language=language)
    assert all(finding.confidence < ANSWERED for finding in extract_findings(ask).findings)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("データー", "データを保存する"),
        ("index-only", "an index only scan"),
        ("ＦＡＴ", "FAT の制限"),
        ("--merge", "git reset --merge keeps"),
        ("gather()", "call asyncio.gather first"),
    ],
)
def test_a_name_is_held_however_it_is_spelt(name: str, text: str) -> None:
    text = text if name != "TaskGroup" else text + " and TaskGroup"
    assert (
        missing(
            names_of(f"what of {name}?" if name.isascii() else f"{name}は"), texts=[text], rarity=Rarity({}, passages=1)
        )
        == []
    )


def test_a_name_that_no_text_holds_is_missing() -> None:
    found = missing(names_of("レイヤーマスクの作り方"), texts=["表の作り方"], rarity=Rarity({}, passages=1))
    assert [name.text for name in found] == ["レイヤーマスク"]
