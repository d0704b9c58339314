"""Removing what is old from the home: runs, pages that no run has read, checkpoints; and giving the space back."""

from __future__ import annotations

import sqlite3
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fathom.engine.met import pages_read
from fathom.knowledge.archive import Archive
from fathom.outcomes import in_thread
from fathom.settings import Settings
from fathom.sqlite_file import SqliteFile
from fathom.wiring.adapters import archive_file, checkpoints_file, forget_checkpoints, opened_store, runs_file


async def prune(older: float, settings: Settings, *, keep_reports: bool, dry_run: bool) -> tuple[list[str], int]:
    """Remove the runs that nobody has touched for `older` seconds, and the pages that only they have read.

    Args:
        keep_reports: Leave the reports, with the texts they cite.
        dry_run: Only say what that would do.

    Returns:
        The ids of the runs, and how many bytes are free by that.
    """
    before = (datetime.now(UTC) - timedelta(seconds=older)).isoformat(timespec="milliseconds")
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opened_store(settings))
        gone, freed = await store.prune(before, keep_reports=keep_reports, dry_run=dry_run)
        if archive_file(settings).exists():
            archive = Archive(archive_file(settings))
            stack.push_async_callback(archive.close)
            kept: set[str] = set()
            for run in await store.runs(limit=1_000_000):
                if run.sources.get("web") and (keep_reports or run.run_id not in gone):
                    kept |= {page.document.sha256 for page in pages_read(await store.journal(run.run_id)).values()}
            freed += await archive.prune(before, keep=kept, dry_run=dry_run)
    if not dry_run:
        for run_id in gone:
            await forget_checkpoints(run_id, settings)
        for path in (runs_file(settings), archive_file(settings), checkpoints_file(settings)):
            await in_thread(_compact, path)
    return gone, freed


def _compact(path: Path) -> None:
    file = SqliteFile(path, name=str(path), remedy="put a backup in its place")
    try:
        if path.exists():
            file.compact()
    except sqlite3.Error as error:
        raise file.explained(error) from error
