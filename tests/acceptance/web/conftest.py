"""Fathom and a little web, each test with both of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom_testing.little_web import LittleWeb
from tests.cli.conftest import call, here, home, spawn

__all__ = ["call", "here", "home", "spawn"]


@pytest.fixture
def web(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LittleWeb]:  # noqa: ARG001 - `here` unsets first
    """A little web that the settings name."""
    with LittleWeb(size=8) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def notes(tmp_path: Path, web: LittleWeb) -> Path:
    """A folder with one document, which says of a bridge what the web says, one thing otherwise, and one of its own."""
    bridge = web.world.topics[0]
    folder = tmp_path / "notes"
    folder.mkdir()
    text = (
        f"# Our notes on the {bridge.name}\n\n{bridge.facts[0].sentence} {bridge.wrong.sentence} "
        f"Our inspection of the {bridge.name} found 17 cracked bearings in the northern pier.\n"
    )
    (folder / "bridge.md").write_text(text, encoding="utf-8")
    return folder
