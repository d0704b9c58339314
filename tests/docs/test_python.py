"""The Python of the how-to page runs as it stands."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.project_pages import ROOT, fences

PAGE = ROOT / "docs" / "how-to" / "python.md"
NOTES = """# Coroutines

A coroutine is awaited with `await`, which suspends the caller until the coroutine ends.
A coroutine ends when it returns or raises an exception. A task runs a coroutine beside its caller.
"""


def blocks() -> Iterator[Any]:
    """The page's blocks, compiled so that `await` may stand at the top."""
    for fence in fences(PAGE):
        if fence.language == "python":
            source = fence.text.replace("asyncio.run(main())", "await main()")
            yield compile(source, f"{PAGE.name}:{fence.line}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


async def test_the_python_of_the_how_to_page_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FATHOM_HOME", str(tmp_path / "home"))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "coroutines.md").write_text(NOTES, encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page"}

    for code in blocks():
        if inspect.iscoroutine(running := eval(code, names)):
            await running

    printed = capsys.readouterr().out
    assert "quoted" in printed
    assert "run_started" in printed
    assert "No run is named 'run_0'" in printed
