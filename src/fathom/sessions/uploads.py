"""Files that clients send: received on the disk, bounded, and kept only when they are whole."""

from __future__ import annotations

import errno
import filecmp
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fathom.errors import StoreError
from fathom.locks import locked
from fathom.sessions.kinds import FIRST, is_text, refusal
from fathom.sessions.names import safe_name
from fathom.sqlite_file import private_folder

INCOMING = ".incoming"
PLACED = ".placed"
"""Ends the name of the note beside a file on its way that says where it has got a new place."""
LOOKS_EVERY = 8_000_000
"""Bytes of a file between two looks at how much room is left."""
MEGABYTE = 1_000_000
MOST_LINES = 300_000
"""Lines of a text that is to be read as a document, or tags of a page: each may become a block, which takes 4 kB."""


class Incoming:
    """A file on its way in. It is in nobody's reach until it is moved to its place; used by one thread at a time."""

    def __init__(
        self, uploads: UploadFolder, folder: Path, given: str, *, suffixes: frozenset[str], most_lines: int | None
    ) -> None:
        """`given` is what the client calls it; for the rest see `Delivery`."""
        self.name = safe_name(given)
        """What it is kept as."""
        self.size = 0
        """Bytes that have come."""
        self.refusal = refusal(self.name, suffixes)
        """Why it is not taken; empty while nothing speaks against it."""
        self.path = folder / self.name
        """Where it is while it is on its way, under its own name."""
        self._placed: Path | None = None
        self._before = folder.with_suffix(".before")
        self._uploads = uploads
        self._file: int | None = None
        self._first = b""
        self._most_lines = most_lines if is_text(self.name) else None
        self._ends = [0, 0, 0]
        if not self.refusal and uploads.room() <= 0:
            self.refusal = uploads.full
        if not self.refusal:
            with _disk():
                folder.mkdir(mode=0o700)
                self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def write(self, data: bytes) -> None:
        """Take the next bytes; of a file that is refused they are dropped.

        Raises:
            StoreError: the disk does not take them.
        """
        before, self.size = self.size, self.size + len(data)
        if self.refusal or self._file is None:
            return
        if self.size > self._uploads.most_bytes:
            self.refuse(f"it is larger than {self._uploads.most_bytes // MEGABYTE} MB")
        elif self._most_lines is not None and self._with_lines(data) > self._most_lines:
            self.refuse(f"it has more than {self._most_lines:,} lines or tags: split it")
        elif before // LOOKS_EVERY != self.size // LOOKS_EVERY and self._uploads.room() < len(data):
            self.refuse(self._uploads.full)
        else:
            with _disk():
                _write(self._file, data)
        if len(self._first) < FIRST:
            self._first += data[: FIRST - len(self._first)]

    def end(self) -> None:
        """All of it has come: see whether it is what its name says, and make it durable.

        Raises:
            StoreError: the disk does not take it.
        """
        if not self.refusal and not self.size:
            self.refuse("it is empty")
        if not self.refusal and (reason := refusal(self.name, frozenset(), first=self._first)):
            self.refuse(reason)
        if self._file is not None:
            with _disk():
                os.fsync(self._file)
                os.close(self._file)
            self._file = None

    def is_like(self, other: Path) -> bool:
        """Whether that file is there and has the same content; it may go at any moment, and a refused one is gone."""
        try:
            return filecmp.cmp(self.path, other, shallow=False)
        except FileNotFoundError:
            return False

    def move(self, to: Path) -> None:
        """Give it its place, in place of what is there: at once, so that no half file is ever seen.

        Its time differs from that of what was there, also when both came within one tick of the system's clock.

        Raises:
            StoreError: the disk does not take it.
        """
        with _disk():
            private_folder(to.parent)
            now = time.time_ns()
            later = max(now, to.stat().st_mtime_ns + 1_000) if to.exists() else now
            if to.exists():
                shutil.copy2(to, self._before)
            else:
                self.path.parent.with_suffix(PLACED).write_text(f"{later} {to}", encoding="utf-8")
            self._placed = to
            os.utime(self.path, ns=(later, later))
            self.path.replace(to)
            folder = os.open(to.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def undo(self) -> None:
        """Take it from the place that it was given, for what was there; whoever gave it still holds the folder."""
        if self._placed is not None and self._before.exists():
            self._before.replace(self._placed)
        elif self._placed is not None:
            self._placed.unlink(missing_ok=True)
        self._placed = None

    def refuse(self, reason: str) -> None:
        """Do not take it: what has come of it is removed."""
        self.refusal = reason
        self.close()
        self.path.unlink(missing_ok=True)

    def _with_lines(self, data: bytes) -> int:
        self._ends = [seen + data.count(sign) for seen, sign in zip(self._ends, (b"\n", b"\r", b"<"), strict=True)]
        return max(self._ends)

    def close(self) -> None:
        """Write no more; a second time does nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Delivery:
    """Files that come together; used by one thread at a time. What has no place at the end is removed."""

    def __init__(self, uploads: UploadFolder, suffixes: frozenset[str], *, most_lines: int | None = None) -> None:
        """`suffixes` are those that may come, in lower case; `most_lines` bounds texts, not PDFs."""
        self.files: list[Incoming] = []
        """In the order in which they came."""
        self._uploads = uploads
        self._suffixes = suffixes
        self._most_lines = most_lines
        self._held: tuple[Path, int] | None = None

    def begin(self, given: str) -> Incoming:
        """The next file, which the client calls `given`.

        Raises:
            StoreError: the disk does not take it.
        """
        with _disk():
            self._held = self._held or self._uploads.held_folder()
        folder = self._held[0] / str(len(self.files))
        self.files.append(Incoming(self._uploads, folder, given, suffixes=self._suffixes, most_lines=self._most_lines))
        return self.files[-1]

    def discard(self) -> None:
        """Remove what has no place; a second time does nothing."""
        for file in self.files:
            file.close()
        if self._held is not None:
            folder, descriptor = self._held
            shutil.rmtree(folder, ignore_errors=True)
            os.close(descriptor)
            self._held = None


class UploadFolder:
    """The folder of what clients have sent: documents by knowledge base, data, and what is on its way."""

    most_seconds = 120.0
    """By the clock, for reading all files of a request together."""

    def __init__(self, folder: Path, *, kb: str, most_bytes: int, most_room: int) -> None:
        """`kb` is the knowledge base that data belong to which name none; `most_bytes` are those of one file,
        `most_room` those of all."""
        self.folder = folder
        self.kb = kb
        self.most_bytes = most_bytes
        self._most_room = most_room

    def data(self, kb: str) -> Path:
        """Where the data files of a knowledge base are."""
        return self.folder / "data" if kb == self.kb else self.folder / "datasets" / kb

    def data_files(self) -> dict[str, tuple[Path, str]]:
        """All data files by name, which is one file's alone, with the knowledge base that each belongs to."""
        found = [(path, self.kb) for path in files_in(self.folder / "data")]
        found += [(path, path.parent.name) for path in files_in(self.folder / "datasets", "*/*")]
        return {path.name: (path, kb) for path, kb in sorted(found)}

    def documents(self, kb: str) -> Path:
        """Where the documents of a knowledge base are."""
        return self.folder / "knowledge" / kb

    @property
    def full(self) -> str:
        """Why nothing more is taken."""
        return (
            f"there is no room: uploaded files may take {self._most_room // MEGABYTE} MB in all; remove some, or "
            "raise FATHOM_SERVE_UPLOADS_MB"
        )

    def room(self) -> int:
        """Bytes that may still come."""
        return self._most_room - _size(self.folder)

    def held_folder(self) -> tuple[Path, int]:
        """A new folder of which the descriptor is locked for as long as this process lives or holds it open."""
        incoming = self.folder / INCOMING
        while True:
            path = incoming / secrets.token_hex(8)
            path.mkdir(parents=True, mode=0o700)
            with suppress(FileNotFoundError):  # somebody has swept in between, or is doing so: another one
                if (held := locked(path)) is not None:
                    return path, held

    def sweep(self) -> int:
        """Remove what processes that were killed have left half received; returns how many deliveries that were."""
        swept = 0
        incoming = self.folder / INCOMING
        for path in incoming.iterdir() if incoming.is_dir() else ():
            with suppress(OSError):  # gone already
                held = locked(path, flags=os.O_NOFOLLOW)
                if held is None:
                    continue
                try:
                    for note in path.glob(f"*{PLACED}"):  # nobody was told that it had come
                        time_ns, _, name = note.read_text(encoding="utf-8").partition(" ")
                        with suppress(FileNotFoundError):
                            if Path(name).stat().st_mtime_ns == int(time_ns):  # else another has taken its place
                                Path(name).unlink()
                    shutil.rmtree(path)
                    swept += 1
                finally:
                    os.close(held)
        return swept


def files_in(folder: Path, pattern: str = "*") -> list[Path]:
    """The files of a folder, which need not be there."""
    return [path for path in folder.glob(pattern) if path.is_file()]


def _size(folder: Path) -> int:
    """Bytes of all files under a folder."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118 - it is looked at often
    return total


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


@contextmanager
def _disk() -> Iterator[None]:
    """Turn what the disk says into an error of ours."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreError("The disk is full: nothing can be uploaded. Free some space and try again.") from error
        raise StoreError(f"The folder of the uploads cannot be written: {error.strerror}. Check it.") from error
