"""What the tests of languages share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import fathom
from fathom.settings import load_settings

Told = Callable[[str, dict[str, str]], Awaitable[str]]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """The report on a question, from files by name."""

    async def research(question: str, files: dict[str, str]) -> str:
        (tmp_path / "docs").mkdir()
        for name, text in files.items():
            (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
        settings = load_settings(home=tmp_path / "home")
        return (await fathom.research(question, documents=[tmp_path / "docs"], settings=settings)).markdown

    return research
