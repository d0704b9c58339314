"""`fathom eval` where something is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

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


def test_half_a_corpus_on_the_web_without_the_doubles_is_one_line_before_anything_is_asked(
    call: Call, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("fathom_testing", "fathom_testing.little_web"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    file = tmp_path / "set.toml"
    file.write_text(SET, encoding="utf-8")

    done = call("eval", file, "--corpora", notes.parent, "--half-web")

    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == done.complaints
    assert "needs the package fathom-testing: pip install fathom-testing" in done.complaints[0]
    assert not (notes.parent / ".fathom").exists()

    assert call("eval", file, "--corpora", notes.parent).code == 0, "nothing else needs it"
