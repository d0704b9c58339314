"""Taking out of the file of the runs what is no longer wanted, with all that nothing else uses."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection


def prunable(db: sqlite3.Connection, before: str, *, keep_reports: bool) -> list[tuple[int, str]]:
    """Rows and ids of the runs that were touched last before a moment (ISO 8601, UTC), oldest first; none that waits
    for a worker. One that says it is running may have died, if that was a minute ago. With `keep_reports`, only those
    that hold more than a report."""
    held = "AND (EXISTS (SELECT 1 FROM journal WHERE run = no) OR EXISTS (SELECT 1 FROM events WHERE run = no))"
    touched, status = "datetime(json_extract(record, '$.updated_at'))", "json_extract(record, '$.status')"
    return db.execute(
        f"SELECT no, run_id FROM runs WHERE {touched} < datetime(?) AND NOT wanted AND {status} != 'queued' "
        f"AND ({status} != 'running' OR {touched} < datetime('now', '-1 minute')) {held if keep_reports else ''} "
        "ORDER BY no",
        (before,),
    ).fetchall()


def remove(db: sqlite3.Connection, no: int, *, report_with: Collection[str] | None = None) -> None:
    """Remove a run with all that is only its own; given the digests of its report's sources, only what else it has."""
    answers = db.execute("SELECT DISTINCT answer FROM journal WHERE run = ?", (no,)).fetchall()
    snapshots = db.execute(
        "SELECT snapshot, sha256 FROM run_snapshots JOIN snapshots ON no = snapshot WHERE run = ?", (no,)
    ).fetchall()
    if report_with is None:
        db.execute("DELETE FROM runs WHERE no = ?", (no,))
    else:
        db.execute("DELETE FROM journal WHERE run = ?", (no,))
        db.execute("DELETE FROM events WHERE run = ?", (no,))
        db.execute("DELETE FROM directions WHERE run = ?", (no,))
        snapshots = [each for each in snapshots if each[1] not in report_with]
        db.executemany(
            "DELETE FROM run_snapshots WHERE run = ? AND snapshot = ?", [(no, number) for number, _ in snapshots]
        )
    db.executemany(
        "DELETE FROM answers WHERE no = ?1 AND NOT EXISTS (SELECT 1 FROM journal WHERE answer = ?1)", answers
    )
    db.executemany(
        "DELETE FROM snapshots WHERE no = ?1 AND NOT EXISTS (SELECT 1 FROM run_snapshots WHERE snapshot = ?1)",
        [(number,) for number, _ in snapshots],
    )
