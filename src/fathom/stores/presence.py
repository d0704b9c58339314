"""Who is at work on this machine: each worker holds a lock on a file, which the system takes from it when it dies."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class Presence:
    """The files of workers. A number of a process would tell less: it is given again once the process is gone.

    Where files cannot be locked so, nobody is ever known to be dead, and leases alone decide.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}

    def sign_on(self, worker: str) -> None:
        """Be seen to be at work, until this process ends or `sign_off`. A folder that cannot be used changes nothing
        but the time that others wait."""
        if worker in self._held:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            file = os.open(self._path(worker), os.O_RDWR | os.O_CREAT, 0o600)
            if _locked(file):
                self._held[worker] = file
            else:
                os.close(file)

    def sign_off(self, worker: str) -> None:
        """Be at work no more."""
        file = self._held.pop(worker, None)
        if file is not None:
            with contextlib.suppress(OSError):
                self._path(worker).unlink(missing_ok=True)
            os.close(file)

    def is_dead(self, worker: str) -> bool:
        """Whether that worker was at work on this machine and its process is gone for certain; told once."""
        if worker in self._held:
            return False
        try:
            file = os.open(self._path(worker), os.O_RDWR)
        except OSError:  # of another machine, or nobody knows
            return False
        try:
            if not _locked(file):
                return False
            with contextlib.suppress(OSError):
                self._path(worker).unlink()
            return True
        finally:
            os.close(file)

    def _path(self, worker: str) -> Path:
        return self._folder / f"{hashlib.sha256(worker.encode()).hexdigest()[:24]}.lock"


def _locked(file: int) -> bool:
    """Whether the file is ours now; a lock goes when the file is closed, also by the death of its process."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
