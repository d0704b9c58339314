"""`fathom prompts`: what language models are told, and what replaces it."""

from __future__ import annotations

import json
from pathlib import Path

from fathom.prompts import Prompts
from tests.cli.conftest import Call

NAME = "extract_findings"


def test_every_prompt_is_listed_with_its_ask_and_where_it_comes_from(call: Call, tmp_path: Path) -> None:
    (tmp_path / f"{NAME}.md").write_text("Read on.\n---\n{{ query }}\n")

    own = json.loads(call("prompts", "list", "--format", "json").out)
    mine = json.loads(call("prompts", "list", "--prompts", tmp_path, "--format", "json").out)

    assert [row["name"] for row in own] == list(Prompts().names)
    assert {"name": NAME, "ask": "ExtractFindings", "own": True} in own
    assert {"name": NAME, "ask": "ExtractFindings", "own": False} in mine
    assert f"{NAME}  " in call("prompts", "list").out


def test_a_prompt_is_shown_as_it_is_in_force_by_either_name(call: Call, here: Path) -> None:
    assert call("prompts", "show", NAME).out == Prompts().source(NAME)
    assert call("prompts", "show", "ExtractFindings").out == Prompts().source(NAME)

    (here / "mine").mkdir()
    (here / "mine" / f"{NAME}.md").write_text("Read on.\n---\n{{ query }}")
    (here / "fathom.toml").write_text('prompts = "mine"')
    assert call("prompts", "show", NAME).out == "Read on.\n---\n{{ query }}\n"


def test_a_prompt_that_is_not_there_is_guessed_at(call: Call) -> None:
    done = call("prompts", "show", "ExtractFinding")
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "Did you mean 'extract_findings'?" in done.complaints[0]


def test_a_folder_of_prompts_that_is_none_is_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "extract_findigns.md").write_text("Read on.\n---\n{{ query }}")
    assert "replaces no prompt" in call("prompts", "list", "--prompts", tmp_path).complaints[0]
    assert "There is no folder" in call("prompts", "list", "--prompts", tmp_path / "none").complaints[0]
