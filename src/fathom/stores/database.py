"""One SQLite file, written by one thread that commits in groups, read by another."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import zlib
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from fathom.errors import StoreError
from fathom.outcomes import in_thread, in_thread_of, settle
from fathom.sqlite_file import SqliteFile

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

GROUP = 256
"""At most this many writes share a commit."""
_REMEDY = "put a backup in its place, or move it away to start anew"


@dataclass(frozen=True)
class _Write(Generic[T]):
    work: Work[T]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[T]


class RunDatabase:
    """A SQLite file in WAL mode.

    `write` returns once the work is committed. Writes that arrive while a commit is under way share the next one, so
    that many concurrent calls cost one commit, and a lone call waits for nobody.
    """

    def __init__(self, path: Path, schema: str, *, version: int) -> None:
        self.path = path
        file = SqliteFile(path, schema, version=version, name=str(path), remedy=_REMEDY)
        self.translate = file.explained
        try:
            self._writing = file.connected(cached=256)
            file.prepare(self._writing)
            self._reading = file.connected(cached=256)
            self._reading.execute("PRAGMA query_only = ON")
        except (OSError, sqlite3.Error, ValueError) as error:
            raise self.translate(error) from error
        self._queue: queue.SimpleQueue[_Write[Any] | None] = queue.SimpleQueue()
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fathom-reader")
        self._writer = threading.Thread(target=self._commit_in_groups, name="fathom-writer", daemon=True)
        self._writer.start()
        self._closed = False

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction and return its value once that is committed; what it raises undoes it.

        Raises:
            StoreError: the file cannot be written; nothing of `work` is stored.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        if self._closed:
            raise StoreError(f"{self.path} is closed.")
        self._queue.put(_Write(work, loop, done))
        return await done

    async def read(self, work: Work[T]) -> T:
        """Run `work` on what is committed at one moment, however many statements it takes.

        Raises:
            StoreError: the file cannot be read.
        """
        if self._closed:
            raise StoreError(f"{self.path} is closed.")
        try:
            return await in_thread_of(self._reader, partial(self._look, work))
        except (sqlite3.Error, zlib.error, ValueError) as error:  # what is stored is no text, or not of its shape
            raise self.translate(error) from error

    def _look(self, work: Work[T]) -> T:
        self._reading.execute("BEGIN")
        try:
            return work(self._reading)
        finally:
            self._reading.execute("COMMIT")

    async def close(self) -> None:
        """Commit what is under way and let go of the file."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await in_thread(self._writer.join)
        await in_thread(self._reader.shutdown)
        with closing(self._writing), closing(self._reading):
            pass

    # ── The writer's thread ────────────────────────────────────────────────────────────────────────────────────────

    def _commit_in_groups(self) -> None:
        last = False
        while not last:
            group = []
            item = self._queue.get()
            while item is not None:
                group.append(item)
                if len(group) == GROUP or self._queue.empty():
                    break
                item = self._queue.get()
            last = item is None
            if group:
                self._settle(group, self._commit(group))

    def _commit(self, group: Sequence[_Write[Any]]) -> list[Any]:
        """The value or the error of each write, after the commit."""
        connection = self._writing
        try:
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [self._attempt(write.work) for write in group]
            connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - a thread that dies here would leave every later write waiting
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            return [self.translate(error) if isinstance(error, sqlite3.Error) else error] * len(group)
        return outcomes

    def _attempt(self, work: Work[T]) -> T | BaseException:
        """Run one write of a group, so that its failure does not undo its neighbours."""
        connection = self._writing
        connection.execute("SAVEPOINT work")
        try:
            value: T | BaseException = work(connection)
        except sqlite3.OperationalError:
            raise  # the disk is full, the file is damaged: the whole group fails
        except Exception as error:  # noqa: BLE001 - it is raised in the caller, who waits for it
            connection.execute("ROLLBACK TO work")
            value = self.translate(error) if isinstance(error, sqlite3.Error) else error
        connection.execute("RELEASE work")
        return value

    @staticmethod
    def _settle(group: Sequence[_Write[Any]], outcomes: Sequence[Any]) -> None:
        for loop in {write.loop for write in group}:
            mine = [(write, outcome) for write, outcome in zip(group, outcomes, strict=True) if write.loop is loop]

            def tell(mine: list[tuple[_Write[Any], Any]] = mine) -> None:
                for write, outcome in mine:
                    settle(write.done, outcome)

            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(tell)


class Stored(Protocol):
    """Whatever stores in a file."""

    database: RunDatabase


P = ParamSpec("P")
S = TypeVar("S", bound=Stored)
Method = Callable[Concatenate[S, P], Coroutine[Any, Any, T]]


def reads(work: Callable[Concatenate[S, sqlite3.Connection, P], T]) -> Method[S, P, T]:
    """A method whose body is the work of `RunDatabase.read`."""

    @wraps(work)
    async def method(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.read(lambda db: work(self, db, *args, **kwargs))

    return method


def writes(work: Callable[Concatenate[S, sqlite3.Connection, P], T]) -> Method[S, P, T]:
    """A method whose body is the work of `RunDatabase.write`."""

    @wraps(work)
    async def method(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.write(lambda db: work(self, db, *args, **kwargs))

    return method
