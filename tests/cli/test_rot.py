"""Bytes that rot: whatever changes in a file of the home, a command says one clear line or gives the right answer."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from tests.cli.conftest import QUESTION, Call, Done

COMMANDS = (
    ("runs",),
    ("show", "RUN"),
    ("sources", "RUN"),
    ("source", "RUN", "S1"),
    ("replay", "RUN"),
    ("kb", "search", "How is a name looked up in a scope?"),
    ("kb", "status"),
    ("resume", "RUN"),
    ("resume", "STOPPED"),
    ("research", QUESTION),
    ("doctor",),
)
SEED = int(os.environ.get("ROT_SEED", "13"))
_CHANGING = re.compile(
    r"run_\w+|\d+(\.\d+)? (m?s|calls?|runs?|KB|MB|GB)\b|\d{4}-\d\d-\d\d[T ][\d:.+Z]*|in \d.*|\d+\.\d+ [GM]B free"
)


def a_home(call: Call, home: Path, notes: Path, folder: Path, *, is_whole: bool) -> dict[str, str]:
    """Fill the home with a finished run, if it is to be whole also with one that was stopped, and leave a copy of it;
    the runs by what they are."""
    call("ingest", notes)
    call("research", QUESTION)
    if is_whole:
        call("research", "What is a context manager?", "--max-calls", "5")
    runs = [line.split()[0] for line in call("runs").out.splitlines()]
    held = [sqlite3.connect(file) for file in (home / "runs.sqlite3", *home.glob("knowledge/*.sqlite3"))]
    for connection in held:  # who holds a file open keeps its log: so a killed process leaves it
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    call("research", "Who handles an exception?")
    shutil.copytree(home, folder)
    for connection in held:
        connection.close()
    return {"RUN": runs[-1], "STOPPED": runs[0]}


def same(done: Done) -> str:
    """What a command says, without what differs from time to time."""
    return _CHANGING.sub("…", done.out)


def flipped(data: bytes, chance: Random) -> tuple[bytes, int]:
    """One bit of it is another, and where: somewhere, or at the head of some page, where it does most harm."""
    at = chance.randrange(len(data))
    if chance.random() < 0.3:
        at = min(at // 4096 * 4096 + chance.randrange(120), len(data) - 1)
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :], at


def broken_off(log: bytes, at: int) -> bytes | None:
    """SQLite's log without the piece of which that byte is in the head, and what follows; `None` for any other byte.

    The head of the last piece says that it ends a commit: where it does not, nobody can tell that from a commit which
    the end of its process has broken off.
    """
    step = 24 + int.from_bytes(log[8:12], "big")
    piece, within = divmod(at - 32, step)
    return log[: 32 + piece * step] if piece >= 0 and within < 24 else None


def wrongs(
    call: Call, home: Path, notes: Path, folder: Path, *, flips: int, seed: int, commands: Sequence[tuple[str, ...]]
) -> str:
    """What went wrong with the commands in so many flips."""
    runs = a_home(call, home, notes, folder, is_whole=commands is COMMANDS)
    chance = Random(seed)

    def fresh() -> None:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(folder, home)

    def ask(command: tuple[str, ...]) -> Done:
        return call(*(runs.get(word, word) for word in command))

    right = {}
    for command in commands:
        fresh()
        right[command] = same(ask(command))
    found = []
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    for flip in range(flips):
        name = files[flip % len(files)]
        whole = (folder / name).read_bytes()
        damaged, at = flipped(whole, chance)
        for command in commands:
            fresh()
            (home / name).write_bytes(damaged)
            try:
                done = ask(command)
            except BaseException as error:  # noqa: BLE001 - it is what must not be, whatever it is
                found.append(f"{flip} {name} {' '.join(command)}: {error!r}")
                continue
            if len(done.complaints) == 1 and done.code and "Traceback" not in done.err:
                continue
            if command == ("doctor",) and done.code == 1 and "✗" in done.out:  # its lines are its answer
                continue
            if name.suffix.endswith("-wal") and (rest := broken_off(whole, at)) is not None:
                fresh()
                (home / name).write_bytes(rest)
                if (without := ask(command)).code == done.code and same(without) == same(done):
                    continue
            if done.code or done.complaints or same(done) != right[command]:
                found.append(
                    f"{flip} {name} {' '.join(command)}: {done.code} {done.err[-300:]!r} {same(done)[-300:]!r}"
                )
    return "\n".join(found)


def test_one_bit_that_flips_costs_a_clear_line_at_most(call: Call, home: Path, notes: Path, tmp_path: Path) -> None:
    commands = (("source", "RUN", "S1"), ("replay", "RUN"), ("kb", "search", "scope"))
    wrong = wrongs(call, home, notes, tmp_path / "kept", flips=6, seed=11, commands=commands)
    assert not wrong, wrong


@pytest.mark.soak
def test_many_bits_that_flip_cost_a_clear_line_at_most(call: Call, home: Path, notes: Path, tmp_path: Path) -> None:
    wrong = wrongs(call, home, notes, tmp_path / "kept", flips=120, seed=SEED, commands=COMMANDS)
    assert not wrong, wrong
