"""The temporary folder that a server works in: bounded, and removed however the process ends."""

from __future__ import annotations

import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from fathom.locks import locked

PREFIX = "fathom-data-"
LOOKS_EVERY = 0.2
"""Seconds between two looks at how much the folder holds."""
_GRACE = 10.0
"""Seconds to heed that the time is up."""
_BESIDE = 1_024
"""Megabytes for what is held beside DuckDB's own memory."""


class Workspace:
    """A folder of one process, locked while that process lives."""

    def __init__(self) -> None:
        remove_abandoned()
        self.path, self._lock = _locked_folder()
        _live.add(self)

    def size(self) -> int:
        """Bytes that it holds."""
        total = 0
        for folder, _, names in os.walk(self.path):
            for name in names:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - it is looked at often
                except FileNotFoundError:  # DuckDB removes what it no longer needs
                    continue
        return total

    @contextmanager
    def bounded(self, most: int, interrupt: Callable[[], None], *, seconds: float, late: str) -> Iterator[list[str]]:
        """Call `interrupt` as soon as the folder holds more than `most` bytes, or the time is up; the list says which.

        What does not heed it ends this process, with the line `late`.
        """
        why: list[str] = []
        done, end = Event(), time.monotonic() + seconds

        def watch() -> None:
            while not done.wait(LOOKS_EVERY):
                if time.monotonic() > end + _GRACE:
                    sys.stderr.write(f"fathom: {late}\n")
                    sys.stderr.flush()
                    remove_all()
                    os._exit(2)
                is_late = time.monotonic() > end
                if is_late or self.size() > most:
                    why.append("time" if is_late else "disk")
                    interrupt()

        watcher = Thread(target=watch, name="bounds of the data server", daemon=True)
        watcher.start()
        try:
            yield why
        finally:
            done.set()
            watcher.join()

    def remove(self) -> None:
        """Remove it and what is in it; a second time does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        _live.discard(self)
        if self._lock:
            os.close(self._lock)
            self._lock = 0


def _locked_folder() -> tuple[Path, int]:
    """A new folder and the descriptor of its lock."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX))
        with suppress(FileNotFoundError):  # another process has removed it as abandoned, or is about to: make another
            if (lock := locked(path / "lock", flags=os.O_CREAT | os.O_RDWR)) is not None:
                return path, lock


@contextmanager
def memory_within(megabytes: int) -> Iterator[None]:
    """Let the system give this process no more for its data, as far as it can: a file may be made to take all there is.

    Args:
        megabytes: What DuckDB may hold of it.
    """
    bound = (megabytes + _BESIDE) << 20
    try:
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (bound if hard < 0 else min(bound, hard), hard))
    except (OSError, ValueError):  # the system allows less already, or knows no such bound
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


_live: set[Workspace] = set()
"""Those of this process."""


def remove_all() -> None:
    """Remove what this process works in, whatever it is doing there."""
    for each in list(_live):
        each.remove()


def remove_abandoned() -> None:
    """Remove the folders of processes that were killed: nobody holds their lock."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            lock = locked(folder / "lock", flags=os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # another user's, or just being made
            continue
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
