"""A SQLite file with the tables of a knowledge base: opening it, and saying what is wrong with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from fathom.knowledge.schema import SCHEMA, SEAL, VERSION
from fathom.sqlite_file import CHECKED_BYTES, SqliteFile

AGAIN = "`fathom ingest --again PATH` looks for what is, and reads that again"
"""What to do about documents that have rotted."""
REBUILD = "INSERT INTO chunk_index (chunk_index) VALUES ('rebuild')"


class IndexDatabase:
    """Connections to one file, each used by one thread at a time."""

    def __init__(
        self,
        path: Path,
        schema: str = SCHEMA,
        *,
        version: int = VERSION,
        called: str = "Knowledge base",
        remedy: str = "move the file away and ingest the documents again",
        seal: str = SEAL,
    ) -> None:
        """`called` and `remedy` are for messages: what the file is, and what to do when it is damaged. `seal` stores
        the checksum of the full-text index."""
        self.path = path
        self._file = SqliteFile(path, schema, version=version, name=f"{called} '{path}'", remedy=remedy)
        self._idle: list[sqlite3.Connection] = []
        self._lock = Lock()
        self._is_ready = False
        self._seal = seal
        self._is_sound = not seal

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection on which everything read belongs to one state of the file.

        Raises:
            StoreError: the file cannot be read.
        """
        if not self._is_sound:
            self._look_through()
        with self._borrowed() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction of its own: all of it is durable at the end, or nothing.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._borrowed() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                if self._seal:
                    connection.execute(self._seal)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _look_through(self) -> None:
        """See, once and when the file is small, that what is read without a look at it is as it was stored. An index
        that is not is made anew: it is a view of the rest."""
        self._is_sound = True
        with self._borrowed() as connection:
            if self.path.stat().st_size > CHECKED_BYTES:
                return
            rotten = connection.execute("SELECT 1 FROM unsound_rows LIMIT 1").fetchone()
            sealed = connection.execute("SELECT value FROM meta WHERE key = 'index'").fetchone()
            now = connection.execute(self._seal.partition(" INTO meta ")[2]).fetchone()[1:]
        if rotten:
            self._is_sound = False
            raise self._file.damaged("a document has changed", remedy=AGAIN)
        if now != sealed:
            with self.write() as connection:
                connection.execute(REBUILD)

    def mend(self) -> int:
        """Remove the documents that have rotted, so that they can be read again; how many those were.

        Raises:
            StoreError: the file cannot be read or written at all.
        """
        with self.write() as connection:
            ids = [id for (id,) in connection.execute("SELECT DISTINCT document_id FROM unsound")]
            own = "id IN (SELECT id FROM chunks WHERE document_id = ?)"
            for id in ids:  # what the index is told to forget must not be what has rotted
                connection.execute(f"UPDATE chunk_terms SET title = '', headings = '', body = '' WHERE {own}", (id,))
                connection.execute("DELETE FROM chunks WHERE document_id = ?", (id,))
                connection.execute("DELETE FROM documents WHERE id = ?", (id,))
            connection.execute(REBUILD)
        return len(ids)

    def set_aside_if_damaged(self) -> None:
        """Rename a damaged file that can be done without; the next one to come makes a new one.

        Raises:
            StoreError: the file cannot be used at all.
        """
        self.close()
        try:
            self._file.set_aside_if_damaged()
        except (sqlite3.Error, OSError) as error:
            raise self._file.explained(error) from error
        self._is_ready = False

    def close(self) -> None:
        """Close every idle connection."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
                connection = connection or self._opened()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            with self._lock:
                self._idle.append(connection)
        except (sqlite3.Error, OSError, ValueError) as error:  # what is stored is no text, or not of its shape
            raise self._file.explained(error) from error

    def _opened(self) -> sqlite3.Connection:
        connection = self._file.connected(cached=64)
        try:
            connection.execute("PRAGMA recursive_triggers = ON")
            connection.execute("PRAGMA cache_size = -32000")
            if not self._is_ready:
                self._file.prepare(connection)
                self._is_ready = True
        except BaseException:
            connection.close()
            raise
        return connection
