"""Locks on files and folders, which the system takes from a process that dies; none of them ever waits."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def locked(path: Path, *, flags: int = os.O_RDONLY) -> int | None:
    """A descriptor of the file or folder, which is locked until it is closed; `None` when somebody has it locked.

    Args:
        flags: How it is opened; with `os.O_CREAT`, a file is made for this user alone.

    Raises:
        OSError: it cannot be opened, or cannot be locked here.
    """
    if sys.platform == "win32":
        raise OSError("files cannot be locked here")
    while True:
        descriptor = os.open(path, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            return None
        except FileNotFoundError:  # it was removed before it was locked, or another has taken its place
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
