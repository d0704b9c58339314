"""Who is at work on this machine: whoever is holds a lock on a file, which the system takes from it when it dies."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path

from fathom.locks import locked
from fathom.sqlite_file import private_folder

LOOKS = (0.0, 0.005, 0.02)
"""Seconds before each attempt to lock a file: who only asks `is_alive` has it locked for a moment, too."""


class Presence:
    """The files of whoever is at work. A number of a process would tell less: it is given again once that is gone.

    Where files cannot be locked so, nobody is ever known to be alive or dead, and leases and fences alone decide.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}

    def sign_on(self, name: str) -> bool:
        """Be seen to be at work, until this process ends or `sign_off`; `False` when somebody else is, by that name.

        A folder that cannot be used changes nothing but the time that others wait.
        """
        if name not in self._held:
            try:
                private_folder(self._folder)
                for pause in LOOKS:
                    time.sleep(pause)
                    lock = locked(self._path(name), flags=os.O_RDWR | os.O_CREAT)
                    if lock is not None:
                        break
            except OSError:
                return True
            if lock is None:
                return False
            self._held[name] = lock
        return True

    def sign_off(self, name: str) -> None:
        """Be at work no more."""
        file = self._held.pop(name, None)
        if file is not None:
            with contextlib.suppress(OSError):
                self._path(name).unlink(missing_ok=True)
            os.close(file)

    def close(self) -> None:
        """Be at work no more, by no name."""
        for name in list(self._held):
            self.sign_off(name)

    def is_alive(self, name: str) -> bool | None:
        """Whether somebody is at work by that name; `None` when nobody knows: one of another machine, or none ever.

        That a process is gone is told once.
        """
        if name in self._held:
            return True
        try:
            lock = locked(self._path(name), flags=os.O_RDWR)
        except OSError:
            return None
        if lock is None:
            return True
        with contextlib.suppress(OSError):
            self._path(name).unlink()
        os.close(lock)
        return False

    def _path(self, name: str) -> Path:
        return self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.lock"
