"""Bringing files into a knowledge base: only what is new or changed is read."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from fathom.errors import Unreadable
from fathom.knowledge import index
from fathom.knowledge.database import Database
from fathom.knowledge.index import Prepared, StoredFile
from fathom.knowledge.walking import Found, Walk, walk
from fathom.reading.readers import read_parts, suffixes
from fathom.text.analysis import VERSION as ANALYSIS_VERSION
from fathom.text.language import detect

_READING_VERSION = 5  # changes whenever the same file is read or cut differently
_BATCH_FILES = 64
_BATCH_BYTES = 2_000_000
_LARGEST = 200_000_000


@dataclass(frozen=True)
class Progress:
    """How far an ingestion is."""

    done_files: int
    total_files: int
    done_bytes: int
    total_bytes: int


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class IngestReport:
    """What an ingestion did."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    """Files that could not be read, with the reason."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Files left aside because no reader is known for their suffix: how many of each."""
    seconds: float = 0.0

    @property
    def documents(self) -> int:
        """Documents of these paths that the knowledge base now holds."""
        return self.added + self.changed + self.unchanged


@dataclass
class Batch:
    """Some files, and what came of reading them."""

    files: Sequence[Found]
    known: dict[str, StoredFile] = field(default_factory=dict)
    """What the knowledge base holds of them."""
    prepared: list[Prepared] = field(default_factory=list)
    touched: list[tuple[Found, StoredFile]] = field(default_factory=list)
    """Files whose time has changed and whose content has not."""
    unchanged: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[Found, str]] = field(default_factory=list)
    """Files whose content cannot be read: they need not be read again until they change."""
    stale: list[str] = field(default_factory=list)
    """Files that the knowledge base holds and that cannot be read any more."""


class Ingestion:
    """One ingestion, in the steps of which each runs in a thread of its own."""

    def __init__(self, database: Database, paths: Iterable[Path], *, embedder: str | None = None) -> None:
        """`embedder` names the embedder whose vectors every document must have in the end."""
        self._database = database
        self._paths = list(paths)
        self._started = time.monotonic()
        self._now = datetime.now(UTC).isoformat(timespec="seconds")
        self._embedder = embedder
        self._complete: Callable[[int], bool] = lambda _: True
        self._walk = Walk((), frozenset())
        self.report = IngestReport()
        self.progress = Progress(0, 0, 0, 0)

    def begin(self) -> Iterator[Batch]:
        """Look at the disk and at the knowledge base; gives what there is to read, and looks for it as it goes."""
        self._walk = walk(self._paths, suffixes=suffixes())
        if self._embedder:
            with self._database.read() as connection:
                lacking = index.lacking_vectors(connection, self._embedder)
            self._complete = lambda id: id not in lacking
        count = size = 0
        for file in self._walk.files():
            count, size = count + 1, size + file.size
        self.progress = Progress(0, count, 0, size)
        return map(Batch, _batches(self._walk.files()))

    def read(self, batch: Batch) -> Batch:
        """Read and analyse the files of a batch that are new or changed."""
        with self._database.read() as connection:
            batch.known, refused = index.known(connection, [file.path for file in batch.files])
        for file in batch.files:
            known = batch.known.get(file.path)
            same = known and (known.mtime_ns, known.size) == (file.mtime_ns, file.size)
            if known and same and known.content.endswith(_TAG) and self._complete(known.id):
                batch.unchanged += 1
                continue
            reading, *then, reason = refused.get(file.path, ("", 0, 0, ""))
            if reading == _TAG and then == [file.mtime_ns, file.size]:
                batch.skipped.append((file.path, reason))
                continue
            try:
                self._read_file(file, known, batch)
            except Unreadable as error:
                batch.skipped.append((file.path, str(error)))
                if not isinstance(error.__cause__, OSError):  # a permission can come without a change of the file
                    batch.refused.append((file, str(error)))
                batch.stale += [file.path] if known else []
        return batch

    def _read_file(self, file: Found, known: StoredFile | None, batch: Batch) -> None:
        if file.size > _LARGEST:
            raise Unreadable(f"it is larger than {_LARGEST // 1_000_000} MB")
        path = Path(file.path)
        try:
            with path.open("rb") as opened:
                content = hashlib.file_digest(opened, "sha256").hexdigest() + _TAG
            if known and known.content == content and self._complete(known.id):
                batch.touched.append((file, known))
                return
            parts = read_parts(path)
            first = next(parts)
            prepared = index.prepare(
                chain([first], parts),
                path=file.path,
                uri=path.as_uri(),
                title=first.title or path.stem,
                language=detect(first.text),
                content=content,
                mtime_ns=file.mtime_ns,
                size=file.size,
                now=self._now,
            )
        except OSError as error:
            raise Unreadable(error.strerror or str(error)) from error
        if not first.blocks and not prepared.chunks:
            raise Unreadable("it holds no text")
        batch.prepared.append(prepared)

    def store(self, batch: Batch) -> None:
        """Store a batch in one transaction, and count it."""
        if batch.prepared or batch.touched or batch.stale or batch.refused:
            with self._database.write() as connection:
                for prepared in batch.prepared:
                    index.put(connection, prepared)
                connection.executemany(
                    "UPDATE documents SET mtime_ns = ?, size = ? WHERE id = ? AND content = ?",
                    [(file.mtime_ns, file.size, known.id, known.content) for file, known in batch.touched],
                )
                index.remove_paths(connection, batch.stale)
                index.refuse(
                    connection, [(file.path, _TAG, file.mtime_ns, file.size, why) for file, why in batch.refused]
                )
        changed = sum(prepared.path in batch.known for prepared in batch.prepared)
        self.report = replace(
            self.report,
            added=self.report.added + len(batch.prepared) - changed,
            changed=self.report.changed + changed,
            unchanged=self.report.unchanged + batch.unchanged + len(batch.touched),
            skipped=(*self.report.skipped, *batch.skipped),
        )
        self.progress = replace(
            self.progress,
            done_files=self.progress.done_files + len(batch.files),
            done_bytes=self.progress.done_bytes + sum(file.size for file in batch.files),
        )

    def end(self) -> IngestReport:
        """Remove what is gone from the folders; returns what was done in all."""
        prefixes = tuple(folder.rstrip("/") + "/" for folder in self._walk.folders)
        with self._database.read() as connection:
            paths = (path for (path,) in connection.execute("SELECT path FROM documents"))
            gone = [path for path in paths if path.startswith(prefixes) and not Path(path).exists()]
        if gone:
            with self._database.write() as connection:
                index.remove_paths(connection, gone)
        return replace(
            self.report,
            removed=len(gone),
            skipped=tuple(sorted({*self.report.skipped, *self._walk.skipped})),
            unknown=dict(sorted(self._walk.unknown.items())),
            seconds=time.monotonic() - self._started,
        )


_TAG = f":{_READING_VERSION}.{ANALYSIS_VERSION}"


def _batches(files: Iterable[Found]) -> Iterator[list[Found]]:
    """Files in groups that are small enough for one transaction and for a progress bar."""
    batch: list[Found] = []
    size = 0
    for file in files:
        if batch and (len(batch) >= _BATCH_FILES or size + file.size > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch
