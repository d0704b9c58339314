"""Wishes are told from what is asked; what is in doubt is asked."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fathom.languages.packs import packs
from fathom.languages.wishes import Ear, hear, may_wish
from tests.support.patterns import fault_of

TODAY = "2026-11-27"

WISHES: list[tuple[str, str, dict[str, Any]]] = [
    (
        "How does a pump work, in five bullet points, for a manager who knows no SQL, not longer than 200 words, "
        "beyond popular practices like journaling, only since 2020, in Japan, in German?",
        "How does a pump work?",
        {
            "form": "bullets",
            "audience": "a manager who knows no SQL",
            "lengths": [{"most": 5, "unit": "items"}, {"most": 200, "unit": "words"}],
            "exclusions": ["journaling"],
            "since": "2020-01-01",
            "region": "Japan",
            "language": "de",
        },
    ),
    (
        "Explain to a beginner how DNS works. Two sentences max.",
        "how DNS works.",
        {"audience": "a beginner", "lengths": [{"most": 2, "unit": "sentences"}]},
    ),
    ("Compare the two tariffs in a table", "Compare the two tariffs", {"form": "table"}),
    ("Could you give me a timeline of the floods?", "the floods?", {"form": "timeline"}),
    ("For my 10-year-old: why is the sky blue?", "why is the sky blue?", {"audience": "my 10-year-old"}),
    (
        "Which tariff is cheapest? Keep it formal, under 80 words, and do not mention the old provider.",
        "Which tariff is cheapest?",
        {"tone": "formal", "lengths": [{"most": 80, "unit": "words"}], "exclusions": ["old provider"]},
    ),
    (
        "What did the council decide, from 2021 to 2023 only",
        "What did the council decide",
        {"since": "2021-01-01", "until": "2024-01-01"},
    ),
    (
        "I need an executive summary for the board on the outage in May.",
        "the outage in May.",
        {"form": "executive_summary", "audience": "the board"},
    ),
    (
        "How is the tray emptied? Two sentences, without the warranty.",
        "How is the tray emptied?",
        {"lengths": [{"most": 2, "unit": "sentences"}], "exclusions": ["warranty"]},
    ),
    (
        "Which storms hit the coast? Nothing before 2015, as a table",
        "Which storms hit the coast?",
        {"form": "table", "since": "2015-01-01"},
    ),
    ("Which storms hit the coast? Nothing older than 2015.", "Which storms hit the coast?", {"since": "2015-01-01"}),
    ("Which plants need shade? I only care about Scotland.", "Which plants need shade?", {"region": "Scotland"}),
    (
        "電子レンジの仕組みを初心者向けに表で、300字以内で。電気代の話は除いて",
        "電子レンジの仕組み。",
        {
            "form": "table",
            "audience": "初心者",
            "lengths": [{"most": 300, "unit": "characters"}],
            "exclusions": ["電気代"],
        },
    ),
    (
        "2020年以降に限って、料金の改定を年表で示してください。",
        "料金の改定。",
        {"form": "timeline", "since": "2020-01-01"},
    ),
    ("英語で答えてください。会費はいくらですか。", "会費はいくらですか。", {"language": "en"}),
    (
        "敬語で、有給休暇の取り方を簡潔に説明してください。",
        "有給休暇の取り方。",
        {"form": "brief", "tone": "敬語"},
    ),
    ("補助金の制度を教えてください。日本国内だけでいいです", "補助金の制度を教えてください。", {"region": "日本国内"}),
    (
        "Wie kündige ich den Vertrag? Bitte in drei Stichpunkten, auf Englisch.",
        "Wie kündige ich den Vertrag?",
        {"form": "bullets", "lengths": [{"most": 3, "unit": "items"}], "language": "en"},
    ),
    (
        "Comment résilier le contrat ? En 100 mots maximum, sous forme de tableau.",
        "Comment résilier le contrat ?",
        {"form": "table", "lengths": [{"most": 100, "unit": "words"}]},
    ),
]

TOPICS = [
    "How do I write an executive summary?",
    "How to write a table of contents",
    "Write a table of contents for the manual",
    "List the steps to insert a row in a table",
    "How do I format headings, bullet points, and tables in Word?",
    "In the shell, how do I get the result shown as a table with column headings?",
    "How do I make git log list only commits since 2020, one line each, leaving out merges",
    "How many words may the abstract have?",
    "In grep, how do I search recursively, ignore case, and print line numbers?",
    "What are good chess openings for beginners?",
    "What is the right dose, for children?",
    "How many people live in Japan?",
    "What changed since 2020?",
    "How do I say good night in German?",
    "Which plants grow only in Germany?",
    "Besides Anna and Bert, who has a key?",
    "Please dig deep into certificate renewal, and leave nothing out.",
    "表の作り方を教えてください",
    "箇条書きと表の使い分けは何ですか",
    "年表に載っている出来事は何ですか",
    "300字以内で書く作文のルールは何ですか",
    "初心者向けの本はどれですか",
    "概要、背景、課題を教えてください",
    "英語で書かれた資料はありますか",
    "歯を抜いた日に、お風呂に入っても大丈夫ですか。",
    "何を保存し、何を除外し、どんな点に注意すべきですか。",
    "法人向けに、どんなプランがありますか",
    "Welche Tabelle zeigt die Preise?",
]


@pytest.mark.parametrize(("question", "topic", "wished"), WISHES)
def test_a_wish_is_heard_and_taken_out_of_what_is_asked(question: str, topic: str, wished: dict[str, Any]) -> None:
    heard = hear(question, today=TODAY)

    told = heard.model_dump(mode="json", exclude_defaults=True, exclude={"topic", "wishes"})
    assert (heard.topic, told) == (topic, wished)
    assert all(wish in question for wish in heard.wishes) and heard.wishes
    assert may_wish(question)


@pytest.mark.parametrize("question", TOPICS)
def test_what_is_asked_is_no_wish(question: str) -> None:
    heard = hear(question, today=TODAY)

    assert (heard.topic, heard.wishes) == (question, ())


@pytest.mark.parametrize("question", ["In two sentences, please.", "箇条書きで", "", "?!", "a" * 3_000])
def test_a_question_of_nothing_but_wishes_stays_what_it_is(question: str) -> None:
    assert hear(question, today=TODAY).topic == question


def test_what_is_wanted_by_tomorrow_is_about_any_day() -> None:
    heard = hear("How do we switch it off? I need a one-page brief on it for our team by tomorrow", today=TODAY)

    assert (heard.since, heard.until, heard.form, heard.audience) == ("", "", "brief", "our team")


@pytest.mark.parametrize("code", [each.code for each in packs() if "wishes" in each.tables])
def test_no_phrase_of_a_wish_takes_exponential_time(code: str) -> None:
    ear = Ear(next(each for each in packs() if each.code == code))
    for phrase in ear.phrases:
        assert fault_of(phrase.pattern.pattern, re.IGNORECASE, exponential_only=True) is None, phrase.kind


def test_a_long_question_is_heard_in_no_time() -> None:
    began = [hear(f"{'in a table, for a manager who knows no ' * 45}{tail}") for tail in ("?", "、" * 90, " and" * 40)]

    assert len(began) == 3, "it ends"
