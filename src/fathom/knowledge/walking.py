"""Which files a list of paths stands for."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fathom.errors import UsageError
from fathom.reading.readers import PICTURES, instead

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages", "CVS"})


@dataclass(frozen=True)
class FoundFile:
    """A file to read, as it stood on the disk when it was found."""

    path: str
    size: int
    mtime_ns: int


@dataclass
class Walk:
    """The files under some paths. They are found anew whenever they are asked for, and not kept."""

    roots: Sequence[str]
    suffixes: frozenset[str]
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Files and folders that cannot be read, with the reason."""
    unknown: Counter[str] = field(default_factory=Counter)
    """How many files were left aside, by suffix: no reader is known for it, or it is a picture in a folder."""

    @property
    def folders(self) -> list[str]:
        """The paths that are folders: what the knowledge base holds from under them and is gone must go."""
        return [root for root in self.roots if Path(root).is_dir()]

    def files(self) -> Iterator[FoundFile]:
        """The files of known types, each once; hidden files and folders are left aside."""
        self.skipped, self.unknown = [], Counter()
        seen: set[str] = set()
        for root in self.roots:
            for path, suffix in _under(root, self.skipped):
                if suffix not in self.suffixes and path == root:
                    known = ", ".join(sorted(self.suffixes))
                    told = f"files of type '{suffix}' are not known; known are {known}"
                    self.skipped.append((path, instead(suffix) or told))
                elif suffix not in self.suffixes or (suffix in PICTURES and path != root):
                    self.unknown[suffix] += 1
                elif path not in seen and (found := self._found(path)):
                    if len(self.roots) > 1:  # under one path nothing comes twice
                        seen.add(path)
                    yield found

    def _found(self, path: str) -> FoundFile | None:
        try:
            path.encode()
            status = Path(path).stat()
        except UnicodeEncodeError:
            self.skipped.append((path, "its name is not UTF-8: rename it"))
        except OSError as error:
            self.skipped.append((path, error.strerror or str(error)))
        else:
            if stat.S_ISREG(status.st_mode):
                return FoundFile(path=path, size=status.st_size, mtime_ns=status.st_mtime_ns)
            self.skipped.append((path, "it is no regular file"))  # a pipe would be waited for without end
        return None


def walk(paths: Sequence[Path], *, suffixes: frozenset[str]) -> Walk:
    """The files of known types under `paths`.

    Raises:
        UsageError: a path is not there.
    """
    roots = [real(path) for path in paths]
    for path, root in zip(paths, roots, strict=True):
        if not Path(root).exists():
            raise UsageError(f"There is no file or folder {path}.")
    return Walk(roots, suffixes)


def real(path: Path) -> str:
    """The absolute name of a path, symbolic links followed, with "/" as separator.

    Raises:
        UsageError: the name is not UTF-8, so that no database could keep it.
    """
    name = os.path.realpath(path.expanduser()).replace(os.sep, "/")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"The name of '{path}' is not UTF-8. Rename it.") from error
    return name


def _under(root: str, skipped: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The file, or the files of the folder, with their suffixes, folder by folder."""
    if not Path(root).is_dir():
        yield root, _suffix(root)
        return
    entered: set[tuple[int, int]] = set()

    def refused(error: OSError) -> None:
        skipped.append((str(error.filename), error.strerror or str(error)))

    for folder, names, files in os.walk(root, followlinks=True, onerror=refused):
        status = Path(folder).stat()
        if (status.st_dev, status.st_ino) in entered:  # a link that leads back up
            names.clear()
            continue
        entered.add((status.st_dev, status.st_ino))
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        for name in sorted(files):
            if not name.startswith("."):
                yield f"{folder}/{name}".replace(os.sep, "/"), _suffix(name)


def _suffix(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:].lower() if dot > name.rfind("/") + 1 else ""
