"""Bringing files into a knowledge base: only what is new or changed is read."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from fathom.errors import ConfigurationError, Unreadable, UsageError
from fathom.evidence import now
from fathom.knowledge import index
from fathom.knowledge.database import IndexDatabase
from fathom.knowledge.index import ATTACHED, Prepared, Refusal, StoredFile
from fathom.knowledge.walking import FoundFile, Walk, walk
from fathom.reading import bounded, inside
from fathom.reading.document import ReadDocument
from fathom.reading.readers import read_here, read_parts, suffixes
from fathom.reading.titles import file_title
from fathom.text.analysis import VERSION as ANALYSIS_VERSION
from fathom.text.language import detect

_READING_VERSION = 15  # changes whenever the same file is read or cut differently
_BATCH_FILES = 64
_BATCH_BYTES = 2_000_000
_LARGEST = 200_000_000
_SLOWEST = 500_000
"""Bytes per second of CPU that reading and analysing take at the most, of an ordinary text."""
_AT_ONCE = 2
_FEW = 16
"""Files that are read one after the other: to start a second process takes as long."""


@dataclass(frozen=True)
class IngestProgress:
    """How far an ingestion is."""

    done_files: int
    total_files: int
    done_bytes: int
    total_bytes: int


OnProgress = Callable[[IngestProgress], None]


@dataclass(frozen=True)
class IngestReport:
    """What an ingestion did."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    """Files that could not be read, with the reason."""
    unread: int = 0
    """Files that were found and not come to, for the time was up."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Files left aside because no reader is known for their suffix: how many of each."""
    seconds: float = 0.0

    @property
    def documents(self) -> int:
        """Documents of these paths that the knowledge base now holds."""
        return self.added + self.changed + self.unchanged


