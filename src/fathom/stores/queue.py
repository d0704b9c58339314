"""The queue of runs in the file of the runs: who carries out which, and until when."""

from __future__ import annotations

import sqlite3
import time
from datetime import UTC, datetime
from typing import Any

from fathom.errors import Conflict
from fathom.ports import RunRecord
from fathom.ports.queue import Lease
from fathom.stores.database import Database
from fathom.stores.sqlite import insert_run, now, number_of, put_record, record_of

ALIVE_SECONDS = 15
"""A running run of no worker that has not stored its clock for so long has lost its process."""


class SqliteRunQueue:
    """The run queue of one machine. It shares the file, and the connection, with the run store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def submit(self, run: RunRecord, *, key: str = "", digest: str = "") -> RunRecord:
        """Store a new run with the status `queued`, once per key (see `RunQueue`)."""

        def work(db: sqlite3.Connection) -> RunRecord:
            earlier = db.execute("SELECT run, digest FROM requests WHERE key = ?", (key,)).fetchone() if key else None
            if earlier and earlier[1] != digest:
                raise Conflict(f"The key '{key}' belongs to another request: give each request a key of its own.")
            if earlier:
                return record_of(db, earlier[0])
            queued = run.model_copy(update={"status": "queued"})
            no = insert_run(db, queued)
            db.execute("UPDATE runs SET wanted = 1 WHERE no = ?", (no,))
            if key:
                db.execute("INSERT INTO requests VALUES (?, ?, ?)", (key, digest, no))
            return queued

        return await self._database.write(work)

    async def requeue(self, run_id: str, **changes: Any) -> RunRecord:
        """Have a run carried out that nobody is at work on (see `RunQueue`)."""

        def work(db: sqlite3.Connection) -> RunRecord:
            no = number_of(db, run_id)
            run = record_of(db, no)
            if run.status == "completed":
                raise Conflict(f"The run {run_id} is complete: there is nothing to go on with.")
            if db.execute("SELECT wanted FROM runs WHERE no = ?", (no,)).fetchone()[0]:
                raise Conflict(f"The run {run_id} is under way already.")
            if run.status == "running" and _seconds_since(run.updated_at) < ALIVE_SECONDS:
                raise Conflict(f"The run {run_id} is under way in another process.")
            again = {"status": "queued", "updated_at": now(), "stop_requested": False, "error": None}
            changed = RunRecord.model_validate({**run.model_dump(), **again, **changes, "run_id": run_id})
            put_record(db, no, changed)
            db.execute("UPDATE runs SET wanted = 1, worker = NULL, leased_until = 0 WHERE no = ?", (no,))
            return changed

        return await self._database.write(work)

    async def claim(self, worker: str, *, seconds: float) -> RunRecord | None:
        """The oldest run that waits or whose lease has run out, now leased to `worker`."""

        def work(db: sqlite3.Connection) -> RunRecord | None:
            moment = time.time()
            row = db.execute(
                "SELECT no FROM runs WHERE wanted AND leased_until < ? ORDER BY no LIMIT 1", (moment,)
            ).fetchone()
            if row is None:
                return None
            db.execute("UPDATE runs SET worker = ?, leased_until = ? WHERE no = ?", (worker, moment + seconds, row[0]))
            return record_of(db, row[0])

        return await self._database.write(work)

    async def renew(self, worker: str, *, seconds: float) -> list[Lease]:
        """Hold on to every run of `worker`: those that are missing it has lost."""

        def work(db: sqlite3.Connection) -> list[Lease]:
            db.execute("UPDATE runs SET leased_until = ? WHERE wanted AND worker = ?", (time.time() + seconds, worker))
            rows = db.execute(
                "SELECT run_id, json_extract(record, '$.stop_requested') FROM runs WHERE wanted AND worker = ?",
                (worker,),
            )
            return [Lease(run_id, bool(stop)) for run_id, stop in rows]

        return await self._database.write(work)

    async def release(self, run_id: str, worker: str, *, done: bool) -> None:
        """Let go of a run: it is `done`, or another worker may have it at once."""

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE runs SET wanted = ?, worker = NULL, leased_until = 0 WHERE run_id = ? AND worker = ?",
                (not done, run_id, worker),
            )

        await self._database.write(work)

    async def let_go(self, worker: str) -> int:
        """Let go of every run of `worker`, for others to take up at once."""

        def work(db: sqlite3.Connection) -> int:
            changed = db.execute(
                "UPDATE runs SET worker = NULL, leased_until = 0 WHERE wanted AND worker = ?", (worker,)
            )
            return changed.rowcount

        return await self._database.write(work)


def _seconds_since(moment: str) -> float:
    """How long ago an ISO 8601 moment was."""
    return (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
