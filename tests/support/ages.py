"""Shared by tests: `LONG_AGO`, `age`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from fathom.ports import RunStatus
from fathom.stores.sqlite import SqliteRunStore

LONG_AGO = "2020-01-01T00:00:00.000+00:00"


def age(home: Path, run_id: str, *, status: RunStatus = "completed") -> None:
    """Have a run be one that nobody has touched for years."""

    async def work() -> None:
        store = SqliteRunStore(home / "runs.sqlite3")
        await store.update_run(run_id, fence=await store.acquire(run_id), updated_at=LONG_AGO, status=status)
        await store.close()

    asyncio.run(work())
