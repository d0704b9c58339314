from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.text.language import detect, is_cjk


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is autovacuum?", "en"),
        ("Explain pg_dump and compare it with pg_basebackup", "en"),
        ("オートバキュームとは何ですか", "ja"),
        ("pg_stat_statements と auto_explain の log_min_duration を比較してください", "ja"),
        ("Python 3.11 の asyncio.TaskGroup と asyncio.gather() の違いは何ですか。", "ja"),
        ("什么是自动清理，它和手动清理有什么区别？", "zh"),
        ("자동 정리란 무엇입니까?", "ko"),
        ("Was ist der Unterschied zwischen Python 2 und Python 3?", "de"),
        ("Quelle est la différence entre une liste et un tuple ?", "fr"),
        ("¿Cuál es la diferencia entre una lista y una tupla?", "es"),
        ("Что такое автоматическая очистка?", "ru"),
        ("🤖🤖🤖", "und"),
        ("", "und"),
        ("12345 --- 678", "und"),
    ],
)
def test_a_short_question_tells_its_language(text: str, language: str) -> None:
    assert detect(text) == language


QUESTIONS = tomllib.loads(Path(__file__).with_name("short_questions.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", QUESTIONS)
def test_twenty_short_everyday_questions_tell_their_language(language: str) -> None:
    assert len(QUESTIONS[language]) == 20
    told = {question: detect(question) for question in QUESTIONS[language]}
    untold = {"en": "und"}.get(language, language)  # a question of two plain words is taken for English
    assert {question: code for question, code in told.items() if code not in (language, untold)} == {}


def test_an_english_page_that_quotes_japanese_is_english() -> None:
    assert (
        detect("The word for it in the language of the country is オートバキューム and it is used in all of the texts.")
        == "en"
    )


@given(st.text())
@settings(deadline=None)
def test_every_text_has_a_code(text: str) -> None:
    code = detect(text)
    assert code == "und" or (len(code) == 2 and code.isalpha())


def test_punctuation_is_no_letter_of_a_script() -> None:
    assert [is_cjk(char) for char in "漢あカ한。・ー a"] == [True, True, True, True, False, False, True, False, False]
