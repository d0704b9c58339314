"""The one door to whatever reads what strangers have written: a process of its own, bounded in time and in memory.

A document that is made to take for ever, or all memory, or that breaks a library in C, ends that process and nothing
else: the document is refused, and the next one gets another process. One that has done its work is kept for the next
document, as starting takes longer than reading most of them; it ends with its parent, whatever ends that.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TypeVar

from fathom.errors import FathomError, Unreadable, UsageError
from fathom.text.harmless import inert

MEMORY = 2_000_000_000
"""Bytes of address space that reading may take."""
SECONDS = 240.0
"""Seconds of CPU that reading one document may take: 20 pages that are pictures of small type take 150."""
_WAITING = 10
"""How many times as long it may take by the clock, on a machine that has other things to do."""
_GROWN = 400_000_000
"""Bytes of memory after which a process that has read is not kept."""
_FRAME = struct.Struct(">cQ")
_READ, _REFUSED = b"+", b"-"

allowed: ContextVar[tuple[float, float]] = ContextVar("allowed", default=(math.inf, math.inf))
"""The seconds of `within`, and when they are over by the monotonic clock."""
T = TypeVar("T")
_adapters: dict[type[Any], Any] = {}
_idle: list[_Process] = []
_room = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Grant whatever is read in it so many seconds by the clock, all together; then `ask` raises a `UsageError`."""
    token = allowed.set((seconds, time.monotonic() + seconds))
    try:
        yield
    finally:
        allowed.reset(token)


def ask(
    kind: type[T],
    function: str,
    data: bytes = b"",
    *,
    seconds: float = SECONDS,
    raises: tuple[type[FathomError], ...] = (),
    **arguments: object,
) -> T:
    """What a function makes of `data`, worked out in another process.

    Args:
        kind: what it returns; Pydantic writes it as JSON.
        function: its `module:name`.
        data: what it reads.
        seconds: of CPU that it may take.
        raises: errors that it raises on purpose, besides `Unreadable`.
        arguments: what it gets besides, by name; they go through JSON.

    Raises:
        Unreadable: the data cannot be read within the bounds, or the function raised something unforeseen.
        UsageError: the time of `within` is up.
    """
    while not _room.acquire(timeout=min(left(), threading.TIMEOUT_MAX)):
        pass
    try:
        while True:
            head = json.dumps([function, seconds, min(_WAITING * seconds, left()), arguments]).encode()
            process = _idle_one() or _Process()
            is_new = process.is_new
            answer = process.answer(head, data)
            if answer:
                _idle.append(process)
                break
            if process.out_of_time:
                left()
                raise Unreadable(f"reading it takes longer than {seconds:g} s")
            if is_new:  # else it may be what another document has spoilt
                raise Unreadable("it cannot be read: it is broken, or takes more memory than is allowed")
    finally:
        _room.release()
    status, body = answer
    if status == _READ:
        return _adapter(kind).validate_json(body)  # type: ignore[no-any-return]
    name, reason = json.loads(body)
    raise next((error for error in raises if error.__name__ == name), Unreadable)(reason)


def left() -> float:
    """Seconds left of those of `within`.

    Raises:
        UsageError: none are.
    """
    seconds, end = allowed.get()
    if (rest := end - time.monotonic()) <= 0:
        raise UsageError(f"Reading it all takes longer than {seconds:g} s: nothing of it was kept. Send less at once.")
    return rest


class _Process:
    """A process that reads one document after the other."""

    def __init__(self) -> None:
        command = [sys.executable, "-P", "-c", f"import {__name__} as bounded; bounded.serve()"]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            raise Unreadable(f"no process can be started that reads it ({error.strerror})") from error
        self.is_new = True

    @property
    def out_of_time(self) -> bool:
        """Whether it has ended because its time was up."""
        return self._process.returncode in {-signal.SIGPROF, -signal.SIGALRM}

    def answer(self, head: bytes, data: bytes) -> tuple[bytes, bytes] | None:
        """What it says of a document; `None` when it has ended instead."""
        assert self._process.stdin and self._process.stdout
        self.is_new = False
        try:
            for part in (head, data):
                _send(self._process.stdin, _READ, part)
            answer = _received(self._process.stdout)
        except OSError:
            answer = None
        if answer is None:
            self.end()
        return answer

    def end(self) -> None:
        """End it."""
        with suppress(OSError), self._process:  # which closes its pipes and waits for it
            self._process.kill()


def _idle_one() -> _Process | None:
    with suppress(IndexError):
        return _idle.pop()
    return None


@atexit.register
def end() -> None:
    """End the processes that wait for a document; the next document starts another."""
    while _idle:
        _idle.pop().end()


def _adapter(kind: type[Any]) -> Any:
    if kind not in _adapters:
        from pydantic import TypeAdapter

        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def serve() -> None:
    """Read one document after the other, as the process that another has started for it."""
    taken, told = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # what a library prints is no answer
        os.dup2(nothing, standard)
    _bounded_memory()
    while (head := _received(taken)) and (data := _received(taken)):
        function, seconds, waiting, arguments = json.loads(head[1])
        _bounded_time(taken.fileno(), seconds, waiting)
        try:
            answer = _READ, _called(function, data[1], arguments)
        except MemoryError:
            return
        except Exception as error:  # noqa: BLE001 - whatever a reader raises costs its document and nothing else
            kind, said = type(error).__name__, str(error)
            if not isinstance(error, FathomError):
                said = f"reading it fails: {kind}: {inert(said, width=160)}"
            answer = _REFUSED, json.dumps([kind, said]).encode()
        _bounded_time(taken.fileno(), 0.0, 0.0)
        _send(told, *answer)
        if _has_grown():
            return


def _called(function: str, data: bytes, arguments: dict[str, Any]) -> bytes:
    module, _, name = function.partition(":")
    value = getattr(import_module(module), name)(data, **arguments)
    return _adapter(type(value)).dump_json(value)  # type: ignore[no-any-return]


def _bounded_memory() -> None:
    """Limit the memory of this process."""
    with suppress(ImportError, OSError, ValueError):  # not on this system, or it allows less already
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _has_grown() -> bool:
    """Whether this process holds so much memory that it should go.

    What the system calls its highest mark is no measure: it begins with that of the process which started this one.
    """
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGESIZE") > _GROWN
    except (OSError, ValueError):  # not on this system
        return False


def _bounded_time(taken: int, seconds: float, waiting: float) -> None:
    """Have the system end this process when its time, of CPU or by the clock, is up, or its parent has gone; 0 for no
    longer.

    A signal that nobody handles ends it at once, whatever it is at: a thread would wait for the interpreter.
    """
    with suppress(ImportError, AttributeError):  # not on this system
        import fcntl

        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, waiting)
        fcntl.fcntl(taken, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(taken, fcntl.F_GETFL)
        fcntl.fcntl(taken, fcntl.F_SETFL, flags | os.O_ASYNC if seconds else flags & ~os.O_ASYNC)


def _send(file: IO[bytes], status: bytes, body: bytes) -> None:
    file.write(_FRAME.pack(status, len(body)))
    file.write(body)
    file.flush()


def _received(file: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next frame; `None` when there is none, or only a part of one."""
    head = file.read(_FRAME.size)
    if len(head) < _FRAME.size:
        return None
    status, length = _FRAME.unpack(head)
    body = file.read(length) if length <= MEMORY else b""
    return (status, body) if len(body) == length else None
