"""Reading is done in a process of its own: whatever a document does to it, that document alone is refused."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import NoEvidence, NotFound, Unreadable, UsageError
from fathom.reading import bounded
from fathom.reading.readers import MOST_LINES, read_bytes

FOR_EVER = "__import__('re').match('(a*)*b', 'a' * 60)"  # in C, holding the lock of the interpreter


@pytest.fixture(autouse=True)
def _own_processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    processes: list[bounded._Process] = []
    monkeypatch.setattr(bounded, "_idle", processes)
    yield
    for process in processes:
        process.end()


def worked_out(code: str, *, seconds: float = 120.0) -> object:
    """What another process makes of an expression: it stands for a reader that does just that."""
    return bounded.ask(str, "builtins:eval", f"str({code})".encode(), seconds=seconds)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (FOR_EVER, "longer than 0.2 s"),
        ("bytearray(3_000_000_000)", "more memory than is allowed"),
        pytest.param("[b'x' * 1_000_000 for _ in range(3_000)]", "more memory than is allowed", marks=pytest.mark.soak),
        ("__import__('ctypes').string_at(0)", "it is broken"),
        ("__import__('os')._exit(0)", "it is broken"),
        ("(lambda f: f(f))(lambda f: f(f))", "reading it fails: RecursionError: maximum recursion"),
        ("'x'.encode('no-such')", "reading it fails: LookupError: unknown encoding: no-such"),
        ("'\\ud800'", "reading it fails: PydanticSerializationError"),
    ],
)
def test_whatever_a_document_does_to_its_reader_it_alone_is_refused(code: str, reason: str) -> None:
    assert worked_out("1") == "1"
    with pytest.raises(Unreadable, match=reason):
        worked_out(code, seconds=0.2 if code == FOR_EVER else 120.0)
    assert worked_out("2") == "2"


def test_what_is_read_together_shares_one_time_by_the_clock() -> None:
    with bounded.within(60):
        assert worked_out("1 + 1") == "2"
    with bounded.within(0.5), pytest.raises(UsageError, match=r"longer than 0.5 s") as raised:
        for _ in range(100):
            worked_out("__import__('time').sleep(0.2)")  # which takes no CPU
    assert type(raised.value) is UsageError
    assert worked_out("2 + 2") == "4"


def test_a_process_is_kept_for_the_next_document_and_what_it_prints_is_no_answer() -> None:
    first = worked_out("__import__('os').getpid()")
    assert worked_out("print('{}') or __import__('os').system('echo 1')") == "0"
    assert worked_out("__import__('os').getpid()") == first != str(os.getpid())


def test_a_document_is_not_refused_for_what_another_has_spoilt() -> None:
    assert worked_out("2") == "2"
    os.kill(bounded._idle[0]._process.pid, signal.SIGKILL)
    assert worked_out("3") == "3"


@pytest.mark.soak
def test_one_that_has_grown_is_not_kept() -> None:
    first = worked_out("[__import__('os').getpid(), vars(__import__('os')).update(held=b'x' * 500_000_000)][0]")
    assert worked_out("__import__('os').getpid()") != first


def test_one_is_kept_however_much_memory_the_process_holds_that_started_it() -> None:
    code = "from fathom.reading import bounded; held = b'x' * 450_000_000; ask = lambda: bounded.ask("
    code += "str, 'builtins:eval', b'str(__import__(\"os\").getpid())'); print(ask() == ask())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"


def test_documents_are_read_side_by_side() -> None:
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(worked_out, map(str, range(40)))) == [str(number) for number in range(40)]
    assert len(bounded._idle) <= max(2, os.cpu_count() or 2)


def test_an_error_that_is_expected_is_told_from_one_that_is_not() -> None:
    page: dict[str, Any] = {"media_type": "image/png", "address": "https://harbour.org/"}
    with pytest.raises(NoEvidence, match="its type cannot be read"):
        bounded.ask(str, "fathom.pages.reading:read", b"", raises=(NotFound, NoEvidence), **page)
    with pytest.raises(Unreadable, match="its type cannot be read"):
        bounded.ask(str, "fathom.pages.reading:read", b"", **page)


def test_a_file_of_more_lines_than_memory_is_for_is_refused() -> None:
    for end in (b"\n", b"\r"):
        with pytest.raises(Unreadable, match="more than 4,000,000 lines"):
            read_bytes(end * (MOST_LINES + 1), ".md")


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="how to wait for the end of a stranger's process")
def test_a_reader_ends_with_its_parent_whatever_it_is_at(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    os.mkfifo(told)
    at = f"[open({str(told)!r}, 'w').write(str(__import__('os').getpid())), {FOR_EVER}]"
    code = f"from fathom.reading import bounded; bounded.ask(str, 'builtins:eval', {at.encode()!r})"
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        reader = os.pidfd_open(int(told.read_text()))
        parent.kill()
    ended, _, _ = select.select([reader], [], [], 60)
    os.close(reader)
    assert ended
