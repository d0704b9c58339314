"""What every SQLite file of Fathom needs: opening it, finding what has rotted in it, and saying
in one line what is wrong with it."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import struct
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fathom.errors import Damaged, StoreError

CHECKED_BYTES = 8_000_000
"""Files up to this size are looked through whenever they are opened, which takes 3 ms per MB. Of larger ones what is
read back as truth is checked, and `fathom doctor` looks through the rest."""
BUSY_SECONDS = 30
"""How long a write waits for another process."""


def checksum(*values: str | bytes | float | None) -> int:
    """CRC-32 of the values of a row. It finds any change of up to 32 bits in a row, at a GB per second; it stands
    against disks and not against people, who could write it as well as the row."""
    found = 0
    for value in values:
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
        found = zlib.crc32(data, zlib.crc32(b"%d" % (-1 if value is None else len(data)), found))
    return found


def raw(columns: str) -> str:
    """The columns for `checksum` in SQL, which would fail at a text that is no UTF-8 any more."""
    return ", ".join(f"CAST({column} AS BLOB)" for column in columns.split(", "))


def sound(row: Sequence[Any], lost: str) -> Sequence[Any]:
    """A row behind its first column, in which SQL says whether its checksum fits.

    Raises:
        Damaged: it does not; `lost` says what is lost, and what to do.
    """
    if row[0] != 1:
        raise Damaged(lost)
    return row[1:]


def unpacked(body: Any, *, digest: str | bytes | None, lost: str) -> str:
    """A text that may be compressed, if it still has that SHA-256, given in bytes or in hex.

    Raises:
        Damaged: it is not as it was stored; `lost` says what is lost, and what to do.
    """
    text, found = _looked_at(body)
    if found is None or found != (bytes.fromhex(digest) if isinstance(digest, str) else digest):
        raise Damaged(lost)
    return text


def _looked_at(body: Any) -> tuple[str, bytes | None]:
    """A stored text and its SHA-256, which is none when it cannot be read."""
    try:
        data = zlib.decompress(body) if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
        return data.decode("utf-8", "surrogatepass"), hashlib.sha256(data).digest()
    except (zlib.error, ValueError, AttributeError):
        return "", None


def private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone."""
    for each in reversed([folder, *folder.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)


class SqliteFile:
    """One file in WAL mode; where nothing may be written, it can still be read."""

    def __init__(self, path: Path, schema: str = "", *, version: int = 0, name: str, remedy: str) -> None:
        """`name` and `remedy` are for messages: what the file is called, and what to do when it is damaged."""
        self.path = path
        self._schema, self._known = schema, version
        self._name = name
        self._remedy = remedy

    def connected(self, *, cached: int) -> sqlite3.Connection:
        """A new connection, with `checksum` and `sha256` for SQL; the file is made when it is not there."""
        if not self.path.exists():
            private_folder(self.path.parent)
            os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))  # its log gets the same mode
        connection = sqlite3.connect(
            self._uri(),
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=cached,
        )
        connection.create_function("checksum", -1, checksum, deterministic=True)
        connection.create_function("sha256", 1, lambda body: _looked_at(body)[1], deterministic=True)
        connection.execute("PRAGMA synchronous = NORMAL")  # in WAL mode a killed process loses nothing
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    @property
    def is_writable(self) -> bool:
        """Whether it can be written to: its log stands beside it."""
        return os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)

    def _uri(self) -> str:
        log = Path(f"{self.path}-wal")
        how = "rw" if self.is_writable else "ro" if log.exists() and log.stat().st_size else "ro&immutable=1"
        return f"file:{quote(str(self.path.resolve()))}?mode={how}"

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a new file, and look through it when it is small.

        Raises:
            StoreError: another version of Fathom has written it.
            Damaged: something in it has rotted.
        """
        version = _version(connection)
        self._miss_nothing(connection)
        if self.is_writable:
            _write_ahead(connection)
        if version != self._known:
            self._make(connection)
        if version and self.path.stat().st_size <= CHECKED_BYTES and (said := structural_damage(connection)):
            raise self.damaged(said)

    def _miss_nothing(self, connection: sqlite3.Connection) -> None:
        """See that SQLite has taken up the whole log that a killed process has left: behind a damaged piece of it, it
        leaves out what follows, and says nothing."""
        if not self.is_writable:
            return
        log = Path(f"{self.path}-wal")
        (page,) = connection.execute("PRAGMA page_size").fetchone()
        for look in ("SELECT 1", "BEGIN IMMEDIATE"):  # who may write sees nobody in the middle of a commit
            connection.execute(look)
            salt, commits = _commits(log, page + 24)
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            busy, taken_up, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if busy or not commits or commits <= taken_up or _commits(log, page + 24)[0] != salt:  # others are at work
                return
        if _are_whole(log, page + 24, taken_up, commits):  # whoever was killed had told nobody of this commit yet
            return
        aside = shutil.copyfile(log, f"{log}.damaged")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        raise Damaged(
            f"The last changes to {self.path} are lost, for its log is damaged (it is kept as {aside}). "
            "What came before is whole: run the command again."
        )

    def _make(self, connection: sqlite3.Connection) -> None:
        """Make the tables, in one transaction, unless another process just has."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = _version(connection)
            if version not in (0, self._known):
                age, remedy = ("a newer", "upgrade") if version > self._known else ("an older", "move it away")
                raise StoreError(
                    f"{self._name} was written by {age} version of Fathom (format {version}, known is {self._known}): "
                    f"{remedy}, or set FATHOM_HOME."
                )
            for statement in () if version else _statements(self._schema):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {self._known}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def rotten(self, *, within: float) -> tuple[str, str]:
        """What is wrong in the file, and which parts of it were not looked through, for so many seconds are not enough
        or it may not be written; both are empty when all is well."""
        until = time.monotonic() + within
        left = []
        with closing(self.connected(cached=0)) as connection:
            self._miss_nothing(connection)
            connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
            for part, look in _PARTS.items():
                try:
                    if said := look(connection):
                        return said, ""
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF not in _UNSEEN:
                        raise
                    left.append(part)
        return "", ", ".join(left)

    def compact(self) -> None:
        """Give back the room that nothing is in."""
        with closing(self.connected(cached=0)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def set_aside_if_damaged(self) -> None:
        """Rename a damaged file that can be done without; as for `connected`, one is made when it is not there."""
        try:
            with closing(self.connected(cached=0)) as connection:
                if not structural_damage(connection):
                    return
        except (sqlite3.DatabaseError, ValueError) as error:
            if not isinstance(self.explained(error), Damaged):
                raise
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                Path(f"{self.path}{suffix}").replace(f"{self.path}.damaged{suffix}")

    def damaged(self, said: str, *, remedy: str = "") -> Damaged:
        """That the file is damaged, and what to do."""
        return Damaged(f"{self._name} is damaged ({' '.join(said.split())[:200]}): {remedy or self._remedy}.")

    def explained(self, error: Exception) -> StoreError:
        """What happened to the file, or to what was found in it, in one line, and what to do."""
        if isinstance(error, OSError):
            return StoreError(f"{self.path.parent} cannot be used: {error.strerror}. Set FATHOM_HOME to a folder.")
        if not isinstance(error, sqlite3.Error):
            return self.damaged(f"{type(error).__name__} at what is stored")
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_FULL:
                said = "cannot grow, its disk is full: free some space, then go on. What was stored is safe."
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                said = "cannot be written: allow writing to it and its folder, or set FATHOM_HOME."
            case sqlite3.SQLITE_CANTOPEN:
                said = "cannot be opened: check its folder and its permissions, or set FATHOM_HOME."
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                said = f"is held by another process for more than {BUSY_SECONDS} seconds: end it, then try again."
            case sqlite3.SQLITE_IOERR:
                said = "cannot be read or written, the disk fails or is full: look after it, then go on."
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                return self.damaged(str(error))
            case _ if "decode to UTF-8" in str(error):  # the text follows
                return self.damaged(str(error).partition(" with text ")[0])
            case _:
                said = f"failed: {error}. If it does so again, {self._remedy}."
        return StoreError(f"{self._name} {said}")


def structural_damage(connection: sqlite3.Connection) -> str:
    """What SQLite finds wrong in how a file hangs together; empty when nothing is."""
    (said,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return "" if said == "ok" else str(said)


def _unsound(connection: sqlite3.Connection) -> str:
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'unsound'").fetchone():
        return ""
    rows = connection.execute("SELECT what || ', ' || count(*) || ' times' FROM unsound GROUP BY what")
    return "; ".join(said for (said,) in rows)


def _unlike_its_texts(connection: sqlite3.Connection) -> str:
    """Read every full-text index and every text that it is over: SQLite says whether they fit, and how long each is."""
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE '% USING fts5 (%'").fetchall():
        try:
            connection.execute(f"INSERT INTO {name} ({name}, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            return "its full-text index does not fit its texts"
    return ""


_PARTS = {"how it hangs together": structural_damage, "its rows": _unsound, "its full-text index": _unlike_its_texts}
_STEPS = 1_000  # of SQLite's machine, from one look at the time to the next
_UNSEEN = (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY)


def room(connection: sqlite3.Connection) -> int:
    """Bytes of the file that nothing is in."""
    sizes = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
    return int(connection.execute(sizes).fetchone()[0])


def _commits(log: Path, step: int) -> tuple[bytes, int]:
    """The salt of a log, and the number of the last piece that ends a commit (https://sqlite.org/walformat.html)."""
    try:
        with log.open("rb", buffering=0) as file:
            head = file.read(32)
            pieces = (log.stat().st_size - 32) // step
            for number in range(pieces, 0, -1):
                file.seek(32 + (number - 1) * step)
                piece = file.read(24)
                if piece[8:16] == head[16:24] and any(piece[4:8]):
                    return head[16:24], number
            # of its first commit, a killed process may have written no more than a beginning
            return head[16:24], 0 if _is_whole(head) else min(1, pieces)
    except OSError:
        return b"", 0


def _are_whole(log: Path, step: int, behind: int, to: int) -> bool:
    """Whether all pieces behind that one are whole, up to and with another one."""
    try:
        with log.open("rb", buffering=0) as file:
            head = file.read(32)
            before = head[24:]
            file.seek(32 + max(behind - 1, 0) * step)
            if behind:
                before = file.read(step)[16:24]
            for _ in range(to - behind):
                piece = file.read(step)
                is_of_it = len(piece) == step and piece[8:16] == head[16:24]
                if not is_of_it or _checksum(head, piece[:8] + piece[24:], after=before) != piece[16:24]:
                    return False
                before = piece[16:24]
    except OSError:
        return False
    return True


def _is_whole(head: bytes) -> bool:
    """Whether the head of a log has the checksum that it names."""
    return _checksum(head, head[:24], after=bytes(8)) == head[24:]


def _checksum(head: bytes, text: bytes, *, after: bytes) -> bytes:
    """The checksum of the next piece of a log with that head."""
    first, second = struct.unpack(">II", after)
    for one, other in struct.iter_unpack(">II" if head[:4] == b"\x37\x7f\x06\x83" else "<II", text):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return struct.pack(">II", first, second)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not wait for another process that is doing the same, so we do."""
    until = time.monotonic() + BUSY_SECONDS
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
