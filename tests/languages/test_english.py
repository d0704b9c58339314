"""English names of documents."""

from __future__ import annotations

from tests.languages.conftest import Told


async def test_what_its_name_calls_old_stands_behind_what_took_its_place(told: Told) -> None:
    files = {
        "restore-database-OLD.md": "# Restore the database - OLD\n\nTo restore the database, copy the tape by hand.\n",
        "restore-database.md": "# Restore the database\n\nTo restore it, ask the cluster for the last snapshot.\n",
    }
    report = await told("How do I restore the database?", files)
    assert report.index("last snapshot") < report.index("OLD (older)") < report.index("copy the tape")
