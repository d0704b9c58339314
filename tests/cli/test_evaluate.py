"""`fathom eval`, over a set of one question."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Call

SET = """
[[question]]
id = "scope-1"
corpus = "notes"
query = "How is a name looked up in a scope?"
pages = ["naming.md"]
[[question.facts]]
name = "nearest"
pattern = 'nearest enclosing scope'
pages = ["naming.md"]
"""


def test_a_set_is_scored_against_its_facts_and_pages(call: Call, notes: Path, tmp_path: Path) -> None:
    file = tmp_path / "set.toml"
    file.write_text(SET, encoding="utf-8")

    done = call("eval", file, "--corpora", notes.parent, "--format", "json")

    assert done.code == 0
    assert [(row["question"], row["facts_found"]) for row in json.loads(done.out)] == [("scope-1", ["nearest"])]
    assert "1.00" in call("eval", file, "--corpora", notes.parent).out
