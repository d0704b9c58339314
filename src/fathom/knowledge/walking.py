"""Which files a list of paths stands for."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fathom.errors import UsageError

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages", "CVS"})


@dataclass(frozen=True)
class Found:
    """A file to read, as it stood on the disk when it was found."""

    path: str
    suffix: str
    size: int
    mtime_ns: int


@dataclass
class Walk:
    """What was found under the paths."""

    files: list[Found] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    """The paths that are folders: what the knowledge base holds from under them and is gone must go."""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Files and folders that cannot be read, with the reason."""
    unknown: Counter[str] = field(default_factory=Counter)
    """How many files were left aside, by suffix, because no reader is known for it."""


def walk(paths: Iterable[Path], *, suffixes: frozenset[str]) -> Walk:
    """Find the files of known types under `paths`, sorted; hidden files and folders are left aside.

    Raises:
        UsageError: a path is not there.
    """
    result = Walk()
    seen: set[str] = set()
    for path in paths:
        root = real(path)
        if not Path(root).exists():
            raise UsageError(f"There is no file or folder '{path}'.")
        if Path(root).is_dir():
            result.folders.append(root)
            _walk_folder(root, suffixes, result, seen)
        elif (suffix := _suffix(root)) in suffixes:
            _add(root, suffix, result, seen)
        else:
            known = ", ".join(sorted(suffixes))
            result.skipped.append((root, f"files of type '{suffix}' are not known; known are {known}"))
    result.files.sort(key=lambda file: file.path)
    return result


def real(path: Path) -> str:
    """The absolute name of a path, symbolic links followed, with "/" as separator.

    Raises:
        UsageError: the name is not UTF-8, so that no database could keep it.
    """
    name = os.path.realpath(path.expanduser()).replace(os.sep, "/")
    if not _is_utf8(name):
        raise UsageError(f"The name of '{path}' is not UTF-8. Rename it.")
    return name


def _walk_folder(root: str, suffixes: frozenset[str], result: Walk, seen: set[str]) -> None:
    entered: set[tuple[int, int]] = set()

    def refused(error: OSError) -> None:
        result.skipped.append((str(error.filename), error.strerror or str(error)))

    for folder, names, files in os.walk(root, followlinks=True, onerror=refused):
        status = Path(folder).stat()
        if (status.st_dev, status.st_ino) in entered:  # a link that leads back up
            names.clear()
            continue
        entered.add((status.st_dev, status.st_ino))
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        for name in files:
            if name.startswith("."):
                continue
            suffix = _suffix(name)
            if suffix in suffixes:
                _add(f"{folder}/{name}".replace(os.sep, "/"), suffix, result, seen)
            else:
                result.unknown[suffix] += 1


def _add(path: str, suffix: str, result: Walk, seen: set[str]) -> None:
    if path in seen:
        return
    seen.add(path)
    if not _is_utf8(path):
        result.skipped.append((path, "its name is not UTF-8: rename it"))
        return
    try:
        status = Path(path).stat()
    except OSError as error:
        result.skipped.append((path, error.strerror or str(error)))
        return
    if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for without end
        result.skipped.append((path, "it is no regular file"))
        return
    result.files.append(Found(path=path, suffix=suffix, size=status.st_size, mtime_ns=status.st_mtime_ns))


def _is_utf8(name: str) -> bool:
    """Whether the system's name of a file has no byte that is no text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _suffix(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:].lower() if dot > name.rfind("/") + 1 else ""
