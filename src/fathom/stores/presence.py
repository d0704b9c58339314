"""Who is at work on this machine: whoever is holds a lock on a file, which the system takes from it when it dies."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from pathlib import Path

from fathom.sqlite_file import private_folder

if sys.platform != "win32":
    import fcntl


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
        while name not in self._held:
            try:
                private_folder(self._folder)
                file = os.open(self._path(name), os.O_RDWR | os.O_CREAT, 0o600)
            except OSError:
                return True
            locked = _locked(file)
            with contextlib.suppress(OSError):
                if locked and os.path.samestat(os.fstat(file), self._path(name).stat()):
                    self._held[name] = file
                    return True
            os.close(file)
            if not locked:
                return locked is None
            # it was removed before it was locked: it is made anew
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
            file = os.open(self._path(name), os.O_RDWR)
        except OSError:
            return None
        try:
            locked = _locked(file)
            if locked:
                with contextlib.suppress(OSError):
                    self._path(name).unlink()
            return None if locked is None else not locked
        finally:
            os.close(file)

    def _path(self, name: str) -> Path:
        return self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.lock"


def _locked(file: int) -> bool | None:
    """Whether the file is ours now; a lock goes when the file is closed, also by the death of its process.

    `None` where files cannot be locked.
    """
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
