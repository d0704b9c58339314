"""A SQLite file with the tables of a knowledge base: opening it, migrating it, and saying what is wrong with it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from fathom.errors import FathomError, StoreError
from fathom.knowledge.schema import MIGRATIONS

_BUSY_SECONDS = 60


class Database:
    """Connections to one file, each used by one thread at a time."""

    def __init__(
        self,
        path: Path,
        migrations: Sequence[str] = MIGRATIONS,
        *,
        called: str = "Knowledge base",
        remedy: str = "move the file away and ingest the documents again",
    ) -> None:
        """`called` and `remedy` are for messages: what the file is, and what to do when it is damaged."""
        self.path = path
        self._migrations = migrations
        self._name = f"{called} '{path}'"
        self._remedy = remedy
        self._idle: list[sqlite3.Connection] = []
        self._lock = Lock()
        self._migrated = False

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection on which everything read belongs to one state of the file.

        Raises:
            StoreError: the file cannot be read.
        """
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
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

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
        except (sqlite3.Error, OSError) as error:
            raise self._explained(error) from error

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        try:
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA recursive_triggers = ON")
            connection.execute("PRAGMA cache_size = -32000")
            if not self._migrated:
                self._migrate(connection)
                self._migrated = True
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        known = len(self._migrations)
        if _version(connection) == known:
            return
        connection.execute("BEGIN IMMEDIATE")  # a second process may be migrating at the same moment
        version = _version(connection)
        if version > known:
            connection.execute("ROLLBACK")
            raise StoreError(
                f"{self._name} was written by a newer Fathom (format {version}, known is {known}): "
                "upgrade Fathom, or use another file."
            )
        for migration in self._migrations[version:]:
            for statement in _statements(migration):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {known}")
        connection.execute("COMMIT")

    def _explained(self, error: sqlite3.Error | OSError) -> FathomError:
        text = str(error)
        name = self._name
        if "full" in text or getattr(error, "errno", None) == 28:
            return StoreError(
                f"{name} cannot be written: the disk is full. Free some space and go on; nothing is lost."
            )
        if "locked" in text or "busy" in text:
            return StoreError(f"{name} is being written by another process: try again when it has ended.")
        if "malformed" in text or "not a database" in text or "corrupt" in text:
            return StoreError(f"{name} is damaged ({text}): {self._remedy}.")
        return StoreError(f"{name} cannot be used: {text}. Check the file and its folder.")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not wait for another process that is doing the same, so we do."""
    until = time.monotonic() + _BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
