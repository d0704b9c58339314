"""The fixed phrases of a report."""

from __future__ import annotations

import dataclasses
import string

import pytest

from fathom.languages.packs import pack
from fathom.render.html.words import Words, words
from fathom.text.own import is_own
from fathom.text.phrases import LANGUAGES, Phrases, phrases


def slots(text: str) -> set[str]:
    """Names of the `{…}` in a phrase."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("table", ["report", "page", "judgement"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_phrase_and_fills_in_the_same_values(language: str, table: str) -> None:
    english, told = pack("en").table(table), pack(language).table(table)
    assert told.keys() == english.keys()
    if table != "judgement":
        assert english.keys() == {field.name for field in dataclasses.fields({"report": Phrases, "page": Words}[table])}
    for name, phrase in english.items():
        theirs = told[name]
        if isinstance(phrase, dict):
            assert theirs.keys() == phrase.keys(), name
            assert all(slots(theirs[key]) == slots(phrase[key]) for key in phrase), name
        else:
            assert theirs, name
            assert slots(theirs) == slots(phrase), name


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_no_sentence_of_a_frame_is_left_in_english(language: str) -> None:
    english, told = ({**pack(each).table("report"), **pack(each).table("judgement")} for each in ("en", language))
    assert [
        name
        for name, phrase in english.items()
        if isinstance(phrase, str) and phrase.count(" ") > 2 and phrase == told[name]
    ] == []


def test_a_language_without_phrases_of_its_own_gets_the_english_ones() -> None:
    assert phrases("fi") == phrases("en")
    assert words("und") == words("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_limit_of_a_run_is_named_in_words(language: str) -> None:
    spent = {"max_calls", "max_tokens", "max_cost", "max_time", "max_subtasks", "unavailable"}
    assert phrases(language).partial.keys() == spent | {"cancelled", "written_early"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_of_any_language_is_known_as_fathoms_own(language: str) -> None:
    words = phrases(language)
    told = words.footer.format(claims=9, verdicts=words.counts({"quoted": 5, "partial": 3, "unsupported": 1}))
    assert is_own(b"", f"Some text.\n{told}\n")
    assert is_own(b"", told.replace("\u00a0", " "))
