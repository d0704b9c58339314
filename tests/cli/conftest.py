"""Fathom as a person runs it: its own process, its own home, a few small documents."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fathom.cli import main

NOTES = {
    "naming.md": """# Names

## Binding

A name refers to an object. Assignment binds a name in the current block.

## Scopes

A scope defines the visibility of a name within a block. A free variable is looked up in the nearest enclosing scope.
If a name is not found at all, a NameError exception is raised.
""",
    "exceptions.rst": """Exceptions
==========

An exception is raised at the point where the error is detected. The raise statement raises an exception explicitly.

Handling
--------

The except clause handles the exception. A finally clause is executed whether an exception occurred or not.
""",
    "context.txt": """A context manager handles the entry into and the exit from a block.

The with statement calls the exit method even when the block raises an exception.
""",
}
QUESTION = "How is a name looked up in a scope, and how are exceptions raised and handled?"

SLOW = '''
import asyncio, os, threading
from fathom.outcomes import in_thread
from fathom.reasoners.extractive import ExtractiveReasoner

class Slow(ExtractiveReasoner):
    """The reasoner that needs no model, as slow as one that does."""
    name = "slow"
    async def answer(self, ask, calls):
        if os.environ["SLOW_SECONDS"] == "for ever":
            await in_thread(threading.Event().wait)
        await asyncio.sleep(float(os.environ["SLOW_SECONDS"]))
        return await super().answer(ask, calls)

def from_settings(settings):
    return Slow()
'''


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def complaints(self) -> list[str]:
        """The lines that say what is wrong."""
        return [line for line in self.err.splitlines() if line.startswith("fathom: ")]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of three documents."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of the runs and knowledge bases; not there yet."""
    return tmp_path / "home"


@pytest.fixture
def here(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, with nothing set but the home."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in [name for name in os.environ if name.startswith(("FATHOM_", "_FATHOM")) and name != "FATHOM_RANKER"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FATHOM_HOME", str(home))
    return folder


Call = Callable[..., Done]


@pytest.fixture
def call(here: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Call:  # noqa: ARG001
    """Run a command in this process."""

    def run(*arguments: str | Path) -> Done:
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capfdbinary.readouterr()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, captured.out.decode(), captured.err.decode())

    return run


@pytest.fixture(autouse=True, scope="session")
def heard() -> Iterator[None]:
    """A shell that runs the tests behind itself has them ignore interruptions, and so all that they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def spawn(here: Path) -> Callable[..., subprocess.Popen[str]]:  # noqa: ARG001
    """Start a command in a process of its own."""

    def start(*arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "fathom", *map(str, arguments)]
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(command, text=True, encoding="utf-8", **options)

    return start


@pytest.fixture
def slow(tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - `here` unsets first
    """Install a package with a slow reasoner, and use it."""
    packages = tmp_path / "packages"
    info = packages / "fathom_slow-1.0.dist-info"
    info.mkdir(parents=True)
    (packages / "fathom_slow.py").write_text(SLOW)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fathom-slow\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fathom.reasoners]\nslow = fathom_slow:from_settings\n")
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.setenv("FATHOM_REASONER", "slow")
    monkeypatch.setenv("SLOW_SECONDS", "0.25")
