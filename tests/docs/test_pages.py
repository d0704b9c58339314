"""What the pages say exists: commands, flags, settings, targets, links, code."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import click
import pytest

from fathom.cli import commands
from fathom.data.fields import FieldMapping
from fathom.limits import Limits
from fathom.search import searches
from fathom.settings import Settings
from tests.support.project_pages import PAGES, ROOT, anchors, command_lines, fences, links, name_of

pages = pytest.mark.parametrize("page", PAGES, ids=name_of)
OURS = {"fathom", "fathom_testing"}


def fault_of(words: list[str]) -> str | None:
    """What is wrong with a `fathom` command line; `None` when it would be understood."""
    command: click.Command = commands
    rest = words[1:]
    while isinstance(command, click.Group):
        names = command.list_commands(click.Context(command))
        if not rest or rest[0].startswith("-"):
            break
        alternatives = rest[0].split("|") if "|" in rest[0] else [rest[0]]
        if unknown := [name for name in alternatives if name not in names]:
            return f"there is no command {unknown[0]}"
        if len(alternatives) > 1:
            return None
        found = command.get_command(click.Context(command), rest.pop(0))
        assert found is not None
        command = found
    known = {flag for option in command.params for flag in [*option.opts, *option.secondary_opts]}
    flags = [word.split("=")[0] for word in rest if re.match(r"--?[a-z]", word)]
    unknown = [flag for flag in flags if flag not in known | {"--help", "-h"}]
    return f"{command.name} has no {unknown[0]}" if unknown else None


@pages
def test_every_command_and_flag_of_the_pages_exists(page: Path) -> None:
    faults = [(words, fault_of(words)) for words in command_lines(page) if words[0] == "fathom"]

    assert [fault for fault in faults if fault[1]] == []


@pages
def test_every_target_of_make_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = {word for words in command_lines(page) if words[0] == "make" for word in words[1:] if "=" not in word}

    assert named - targets == set()


@pages
def test_every_environment_variable_of_the_pages_is_a_setting(page: Path) -> None:
    known = {f"FATHOM_{name.upper()}" for name in Settings.model_fields}
    known |= {f"FATHOM_LIMITS__{name.upper()}" for name in Limits.model_fields}
    known |= {f"FATHOM_SEARCH_{table}__{name.upper()}" for table in ("RATES", "COSTS") for name in searches.names()}

    assert set(re.findall(r"\bFATHOM_[A-Z_]*[A-Z]", page.read_text(encoding="utf-8"))) - known == set()


@pages
def test_every_settings_file_of_the_pages_is_accepted(page: Path) -> None:
    for fence in fences(page):
        if fence.language == "toml" and "which field plays which part" in fence.text:
            found = {name: FieldMapping.model_validate(each) for name, each in tomllib.loads(fence.text).items()}
            assert found
        elif fence.language == "toml" and "[[question" not in fence.text:
            settings = Settings.model_validate(tomllib.loads(fence.text))
            Limits.for_effort(settings.effort, **settings.limits)


@pages
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    for target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target} is not there"
        if fragment and file.suffix == ".md":
            assert fragment in anchors(file), f"{target} has no such heading"


@pages
def test_python_in_the_pages_names_what_fathom_has(page: Path) -> None:
    for fence in fences(page):
        if fence.language == "python":
            for node in ast.walk(ast.parse(fence.text)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
                    module = importlib.import_module(node.module or "")
                    assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "fathom":
                    assert hasattr(importlib.import_module("fathom"), node.attr), f"fathom has no {node.attr}"


def test_the_tutorial_tells_the_question_of_the_demo() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    asked = re.search(r"^QUESTION \?= (.+)$", makefile, flags=re.MULTILINE)
    assert asked is not None
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8").replace("\n> ", " ")

    assert asked[1] in tutorial


def test_a_page_with_a_wrong_command_would_be_found() -> None:
    assert fault_of(["fathom", "research", "question", "--dcos", "notes"]) == "research has no --dcos"
    assert fault_of(["fathom", "serach"]) == "there is no command serach"
    assert fault_of(["fathom", "kb", "status"]) is None
