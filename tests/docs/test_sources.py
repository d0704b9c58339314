"""The class of the how-to page about sources works as it stands, with the command beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call, call, here, home
from tests.support.project_pages import ROOT, command_lines, fences

__all__ = ["call", "here", "home"]
PAGE = ROOT / "docs" / "how-to" / "sources.md"


def test_the_class_of_the_page_is_asked_by_the_command_of_the_page(call: Call, here: Path) -> None:
    (code,) = [fence.text for fence in fences(PAGE) if fence.language == "python"]
    (here / "my_notes.py").write_text(code, encoding="utf-8")
    (here / "notes").mkdir()
    note = "# Operations\n\n## Backups\n\nThe backups are made every night at two o'clock.\n"
    (here / "notes" / "operations.md").write_text(note, encoding="utf-8")
    first = next(words for words in command_lines(PAGE) if words[:2] == ["fathom", "research"])

    done = call(*first[1:])
    assert done.code == 0, done.err
    assert "The backups are made every night at two o'clock." in done.out
    assert "Operations › Backups" in done.out and "[S1]: <notes/operations.md>" in done.out


def test_the_promise_that_the_page_names_is_that_of_the_code(here: Path) -> None:  # noqa: ARG001
    from fathom.ports.connector import Hit

    table = [line.split("`")[1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert table == list(Hit.model_fields)


@pytest.mark.parametrize("name", ["README.md", "docs/index.md", "docs/how-to/mcp.md"])
def test_the_page_is_found(name: str) -> None:
    assert "sources.md" in (ROOT / name).read_text(encoding="utf-8")
