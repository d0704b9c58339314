"""What a follow-up leans on is put in from the questions before it; one that leans on nothing stays as it is."""

from __future__ import annotations

import pytest

from fathom.languages.leaning import made_whole

EN, JA = "en", "ja"
WASHER = "The washing machine will not drain, what can I do?"


@pytest.mark.parametrize(
    ("language", "before", "asked", "whole"),
    [
        (EN, "When is the rent due?", "And in 2026?", "When is the rent due in 2026?"),
        (EN, "When is the rent due?", "And the deposit?", "When is the deposit due?"),
        (EN, "When is the rent due?", "who do I pay it to?", "who do I pay the rent to?"),
        (EN, "How much is the car insurance?", "And the travel insurance?", "How much is the travel insurance?"),
        (EN, "How do I install Borg on Linux?", "How about a Mac?", "How do I install Borg on a Mac?"),
        (EN, "How do I install Borg on Linux?", "What about removing it?", "removing Borg"),
        (EN, "How long do LFP cells last?", "What about their weight?", "LFP cells: weight"),
        (EN, "How long do LFP cells last?", "Why?", "How long do LFP cells last: why?"),
        (
            EN,
            "Compare LFP and NMC batteries",
            "which of them is cheaper?",
            "which of LFP and NMC batteries is cheaper?",
        ),
        (EN, "What does borg prune do?", "How does it differ from tar?", "How does borg prune differ from tar?"),
        (EN, "What does the ticket cost?", "Is there a discount on it?", "Is there a discount on the ticket?"),
        (EN, WASHER, "And who pays if somebody has to come?", "The washing machine: who pays if somebody has to come?"),
        (EN, WASHER, "And what does a visit cost?", "The washing machine: what does a visit cost?"),
        (EN, WASHER, "And who mends the roof?", "And who mends the roof?"),
        (EN, WASHER, "And what does a visit by Halvorsen cost?", "And what does a visit by Halvorsen cost?"),
        (JA, "自治会の会費はいくらですか", "では防災訓練は？", "自治会の防災訓練はいくらですか？"),
        (JA, "自治会の会費はいくらですか", "賃貸の人は？", "賃貸の人の場合、自治会の会費はいくらですか？"),
        (JA, "有給休暇は何日もらえますか？", "では夏季休暇は？", "夏季休暇は何日もらえますか？"),
        (JA, "有給休暇は何日もらえますか？", "その申請先はどこですか", "有給休暇の申請先はどこですか？"),
        (JA, "集会所の利用料はいくらですか？", "予約はいつから？", "集会所の予約はいつから？"),
        (JA, "出張の日当はいくらですか", "海外では？", "海外の場合、出張の日当はいくらですか？"),
        ("de", "Wie hoch ist der Mitgliedsbeitrag?", "Und die Aufnahmegebühr?", "Wie hoch ist die Aufnahmegebühr?"),
        ("de", "Wie hoch ist der Mitgliedsbeitrag?", "Wann ist er fällig?", "Wann ist der Mitgliedsbeitrag fällig?"),
        (
            "fr",
            "Quel est le prix de la cantine ?",
            "Et pour les enfants ?",
            "Quel est le prix de la cantine pour les enfants?",
        ),
    ],
)
def test_what_is_left_out_comes_from_the_question_before(language: str, before: str, asked: str, whole: str) -> None:
    assert made_whole(asked, [before], language=language) == whole


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        (EN, "Who services the boiler, and what does it cost?"),
        (EN, "When does the lease end and can it be extended?"),
        (EN, "How does a logger find its level?"),
        (EN, "Which forms does the tax office accept for a claim?"),
        (JA, "会長の任期は何年ですか？"),
        (JA, "ごみ当番表はどこに掲示されていますか？"),
        ("de", "Wer räumt im Winter den Schnee?"),
    ],
)
def test_a_question_that_leans_on_nothing_stays_as_it_is(language: str, asked: str) -> None:
    before = "自治会の会費はいくらですか" if language == JA else "How long do LFP cells last?"

    assert made_whole(asked, [before], language=language) == asked
    assert made_whole(asked, [], language=language) == asked


def test_a_thread_of_several_questions_names_both_that_are_compared() -> None:
    thread = ["When is the rent due?", "How much is the car insurance?", "How much is the travel insurance?"]

    asked = made_whole("Which of them has the lower excess?", thread, language=EN)

    assert asked == "Which of the car insurance and the travel insurance has the lower excess?"


def test_a_language_without_words_for_it_gets_the_question_before() -> None:
    assert made_whole("¿Por qué?", ["¿Cuánto cuesta el abono anual?"], language="es").endswith("abono anual: ¿Por qué?")
    assert made_whole("为什么？", ["会费是多少？"], language="zh") == "为什么？"
