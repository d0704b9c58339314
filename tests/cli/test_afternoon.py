"""A stranger's afternoon at a real terminal, where the plan is edited and what is asked on the way answered."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.support.apiary import PAPERS

QUESTION = (
    "What do I have to do before I leave a hive for the winter, who is the swarm officer, and what does a hive cost?"
)
GATE = "When is the gate of the apiary shut?"
PATIENCE = 60
WIDE, HIGH = 120, 40
OF_A_PLAN, OF_ALL_ELSE = "q rejects\r\n", "q rejects it\r\n"


class Terminal:
    """A command in a terminal, and somebody who reads and types there."""

    def __init__(self, command: subprocess.Popen[bytes], end: int) -> None:
        self.command = command
        self.shown = ""
        self._end = end
        self._read = 0

    def sees(self, words: str) -> str:
        """Wait for words behind those that were waited for last; all that has come till then."""
        shown = self.meets(words)
        assert shown is not None, f"{words!r} is not in\n{self.shown[self._read :]}"
        return shown

    def meets(self, words: str) -> str | None:
        """The same; `None` when the command ends without them."""
        while (at := self.shown.find(words, self._read)) < 0:
            if not self._more():
                return None
        before, self._read = self.shown[self._read : at], at + len(words)
        return before

    def types(self, line: str) -> None:
        os.write(self._end, f"{line}\n".encode())

    def ends(self) -> str:
        """Approve whatever it asks on the way until it has ended, which must be well; what it has shown meanwhile."""
        before = self._read
        while self.meets(OF_ALL_ELSE) is not None:
            self.types("a")
        assert self.command.wait(PATIENCE) == 0, self.shown
        return self.shown[before:]

    def _more(self) -> bool:
        if not select.select([self._end], [], [], PATIENCE)[0]:
            return False
        try:
            got = os.read(self._end, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", got.decode("utf-8", "replace"))
        return bool(got)


@contextmanager
def in_a_terminal(*arguments: str | Path) -> Iterator[Terminal]:
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", HIGH, WIDE, 0, 0))
    command = [sys.executable, "-m", "fathom", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside)
    os.close(inside)
    try:
        yield Terminal(process, terminal)
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


@pytest.fixture
def papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TERM", "xterm-256color")
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in PAPERS.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def newest(call: Call) -> str:
    """Id of the run that was begun last."""
    return str(json.loads(call("runs", "--format", "json").out)[0]["run_id"])


def test_a_strangers_afternoon(call: Call, papers: Path) -> None:
    # the plan is edited, and estimated anew
    asking = ("--docs", papers, "--approve", "plan")
    with in_a_terminal("research", QUESTION, *asking, "--out", "first.md") as terminal:
        proposed = terminal.sees(OF_A_PLAN)
        for line in (f"r 3 {GATE}", "3 after 1", "4 after 1", "+ Should we allow a fourth hive for the club?"):
            terminal.types(line)
            shown = terminal.sees(OF_A_PLAN)
        assert "There is no part '4'" in terminal.shown and f"3  {GATE}  (after 1)" in shown
        taken = [re.search(r"It takes about (\d+) calls", each) for each in (proposed, shown)]
        assert all(taken) and taken[0] and taken[1] and int(taken[0][1]) < int(taken[1][1])

        # from another terminal it is seen to wait; then it is answered what it asks
        run = newest(call)
        assert "waiting for you (plan)" in call("runs").out
        assert f"Waiting for you: fathom approve {run} --show" in call("show", run).out
        assert "swarm officer" in call("approve", run, "--show").out
        terminal.types("a")
        terminal.ends()
    assert "Put the mouse guard on." in Path("first.md").read_text(encoding="utf-8")

    # it is asked on, twice, and a sentence is researched further
    last = run
    for query, says in (("And who is the swarm officer?", "Ida"), ("And when is the gate shut?", "19:30")):
        with in_a_terminal("ask", last, query) as terminal:
            terminal.sees(OF_A_PLAN)
            terminal.types("a")
            assert says in terminal.ends()
        last = newest(call)
    claims = json.loads(call("replay", run, "--json", "-").out)["claims"]
    about = next(each["id"] for each in claims if "mouse guard" in each["text"])
    with in_a_terminal("ask", run, "--about", about) as terminal:
        terminal.sees(OF_A_PLAN)
        terminal.types("a")
        terminal.ends()
    assert f"(follows {run} on {about})" in call("runs").out

    # one document is changed, and the question asked again
    (papers / "rules.md").write_text(PAPERS["rules"].replace("at 19:30", "at 20:15"), encoding="utf-8")
    with in_a_terminal("update", run) as terminal:
        assert f"3  {GATE}  (after 1)" in terminal.sees(OF_A_PLAN), "the plan as it was edited"
        terminal.types("a")
        told = terminal.ends()
    changed = told[told.index("What has changed") :]
    assert "19:30" in changed and "20:15" in changed
