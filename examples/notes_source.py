"""A source of your own: notes in an SQLite database, found by its full-text index.

python examples/notes_source.py notes.db
NOTES=notes.db PYTHONPATH=examples fathom research "When are the backups made?" --source notes_source:Notes
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Iterator

from fathom.ports.connector import Hit

SAMPLE = [
    ("backups", "Backups", "2025-06-02", "The Norvik database is backed up every night at two o'clock."),
    ("vault", "The vault", "2025-05-11", "The backups of the Norvik database are kept in Bergen for 35 days."),
    ("lunch", "Lunch", "2024-01-09", "The canteen has fish on Fridays."),
]


class Notes:
    """Finds notes that hold a word of the query, those with the rarest ones first."""

    address = ""  # nothing leaves this machine

    def __init__(self) -> None:
        self.database = sqlite3.connect(os.environ["NOTES"])

    def search(self, query: str, limit: int) -> Iterator[Hit]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        asked = "SELECT id, title, day FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?"
        for id, title, day in self.database.execute(asked, (words, limit)) if words else ():
            yield Hit(id=id, title=title, date=day, uri=f"https://notes.example/{id}")

    def open(self, id: str) -> str:
        ((text,),) = self.database.execute("SELECT text FROM notes WHERE id = ?", (id,))
        return str(text)


def write(path: str) -> None:
    """Write a small database to try it on."""
    with sqlite3.connect(path) as database:
        database.execute("CREATE VIRTUAL TABLE notes USING fts5(id UNINDEXED, title, day UNINDEXED, text)")
        database.executemany("INSERT INTO notes VALUES (?, ?, ?, ?)", SAMPLE)


if __name__ == "__main__":
    write(sys.argv[1])
