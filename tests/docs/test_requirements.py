"""The table of requirements: complete, and true as far as a machine can see."""

from __future__ import annotations

import importlib.util
import re

import click

from fathom.cli import commands
from tests.support.project_pages import ROOT

ROWS = re.findall(
    r"^\| (S\d\.\d+) \| ([^|]+?) \| (.+?) \| (.+?) \|$",
    (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)
COUNTS = {"S0": 73, "S1": 83, "S2": 39, "S3": 32, "S4": 39}
TAGS = {"C", "R", "Sch", "L", "Rt", "CLI", "DB", "T", "Gap", "F", "D", "!"}


def test_every_requirement_is_there_once_and_in_order() -> None:
    assert [row[0] for row in ROWS] == [
        f"{seed}.{number}" for seed, count in COUNTS.items() for number in range(1, count + 1)
    ]


def test_every_row_has_a_tag_and_a_status() -> None:
    assert [row[0] for row in ROWS if row[1] not in TAGS] == []
    assert [row[0] for row in ROWS if not re.match(r"(met|partly|not yet|other)\b", row[3])] == []


def test_whatever_a_row_names_exists() -> None:
    named = [(row[0], name) for row in ROWS for name in re.findall(r"`([^`]+)`", row[3])]

    assert [f"{id} names {name}, which is not there" for id, name in named if not exists(name)] == []


def test_a_row_that_is_met_says_where() -> None:
    met = [row for row in ROWS if row[3].startswith(("met", "partly"))]

    assert met
    assert [row[0] for row in met if "`" not in row[3] and "](" not in row[3]] == []


def test_the_counts_are_those_of_the_rows() -> None:
    told = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
    counts = [sum(row[3].startswith(status) for row in ROWS) for status in ("met", "partly", "not yet", "other")]
    said = re.search(
        r"In this version (\d+) are met, (\d+) partly, (\d+) not yet, and (\d+) is settled otherwise", told
    )
    assert said
    assert [int(number) for number in said.groups()] == counts


def exists(name: str) -> bool:
    """Whether a path, a test, a module, something in a module, a command or a target of make is there."""
    if name.startswith("tests/") and "::" in name:
        path, _, test = name.partition("::")
        return (ROOT / path).is_file() and f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
    if name.startswith("fathom "):
        return name.split()[1] in commands.list_commands(click.Context(commands))
    if name.startswith("make "):
        return f"\n{name.split()[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
    if name.startswith("--"):
        return any(name in option.opts for command in _every(commands) for option in command.params)
    if name.startswith("fathom."):
        module, _, attribute = name.partition(":")
        if importlib.util.find_spec(module) is None:
            return False
        return not attribute or hasattr(importlib.import_module(module), attribute)
    return (ROOT / name).exists()


def _every(group: click.Group) -> list[click.Command]:
    found: list[click.Command] = []
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        found += _every(command) if isinstance(command, click.Group) else [command]
    return found
