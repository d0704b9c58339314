"""The words of the page: every language says everything."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from fathom.plan import SubtaskStatus
from fathom.ports import RunStatus
from fathom.sessions.progress import Doing, Phase
from fathom.text.phrases import phrases

FATHOM = Path(__file__).parents[2] / "src" / "fathom"
STATIC = FATHOM / "page" / "static"
LANGUAGES = ("en", "ja")
TEXT = r'"((?:[^"\\]|\\.)*)"'


def table(language: str) -> dict[str, list[str]]:
    """The forms of each key: one, or one per number."""
    words = (STATIC / "words" / f"{language}.js").read_text(encoding="utf-8")
    [body] = re.findall(rf"^export const {language} = \{{\n(.*?)^\}};", words, re.MULTILINE | re.DOTALL)
    found: dict[str, list[str]] = {}
    for line in body.split("\n"):
        if not line or line.startswith("  //"):
            continue
        match = re.fullmatch(rf'  "([\w.]+)": (?:{TEXT}|(\{{ .* \}})),', line)
        assert match, f"not in the form of the table: {line}"
        assert match[1] not in found, f"twice in the table: {match[1]}"
        found[match[1]] = re.findall(rf"\w+: {TEXT}", match[3]) if match[3] else [match[2]]
    return found


TABLES = {language: table(language) for language in LANGUAGES}
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js") if path.name != "words.js"}


def used() -> tuple[set[str], set[str]]:
    """The keys that scripts name, and the beginnings of those that they put together."""
    keys = {key for text in SCRIPTS.values() for key in re.findall(r'["`]([a-z_]+(?:\.[\w]+)*)["`]', text)}
    beginnings = {start for text in SCRIPTS.values() for start in re.findall(r"\bt\(`([a-z_.]+\.)\$\{", text)}
    return keys, beginnings


def test_every_language_has_the_same_keys() -> None:
    for language in LANGUAGES:
        assert TABLES[language].keys() == TABLES["en"].keys(), language


def test_a_translation_names_the_same_values() -> None:
    def values(language: str) -> dict[str, set[str]]:
        return {
            key: {name for form in forms for name in re.findall(r"\{(\w+)\}", form)} - {"n"}
            for key, forms in TABLES[language].items()
        }

    for language in LANGUAGES:
        assert values(language) == values("en"), language


def test_every_key_that_is_asked_for_has_words() -> None:
    asked = {key for text in SCRIPTS.values() for key in re.findall(r'\bt\("([^"]+)"', text)}
    _, beginnings = used()

    assert asked
    assert asked - TABLES["en"].keys() == set()
    assert [start for start in beginnings if not any(key.startswith(start) for key in TABLES["en"])] == []


def test_no_words_are_left_over() -> None:
    keys, beginnings = used()

    assert [key for key in TABLES["en"] if key not in keys and not key.startswith(tuple(beginnings))] == []


def test_whatever_can_be_the_case_has_words() -> None:
    keys = {
        *(f"status.{status}" for status in get_args(RunStatus)),
        *(f"subtask.{status}" for status in get_args(SubtaskStatus)),
        *(f"doing.{name}" for name in get_args(Doing) if name != "because"),
        *(f"phase.{name}" for name in get_args(Phase)),
        *(f"trouble.{kind}" for kind in re.findall(r"^  (\w+): trouble,$", SCRIPTS["run.js"], re.MULTILINE)),
        *(f"stopped.{reason}" for reason in phrases("en").partial),
        *(f"problem.{name}" for name in re.findall(r'(?:name: |\d: )"(\w+)"', SCRIPTS["api.js"])),
    }

    assert keys
    assert keys - TABLES["en"].keys() == set()


def test_the_history_knows_every_reason_why_a_report_is_incomplete() -> None:
    [known] = re.findall(r"^const STOPPED = \[(.*)\];$", SCRIPTS["history.js"], re.MULTILINE)

    assert set(re.findall(r'"(\w+)"', known)) == set(phrases("en").partial)


def test_words_are_told_apart_from_what_a_program_says() -> None:
    """A reader who has chosen Japanese is not shown English, but for names."""
    english = {
        key
        for key, forms in TABLES["ja"].items()
        if any(form != form.upper() and not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", form) for form in forms)
    }

    assert english == set()


def given(folder: Path, *names: str) -> Iterator[str]:
    """What is said as a text where one of these is called or yielded, with a figure for each value in it."""

    def text(part: ast.expr) -> str:
        if isinstance(part, ast.JoinedStr):
            return "".join(text(each) for each in part.values)
        return str(part.value) if isinstance(part, ast.Constant) else "7"

    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            said = node.args if isinstance(node, ast.Call) and called in names else ()
            said = [node.value] if isinstance(node, ast.Yield) and "yield" in names and node.value else said
            yield from (text(each) for each in said if isinstance(each, (ast.Constant, ast.JoinedStr)))


def test_what_the_service_says_of_a_file_or_a_sentence_is_said_in_japanese() -> None:
    words = (STATIC / "words" / "ja.js").read_text(encoding="utf-8")
    said = re.findall(r'^  \[/(.+)/s?, "(.+)"\],$', words, re.MULTILINE)
    files = [*given(FATHOM / "reading", "Unreadable"), *given(FATHOM / "datasets", "Unreadable")]
    sentences = [*given(FATHOM / "verification", "Verdict", "yield")]
    lines = {line for line in (*files, *sentences) if re.match(r"its? |7 \w+ |the source |nothing ", line)}
    lines -= {
        line for line in lines if re.search("counts$|cites nothing|leads in|against it$|^it is 7$", line)
    }  # of reports

    def told(line: str) -> str:
        return next((words for pattern, words in said if re.search(pattern, line, re.DOTALL)), "")

    assert len(said) > 20
    assert len(lines) > 50
    assert "\n".join(line for line in sorted(lines) if not told(line)) == ""
