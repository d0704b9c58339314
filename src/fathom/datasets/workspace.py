"""The temporary folder that a server works in: bounded, and removed however the process ends."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

PREFIX = "fathom-data-"
LOOKS_EVERY = 0.2
"""Seconds between two looks at how much the folder holds."""


class Workspace:
    """A folder of one process, locked while that process lives."""

    def __init__(self) -> None:
        remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = os.open(self.path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
    def bounded(self, most: int, interrupt: Callable[[], None]) -> Iterator[Event]:
        """Call `interrupt` as soon as the folder holds more than `most` bytes; the event says whether it did."""
        over, done = Event(), Event()

        def watch() -> None:
            while not done.wait(LOOKS_EVERY):
                if self.size() > most:
                    over.set()
                    interrupt()

        watcher = Thread(target=watch, name="disk of the data server", daemon=True)
        watcher.start()
        try:
            yield over
        finally:
            done.set()
            watcher.join()

    def remove(self) -> None:
        """Remove it and what is in it; a second time does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        _live.discard(self)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


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
            lock = os.open(folder / "lock", os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # another user's, or just being made
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(lock)
