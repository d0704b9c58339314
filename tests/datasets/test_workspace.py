"""The temporary folder of a data server: its own for as long as it lives."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from fathom.datasets import workspace
from fathom.locks import locked


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("is_made", [False, True])
def test_a_folder_that_is_removed_before_it_is_locked_is_made_again(
    is_made: bool, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment between making and locking, in which another process begins, too."""
    seen = list[Path]()

    def late(path: Path, *, flags: int) -> int | None:
        if flags & os.O_CREAT and not seen:
            seen.append(path)
            if is_made:
                path.touch()
                workspace.remove_abandoned()
            else:
                path.parent.rmdir()
        return locked(path, flags=flags)

    monkeypatch.setattr("fathom.datasets.workspace.locked", late)
    made = workspace.Workspace()

    assert seen and made.path.is_dir() and seen[0].parent != made.path
    workspace.remove_abandoned()
    assert made.path.is_dir(), "it is locked"
    made.remove()
    assert not list(scratch.iterdir())


def test_a_folder_that_another_process_is_about_to_remove_is_not_taken(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = list[int]()

    def late(path: Path, *, flags: int) -> int | None:
        if flags & os.O_CREAT and not others:
            others.append(locked(path, flags=flags) or 0)
        return locked(path, flags=flags)

    monkeypatch.setattr("fathom.datasets.workspace.locked", late)
    made = workspace.Workspace()

    assert len(list(scratch.iterdir())) == 2
    os.close(others[0])
    workspace.remove_abandoned()
    assert list(scratch.iterdir()) == [made.path]
    made.remove()
