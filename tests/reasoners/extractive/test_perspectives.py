"""How would different readers look at this? Nothing is claimed, and the topic's own words are used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.asks import GeneratePerspectives
from fathom.plan import Perspectives
from fathom.reasoners.extractive.perspectives import generate_perspectives


def looked_at(topic: str, *, language: str = "en", number: int = 3, domain: str = "") -> Perspectives:
    ask = GeneratePerspectives(query=topic, language=language, topic=topic, domain=domain, num_perspectives=number)
    return generate_perspectives(ask)


@pytest.mark.parametrize(
    ("topic", "first"),
    [
        ("India events by theme: distribution and trends", "Data analyst"),
        ("The price of electric cars and the market for them", "Business analyst"),
        ("How is replication configured on a server?", "Engineer"),
        ("What is the evidence for the theory of ocean waves?", "Scientist"),
        ("Which privacy laws and regulations apply to court records?", "Lawyer and policy maker"),
        ("The history and origin of the lighthouse since the 18th century", "Historian"),
        ("How to begin: a tutorial for users", "Newcomer"),
    ],
)
def test_the_reader_whose_words_the_topic_uses_comes_first(topic: str, first: str) -> None:
    assert looked_at(topic).perspectives[0].name == first


@pytest.mark.parametrize(
    ("topic", "first"),
    [
        ("インドのイベントの件数と分布の推移", "データ分析者"),
        ("霧ヶ原大橋の歴史と沿革", "歴史家"),
        ("著作権法の規制と義務", "法律・政策の視点"),
    ],
)
def test_japanese_topics_have_japanese_readers(topic: str, first: str) -> None:
    perspective = looked_at(topic, language="ja").perspectives[0]
    assert perspective.name == first
    assert all(question.startswith(perspective.keywords[0]) for question in perspective.questions)


def test_the_domain_counts_as_the_topic_does() -> None:
    assert looked_at("Norvik", domain="history").perspectives[0].name == "Historian"


def test_questions_are_about_the_topic_and_keywords_come_from_it() -> None:
    found = looked_at("What does replication in Norvik cost?").perspectives

    (perspective,) = [each for each in found if each.name == "Business analyst"]
    assert all("replication" in question.lower() for question in perspective.questions)
    assert "Norvik" in perspective.keywords


@given(st.text(min_size=1, max_size=80), st.integers(1, 7), st.sampled_from(["en", "ja", "de"]))
def test_any_topic_gets_as_many_different_readers_as_were_asked_for(topic: str, number: int, language: str) -> None:
    found = looked_at(topic, language=language, number=number)

    assert len({perspective.name for perspective in found.perspectives}) == number
    assert all(len(perspective.questions) == 3 and perspective.focus for perspective in found.perspectives)
    assert found == looked_at(topic, language=language, number=number)
