"""The fixed phrases of a report."""

from __future__ import annotations

import dataclasses
import string

import pytest

from fathom.text.phrases import Phrases, phrases


def slots(text: str) -> set[str]:
    """Names of the `{…}` in a phrase."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Phrases)])
def test_a_translated_phrase_takes_the_same_values_as_the_english_one(field: str) -> None:
    english, japanese = getattr(phrases("en"), field), getattr(phrases("ja"), field)
    if isinstance(english, dict):
        assert english.keys() == japanese.keys()
        assert all(slots(english[key]) == slots(japanese[key]) for key in english)
    else:
        assert slots(english) == slots(japanese)
        assert english and japanese


def test_a_language_without_phrases_of_its_own_gets_the_english_ones() -> None:
    assert phrases("fr") is phrases("en")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_limit_of_a_run_is_named_in_words(language: str) -> None:
    spent = {"max_calls", "max_tokens", "max_cost", "max_time", "max_subtasks", "unavailable", "cancelled"}
    assert phrases(language).partial.keys() == spent
