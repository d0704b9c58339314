"""The queue of runs in the file of the runs: who carries out which, and until when."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from fathom.errors import Conflict
from fathom.events import Failed
from fathom.outcomes import in_thread
from fathom.ports import ACTIVE, RunRecord
from fathom.ports.queue import Lease
from fathom.stores.database import RunDatabase, writes
from fathom.stores.presence import Presence
from fathom.stores.sqlite import (
    insert_event,
    insert_run,
    now,
    number_of,
    owner_of,
    put_record,
    record_of,
    under_way,
)

ALIVE_SECONDS = 15
"""Where nobody sees it: a running run of no worker that has not stored its clock for so long has lost its process."""


_ACTIVE = f"json_extract(record, '$.status') IN {ACTIVE}"
_FREE = "wanted AND worker IS NULL AND leased_until < ?"


class SqliteRunQueue:
    """The run queue of one machine. It shares the file, and the connection, with the run store."""

    def __init__(self, database: RunDatabase, *, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self._clock = clock
        self._presence = Presence(database.path.parent / "workers")

    @writes
    def submit(self, db: sqlite3.Connection, run: RunRecord, *, key: str = "", digest: str = "") -> RunRecord:
        """Store a new run with the status `queued`, once per key (see `RunQueue`)."""
        if key and (earlier := _submitted(db, key, digest)):
            return earlier
        queued = run.model_copy(update={"status": "queued"})
        no = insert_run(db, queued)
        db.execute("UPDATE runs SET wanted = 1 WHERE no = ?", (no,))
        if key:
            db.execute("INSERT INTO requests VALUES (?, ?, ?)", (key, digest, no))
        return queued

    async def submitted(self, key: str, digest: str) -> RunRecord | None:
        """The run of an earlier request with that key (see `RunQueue`)."""
        return await self.database.read(lambda db: _submitted(db, key, digest))

    async def requeue(self, run_id: str, **changes: Any) -> RunRecord:
        """Have a run carried out that nobody is at work on (see `RunQueue`)."""

        def work(db: sqlite3.Connection) -> RunRecord:
            no = number_of(db, run_id)
            run = record_of(db, no)
            if run.status == "completed":
                raise Conflict(f"The run {run_id} is complete: there is nothing to go on with.")
            wanted, worker = db.execute("SELECT wanted, worker FROM runs WHERE no = ?", (no,)).fetchone()
            if wanted and (run.status == "queued" or (run.is_active and worker)):
                raise Conflict(f"The run {run_id} is under way already.")
            alive = self._presence.is_alive(owner_of(run_id))
            if alive is None:
                alive = run.status == "running" and not wanted and _seconds_since(run.updated_at) < ALIVE_SECONDS
            if alive and run.is_active:
                raise under_way(run_id)
            again = {"status": "queued", "updated_at": now(), "stop_requested": False, "error": None, "failure": ""}
            changed = RunRecord.model_validate({**run.model_dump(), **again, **changes, "run_id": run_id})
            put_record(db, no, changed)
            db.execute("UPDATE runs SET wanted = 1, worker = NULL, leased_until = 0 WHERE no = ?", (no,))
            return changed

        await self._free_the_runs_of_the_gone()
        return await self.database.write(work)

    async def withdraw(self, run_id: str, *, error: str, worker: str = "") -> RunRecord | None:
        """End a run that waits and that no other worker has (see `RunQueue`)."""

        def work(db: sqlite3.Connection) -> RunRecord | None:
            no = number_of(db, run_id)
            run = record_of(db, no)
            free = db.execute(
                f"SELECT 1 FROM runs WHERE no = ? AND ({_FREE} OR worker = ?)", (no, self._clock(), worker)
            ).fetchone()
            if run.status != "queued" or not free:
                return None
            has_report = db.execute("SELECT 1 FROM reports WHERE run = ?", (no,)).fetchone()
            failed = {"status": "failed", "error": error, "failure": "cancelled"}
            changes: dict[str, Any] = {"status": "partial"} if has_report else failed
            changed = run.model_copy(update={**changes, "updated_at": now(), "stop_requested": False})
            if not has_report:
                insert_event(db, no, run_id, Failed(error=error))
            put_record(db, no, changed)
            db.execute("UPDATE runs SET wanted = 0 WHERE no = ?", (no,))
            return changed

        await self._free_the_runs_of_the_gone(worker)
        return await self.database.write(work)

    @writes
    def take_out(self, db: sqlite3.Connection, run_id: str) -> None:
        """Have no worker carry a run out any more: somebody else does."""
        no = number_of(db, run_id)
        if self._presence.is_alive(owner_of(run_id)):
            raise under_way(run_id)
        db.execute("UPDATE runs SET wanted = 0, worker = NULL, leased_until = 0 WHERE no = ?", (no,))

    async def claim(self, worker: str, *, seconds: float) -> RunRecord | None:
        """The oldest run that waits or whose worker is gone, now leased to `worker`."""
        await in_thread(self._presence.sign_on, worker)
        await self._free_the_runs_of_the_gone(worker)

        def work(db: sqlite3.Connection) -> RunRecord | None:
            moment = self._clock()
            # a worker that died between the end of a run and its release has left it wanted
            db.execute(f"UPDATE runs SET wanted = 0 WHERE {_FREE} AND NOT {_ACTIVE}", (moment,))
            row = db.execute(f"SELECT no FROM runs WHERE {_FREE} ORDER BY no LIMIT 1", (moment,)).fetchone()
            if row is None:
                return None
            db.execute("UPDATE runs SET worker = ?, leased_until = ? WHERE no = ?", (worker, moment + seconds, row[0]))
            return record_of(db, row[0])

        def look(db: sqlite3.Connection) -> bool:
            return db.execute(f"SELECT 1 FROM runs WHERE {_FREE} LIMIT 1", (self._clock(),)).fetchone() is not None

        # a worker with nothing to do looks every second: it shall not keep others from writing
        return await self.database.write(work) if await self.database.read(look) else None

    async def _free_the_runs_of_the_gone(self, worker: str = "") -> None:
        """Have others take what a worker has left: its process is known to be gone, or nobody knows and its lease has
        run out. Who is seen to be at work keeps its runs, whatever the clocks of both say."""

        def others(db: sqlite3.Connection) -> list[tuple[str, float]]:
            return db.execute(
                "SELECT worker, max(leased_until) FROM runs WHERE wanted AND worker != ? GROUP BY worker", (worker,)
            ).fetchall()

        def gone(leases: list[tuple[str, float]]) -> list[str]:
            return [
                name
                for name, until in leases
                if (alive := self._presence.is_alive(name)) is False or (alive is None and until < self._clock())
            ]

        leases = await self.database.read(others)
        for name in await in_thread(gone, leases) if leases else []:
            await self._free_all(name)

    async def _free_all(self, worker: str) -> int:
        def work(db: sqlite3.Connection) -> int:
            changed = db.execute(
                "UPDATE runs SET worker = NULL, leased_until = 0 WHERE wanted AND worker = ?", (worker,)
            )
            return changed.rowcount

        return await self.database.write(work)

    @writes
    def renew(self, db: sqlite3.Connection, worker: str, *, seconds: float) -> list[Lease]:
        """Hold on to every run of `worker`: those that are missing it has lost."""
        db.execute("UPDATE runs SET leased_until = ? WHERE wanted AND worker = ?", (self._clock() + seconds, worker))
        rows = db.execute(
            "SELECT run_id, json_extract(record, '$.stop_requested'), json_array_length(record, '$.waiting_for') "
            "FROM runs WHERE wanted AND worker = ?",
            (worker,),
        )
        return [Lease(run_id, bool(stop), bool(asked)) for run_id, stop, asked in rows]

    @writes
    def release(self, db: sqlite3.Connection, run_id: str, worker: str, *, done: bool, pause: float = 0.0) -> None:
        """Let go of a run (see `RunQueue`)."""
        db.execute(
            "UPDATE runs SET wanted = ?, worker = NULL, leased_until = ? "
            f"WHERE run_id = ? AND worker = ? AND NOT (? AND {_ACTIVE})",
            (not done, self._clock() + pause if pause else 0, run_id, worker, done),
        )

    async def let_go(self, worker: str) -> int:
        """Let go of every run of `worker`, which works no more, for others to take up at once."""
        freed = await self._free_all(worker)
        await in_thread(self._presence.sign_off, worker)
        return freed


def _submitted(db: sqlite3.Connection, key: str, digest: str) -> RunRecord | None:
    earlier = db.execute("SELECT run, digest FROM requests WHERE key = ?", (key,)).fetchone()
    if earlier is None:
        return None
    if earlier[1] != digest:
        raise Conflict(f"The key '{key}' belongs to another request: give each request a key of its own.")
    return record_of(db, earlier[0])


def _seconds_since(moment: str) -> float:
    """How long ago an ISO 8601 moment was."""
    return (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
