"""A home that nobody may write to can be listed, searched and replayed; a home is for its user alone."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.cli import main
from tests.cli.conftest import QUESTION, Call

NOBODY = 65_534


def as_nobody(arguments: list[str]) -> int:
    """What a command exits with that runs without the right to write; this process has run it before, so that all that
    it imports is there."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        main(arguments)
    except SystemExit as ended:
        sys.stdout.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 0)
    finally:
        os._exit(70)


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A folder that others may look into: those of tests are for the user who runs them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only the superuser can run as somebody else")
@pytest.mark.parametrize("left", ["closed", "killed"])
def test_a_home_that_nobody_may_write_to_can_be_looked_at(
    call: Call,
    notes: Path,
    left: str,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    everybodys: Path,
) -> None:
    home = everybodys / "home"
    monkeypatch.setenv("FATHOM_HOME", str(home))
    call("ingest", notes)
    call("research", QUESTION)
    run_id = call("runs").out.split()[0]
    looks = [["runs"], ["show", run_id], ["sources", run_id], ["replay", run_id], ["kb", "search", "a scope"]]
    held = [sqlite3.connect(path) for path in home.rglob("*.sqlite3")] if left == "killed" else []
    for connection in held:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    right = [call(*look).out for look in looks]
    for path in (*home.rglob("*"), home):
        path.chmod(0o555 if path.is_dir() else 0o444)
    capfdbinary.readouterr()
    for look, out in zip(looks, right, strict=True):
        code = as_nobody(look)
        captured = capfdbinary.readouterr()
        assert code == 0, captured.err.decode()
        assert captured.out.decode() == out
    assert as_nobody(["delete", run_id]) == 1
    assert b"cannot be written" in capfdbinary.readouterr().err
    for connection in held:
        connection.close()


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_a_home_is_for_its_user_alone(call: Call, home: Path, notes: Path) -> None:
    call("ingest", notes)
    call("research", QUESTION)
    for path in (home, *home.rglob("*")):
        assert not path.stat().st_mode & 0o077, path
    assert call("doctor").code == 0
    home.chmod(0o755)
    assert "chmod -R go-rwx" in call("doctor").out
