"""Writes that share a transaction when they come at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from fathom.knowledge.database import IndexDatabase
from fathom.knowledge.index import Connection
from fathom.outcomes import in_thread, settle

T = TypeVar("T")
_Waiting: TypeAlias = tuple[Callable[[Connection], Any], asyncio.Future[Any]]


class GroupedWriter:
    """Writes of one event loop to one file: those that come during a commit share the next one."""

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` returns, once that is durable. It may be done twice: only the second time counts then.

        Raises:
            StoreError: the file cannot be written.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return await done

    async def close(self) -> None:
        """Finish what is under way."""
        if self._writing:
            await self._writing

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            try:
                outcomes = await in_thread(self._commit, [work for work, _ in group])
            except Exception as error:  # noqa: BLE001 - there is no thread for it, or its error is none to catch
                outcomes = [error] * len(group)
            for (_, done), outcome in zip(group, outcomes, strict=True):
                settle(done, outcome)

    def _commit(self, group: Sequence[Callable[[Connection], Any]]) -> list[Any]:
        """The value or the error of each; one that fails does not undo the others."""
        try:
            with self._database.write() as connection:
                return [work(connection) for work in group]
        except Exception as error:  # noqa: BLE001 - it is raised in whoever waits for the write
            return [error] if len(group) == 1 else [self._commit([work])[0] for work in group]
