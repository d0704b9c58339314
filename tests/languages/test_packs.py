"""What is known of a language stands in one file, and a file is enough for a language."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom.languages.packs import Language, either, pack, pack_for, packs, words
from tests.support.patterns import fault_of

CODES = [each.code for each in packs()]
FRAMES = ("report", "page", "judgement")
"""What only whole languages have; `tests/text/test_phrases.py` looks at each phrase."""


def topics(language: Language) -> dict[str, Any]:
    """All that a file says, by table and key, besides what reports say."""
    return {f"{name}.{key}": told for name in language.tables for key, told in language.table(name).items()}


@pytest.mark.parametrize("code", CODES)
def test_a_file_says_only_what_the_english_one_explains_and_in_the_same_form(code: str) -> None:
    english, own = topics(pack("en")), {name: told for name, told in topics(pack(code)).items() if "units." not in name}
    assert own.keys() <= english.keys()
    assert [name for name, told in own.items() if type(told) is not type(english[name])] == []


@pytest.mark.parametrize("code", CODES)
def test_a_file_that_is_parsed_table_by_table_says_the_same_as_the_whole(code: str) -> None:
    whole = tomllib.loads((Path(fathom.__file__).parent / "languages" / f"{code}.toml").read_text(encoding="utf-8"))
    assert {name: pack(code).table(name) for name in pack(code).tables} == whole


def test_nothing_is_explained_that_no_language_has() -> None:
    unsaid = [topic for topic in topics(pack("en")) if not any(each.holds(topic) for each in packs())]
    assert unsaid == []


@pytest.mark.parametrize("code", [*CODES, "fi", "und", ""])
def test_every_language_answers_every_question_about_it(code: str) -> None:
    for topic, known in topics(pack("en")).items():
        assert type(pack(code).holds(topic)) is type(known), topic
    for table in pack("en").tables:
        assert pack(code).says(table).keys() >= pack("en").table(table).keys()


@pytest.mark.parametrize("code", CODES)
def test_every_pattern_of_a_language_is_one_and_takes_no_exponential_time(code: str) -> None:
    for table, text in pack(code).tables.items():
        given = dict.fromkeys(set(re.findall(r"<<(\w+)>>", text)) - pack("en").table(table).keys(), "x")
        for key in re.findall(r"^(\w+) = (?:\[\n\s*)?'", text, re.MULTILINE):
            for pattern in pack(code).patterns(f"{table}.{key}", **given):
                assert fault_of(pattern, re.IGNORECASE, exponential_only=True) is None, (table, key)


@pytest.mark.parametrize("code", CODES)
def test_a_language_that_reports_are_written_in_has_all_that_they_say(code: str) -> None:
    held = [name in pack(code).tables for name in FRAMES]
    assert all(held) or not any(held)


def test_a_language_without_a_file_has_no_words_and_is_told_in_english() -> None:
    assert (pack("fi").holds("about.name"), pack("fi").words("words.function"), pack("fi").pattern("reach.own")) == (
        "",
        (),
        "",
    )
    assert pack("fi").says("report") == pack("en").says("report")
    assert pack("../ja").tables == {}


def test_a_question_about_a_language_that_no_file_explains_is_an_error() -> None:
    for ask in (pack("de").holds, words, either):
        with pytest.raises(KeyError):
            ask("reach.nowhere")


def test_a_text_in_letters_of_a_kind_is_told_of_in_a_language_that_has_them() -> None:
    assert [pack_for(text, "de").code for text in ("屋根", "Dach", "")] == ["ja", "de", "de"]


def with_file(code: str, folder: Path) -> dict[str, str]:
    """An environment in which Fathom has the file of one more language, and nothing else that is new."""
    shutil.copytree(Path(fathom.__file__).parent, folder / "src" / "fathom")
    shutil.copy(Path(__file__).with_name(f"{code}.toml"), folder / "src" / "fathom" / "languages")
    return {**os.environ, "PYTHONPATH": str(folder / "src"), "FATHOM_HOME": str(folder / "home")}


def test_one_file_is_all_that_a_new_language_takes(tmp_path: Path) -> None:
    environment = with_file("eo", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "regularo.md").write_text(
        "# Regularo\n\nLa kotizo estas 40 eŭroj, ekz. Por infanoj ĝi estas malpli alta.\n\n"
        "La ŝlosilo pendas ĉe la pordo de la domo.\n",
        encoding="utf-8",
    )
    shown = """
from fathom.languages.readers import reader_of
from fathom.text.analysis import query_terms
from fathom.text.dates import without_days
from fathom.text.language import detect, name_of
from fathom.text.reach import speaks_of_own
from fathom.text.sentences import sentences

asked = "Kiom estas la kotizo kaj kie estas nia ŝlosilo?"
told = "Ĝi kostas, ekz. Por infanoj, p-o 3. Poste ne."
print(detect(asked), name_of("eo"), speaks_of_own(asked), *query_terms(asked))
print([each.text for each in reader_of(asked, "eo").clauses(asked)[1]])
print([told[start:end] for start, end in sentences(told)])
print(without_days("Ekde la 3-a de majo 2024."))
"""
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines() == [
        "eo Esperanto True kotizo slosilo",
        "['Kiom estas la kotizo', 'kie estas nia ŝlosilo']",
        "['Ĝi kostas, ekz. Por infanoj, p-o 3.', 'Poste ne.']",
        "('Ekde la 2024.', ['2024-05-03'])",
    ], done.stderr

    line = ["-m", "fathom", "research", "Kiom estas la kotizo kaj kie estas la ŝlosilo?", "--docs", "docs"]
    report = subprocess.run([sys.executable, *line], capture_output=True, text=True, env=environment, cwd=tmp_path)
    heads = [line for line in report.stdout.splitlines() if line.startswith("## ")]
    assert heads == ["## Kiom estas la kotizo · Kie estas la ŝlosilo", "## Fontoj"], report.stderr
    assert "2 lokoj, laŭvorte el 1 dokumento." in report.stdout