@dataclass(frozen=True)
class ReadFile:
    """What came of a file: an archive holds several documents, each at its path behind that of the archive."""

    documents: tuple[Prepared, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """What is in it and was not read, with the reasons."""


@dataclass
class Batch:
    """Some files, and what came of reading them."""

    files: Sequence[FoundFile]
    known: dict[str, StoredFile] = field(default_factory=dict)
    """What the knowledge base holds of them."""
    prepared: list[Prepared] = field(default_factory=list)
    touched: list[tuple[FoundFile, StoredFile]] = field(default_factory=list)
    """Files whose time has changed and whose content has not."""
    unchanged: int = 0
    changed: int = 0
    """Of those prepared, documents of files of which others were held."""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    """Files and attachments that give no text."""
    stale: list[str] = field(default_factory=list)
    """Files that the knowledge base holds otherwise than they are."""
    unread: int = 0
    """How many of the files were not come to, for the time was up."""


class Ingestion:
    """One ingestion, in the steps of which each runs in a thread of its own."""

    def __init__(
        self,
        database: IndexDatabase,
        paths: Iterable[Path],
        *,
        embedder: str | None = None,
        seconds: float | None = None,
    ) -> None:
        """`embedder` names the embedder whose vectors every document must have in the end; after `seconds` no further
        file is read."""
        self._database = database
        self._paths = list(paths)
        self._started = time.monotonic()
        self._seconds = math.inf if seconds is None else seconds
        self._now = now()
        self._embedder = embedder
        self._lacking: set[int] = set()
        self._walk = Walk((), frozenset())
        self._threads = ThreadPoolExecutor(
            _AT_ONCE,
            thread_name_prefix="fathom-ingest",
            initializer=bounded.allowed.set,
            initargs=(bounded.allowed.get(),),
        )
        self.report = IngestReport()
        self.progress = IngestProgress(0, 0, 0, 0)

    def begin(self) -> Iterator[Batch]:
        """Look at the disk and at the knowledge base; gives what there is to read, and looks for it as it goes."""
        self._walk = walk(self._paths, suffixes=suffixes())
        if self._embedder:
            with self._database.read() as connection:
                self._lacking = index.lacking_vectors(connection, self._embedder)
        count = size = 0
        for file in self._in_time(self._walk.files()):
            count, size = count + 1, size + file.size
        self.progress = IngestProgress(0, count, 0, size)
        return map(Batch, _batches(self._in_time(self._walk.files())))

    @property
    def _left(self) -> float:
        return self._started + self._seconds - time.monotonic()

    def _in_time(self, files: Iterable[FoundFile]) -> Iterator[FoundFile]:
        """The files up to where the time is up, and one more, by which it is seen that there are others."""
        for file in files:
            yield file
            if self._left <= 0:
                break

    def read(self, batch: Batch) -> Batch:
        """Read and analyse the files of a batch that are new or changed."""
        with self._database.read() as connection:
            batch.known, refused = index.known(connection, [file.path for file in batch.files])
        wanted: list[tuple[FoundFile, StoredFile | None]] = []
        for file in batch.files:
            known = batch.known.get(file.path)
            same = known and (known.mtime_ns, known.size) == (file.mtime_ns, file.size)
            if known and same and known.content.endswith(_TAG) and self._lacking.isdisjoint(known.ids):
                batch.unchanged += len(known.ids)
                continue
            reading, *then, reason = refused.get(file.path, ("", 0, 0, ""))
            if reading == _TAG and then == [file.mtime_ns, file.size]:
                batch.skipped.append((file.path, reason))
                continue
            wanted.append((file, known))
        prepared = (map if len(wanted) < _FEW else self._threads.map)(self._prepared, wanted)
        for (file, known), came in zip(wanted, prepared, strict=True):
            if isinstance(came, ReadFile):
                batch.prepared += came.documents
                batch.skipped += came.left_out
                batch.refused += [(path, _TAG, 0, 0, reason) for path, reason in came.left_out]
                batch.changed += len(came.documents) if known else 0
                batch.stale += [file.path] if known or file.path in refused else []
            elif came is None:
                batch.unread += 1
            elif isinstance(came, StoredFile):
                batch.touched.append((file, came))
                batch.unchanged += len(came.ids)
            else:
                batch.skipped.append((file.path, str(came)))
                # a permission or a package can come without a change of the file
                tag = "" if isinstance(came.__cause__, OSError | ConfigurationError) else _TAG
                batch.refused.append((file.path, tag, file.mtime_ns, file.size, str(came)))
                batch.stale += [file.path] if known else []
        return batch

    def _prepared(self, wanted: tuple[FoundFile, StoredFile | None]) -> ReadFile | StoredFile | Unreadable | None:
        """A file on its way into the index, what is stored of it when that is the same, or why it cannot be read;
        `None` when the time is up."""
        file, known = wanted
        if (left := self._left) <= 0:
            return None
        if file.size > _LARGEST:
            return Unreadable(f"it is larger than {_LARGEST // 1_000_000} MB")
        try:
            with Path(file.path).open("rb") as opened:
                content = hashlib.file_digest(opened, "sha256").hexdigest() + _TAG
            if known and known.content == content and self._lacking.isdisjoint(known.ids):
                return known
            with nullcontext() if left == math.inf else bounded.within(left):
                return bounded.ask(
                    ReadFile,
                    "fathom.knowledge.ingestion:prepare_file",
                    seconds=bounded.SECONDS + file.size / _SLOWEST,
                    raises=(ConfigurationError,),
                    path=file.path,
                    content=content,
                    mtime_ns=file.mtime_ns,
                    size=file.size,
                    now=self._now,
                )
        except Unreadable as error:
            return error
        except UsageError:
            if self._left > 0:  # of whoever has granted less time to all of it
                raise
            return None
        except (OSError, ConfigurationError) as error:
            refusal = Unreadable(getattr(error, "strerror", None) or str(error))
            refusal.__cause__ = error
            return refusal

    def store(self, batch: Batch) -> None:
        """Store a batch in one transaction, and count it."""
        if batch.prepared or batch.touched or batch.stale or batch.refused:
            with self._database.write() as connection:
                index.remove_paths(connection, batch.stale)
                for prepared in batch.prepared:
                    index.put(connection, prepared)
                connection.executemany(
                    "UPDATE documents SET mtime_ns = ?, size = ? WHERE id = ? AND content = ?",
                    [(file.mtime_ns, file.size, id, held.content) for file, held in batch.touched for id in held.ids],
                )
                index.refuse(connection, batch.refused)
        self.report = replace(
            self.report,
            added=self.report.added + len(batch.prepared) - batch.changed,
            changed=self.report.changed + batch.changed,
            unchanged=self.report.unchanged + batch.unchanged,
            skipped=(*self.report.skipped, *batch.skipped),
        )
        self.progress = replace(
            self.progress,
            done_files=self.progress.done_files + len(batch.files) - batch.unread,
            done_bytes=self.progress.done_bytes + sum(file.size for file in batch.files),
        )

    def end(self) -> IngestReport:
        """Remove what is gone from the folders; returns what was done in all."""
        prefixes = tuple(folder.rstrip("/") + "/" for folder in self._walk.folders)
        skipped = dict([*self.report.skipped, *self._walk.skipped])
        with self._database.read() as connection:
            paths = (path for (path,) in connection.execute("SELECT path FROM documents"))
            gone = [path for path in paths if path.startswith(prefixes) and index.is_gone(path)]
            refused = [path for (path,) in connection.execute("SELECT path FROM refused WHERE reading = ''")]
        mended = [path for path in refused if f"{path}/".startswith(prefixes) and path not in skipped]
        kept = [(path, "", 0, 0, why) for path, why in self._walk.skipped if path.isprintable()]  # else it is no UTF-8
        if gone or mended or kept:
            with self._database.write() as connection:
                index.remove_paths(connection, gone)
                connection.executemany("DELETE FROM refused WHERE path = ?", [(path,) for path in mended])
                index.refuse(connection, kept)
        return replace(
            self.report,
            removed=len(gone),
            skipped=tuple(sorted(skipped.items())),
            unread=self.progress.total_files - self.progress.done_files if self._left <= 0 else 0,
            unknown=dict(sorted(self._walk.unknown.items())),
            seconds=time.monotonic() - self._started,
        )


def prepare_file(_: bytes, *, path: str, content: str, mtime_ns: int, size: int, now: str) -> ReadFile:
    """Read and analyse a file, within the process that reads for this one.

    Raises:
        Unreadable: with the reason.
    """
    known: dict[str, Any] = {"content": content, "mtime_ns": mtime_ns, "size": size, "now": now}
    file, made, left_out = Path(path), list[Prepared](), list[tuple[str, str]]()
    if file.suffix.lower() != inside.ARCHIVE:
        made.append(_prepared(file, read_parts(file, read=read_here), known))
    else:
        for name, found in inside.members(file.read_bytes()):
            try:
                if isinstance(found, str):
                    raise Unreadable(found)
                made.append(_prepared(file / name, iter([found]), known))
            except Unreadable as error:
                left_out.append((name, str(error)))
        if not made:
            raise inside.unread(left_out)
    told = [(f"{each.path}{ATTACHED}{name}", reason) for each in made for name, reason in each.left_out]
    return ReadFile(tuple(made), (*((f"{path}{ATTACHED}{name}", reason) for name, reason in left_out), *told))


def _prepared(file: Path, parts: Iterator[ReadDocument], known: Mapping[str, Any]) -> Prepared:
    """A document on its way into the index; `Unreadable` if it holds no text."""
    first = next(parts)
    title, language = file_title(first.title, file.stem), detect(first.text)
    known = {**known, "path": file.as_posix(), "uri": file.as_uri(), "title": title, "language": language}
    prepared = index.prepare(chain([first], parts), **known)
    if not first.blocks and not prepared.rows:
        raise Unreadable("it holds no text")
    return prepared


_TAG = f":{_READING_VERSION}.{ANALYSIS_VERSION}"


def _batches(files: Iterable[FoundFile]) -> Iterator[list[FoundFile]]:
    """Files in groups that are small enough for one transaction and for a progress bar."""
    batch: list[FoundFile] = []
    size = 0
    for file in files:
        if batch and (len(batch) >= _BATCH_FILES or size + file.size > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch
