"""Which records were met, and the records of a snapshot as passages.

A scan may meet a hundred thousand records, and the memory of a run must not grow with them. So their ids stand in a
private SQLite database that has no name: it lives in a temporary file, which is gone when it is closed, and only what
is looked at now is in memory. It need not outlive the process: the journal rebuilds it.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Literal

from fathom.data.fields import FieldMapping
from fathom.data.snapshots import RecordPlace, field_name, records_in
from fathom.evidence import Block, Passage

Bit = Literal[1, 2, 4]
FETCHED: Bit = 1
PAGED: Bit = 2
READ: Bit = 4
"""Bits of what became of a record: it was returned; a page of a scan has brought it; it was read for findings."""
_LINE = re.compile(r"\S.*")
CACHE_KILOBYTES = 1_024
"""What of the ids is kept in memory."""
AT_ONCE = 1_000
"""Ids that one statement asks for."""


class Met:
    """What was met, each once, on disk.

    Records are counted for the conditions that they were asked for under, and read once whatever these were. `scope` is
    the table: ids of different tables have nothing in common.
    """

    def __init__(self) -> None:
        # an empty name is a temporary database on disk
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute(f"PRAGMA cache_size = -{CACHE_KILOBYTES}")
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute(
            "CREATE TABLE record (scope TEXT, id TEXT, conditions INTEGER, bits INTEGER, "
            "PRIMARY KEY (scope, id, conditions)) WITHOUT ROWID"
        )
        self._database.execute("CREATE TABLE once (kind TEXT, name TEXT, PRIMARY KEY (kind, name)) WITHOUT ROWID")
        self._conditions: dict[str, int] = {}
        self.fetched: Counter[str] = Counter()
        """Different records by the conditions that they match."""
        self.paged: Counter[str] = Counter()
        """Those of them that pages of a scan have brought."""
        self.read: Counter[str] = Counter()
        """Those of them that were read for findings."""
        self.different = 0
        """Different records of all."""
        self.all_read = 0
        """Different records that were read."""

    def note(self, conditions: str, scope: str, ids: Iterable[str], bit: Bit) -> int:
        """Take down that records were met under these conditions; returns for how many of them that is new."""
        number = self._conditions.setdefault(conditions, len(self._conditions))
        known = self._known(scope, ids)
        new, rows = 0, []
        for id, under in known.items():
            before = under.get(number, 0)
            was_read = any(bits & READ for bits in under.values())
            bits = before | FETCHED | bit | (READ if was_read else 0)
            self.different += not under
            self.fetched[conditions] += not before
            self.paged[conditions] += bool(bits & PAGED) and not before & PAGED
            self.read[conditions] += bool(bits & READ) and not before & READ
            self.all_read += bit == READ and not was_read
            new += not before & bit
            if bits != before:
                rows.append((scope, id, number, bits))
        self._database.execute("BEGIN")
        self._database.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)", rows)
        self._database.execute("COMMIT")
        return new

    def unread(self, scope: str, ids: Iterable[str]) -> list[str]:
        """Those of the records that were not read for findings, each once, in order."""
        known = self._known(scope, ids)
        return [id for id, under in known.items() if not any(bits & READ for bits in under.values())]

    def _known(self, scope: str, ids: Iterable[str]) -> dict[str, dict[int, int]]:
        """The bits of each record by its conditions; empty for one that was never met."""
        found: dict[str, dict[int, int]] = {id: {} for id in ids}
        names = iter(found)
        while some := tuple(islice(names, AT_ONCE)):
            rows = self._database.execute(
                f"SELECT id, conditions, bits FROM record WHERE scope = ? AND id IN ({', '.join('?' * len(some))})",
                (scope, *some),
            )
            for id, number, bits in rows:
                found[id][number] = bits
        return found

    def first_time(self, kind: str, name: str) -> bool:
        """Whether this is met for the first time; it is taken down."""
        return bool(self._database.execute("INSERT OR IGNORE INTO once VALUES (?, ?)", (kind, name)).rowcount)

    def close(self) -> None:
        """Let go of the temporary file."""
        self._database.close()


# ── Records as passages ────────────────────────────────────────────────────────────────────────────────────────────


def passages_of(text: str, sha256: str, *, mapping: FieldMapping) -> dict[str, Passage]:
    """The records of a snapshot by their ids; of equal ids the first one counts.

    Their structure is in their text, which `records_in` reads: as blocks it would be most of what a scan makes.
    """
    title = field_name(mapping.title) if mapping.title else ""
    found: dict[str, Passage] = {}
    for record in records_in(text):
        found.setdefault(record.id, _passage(text, sha256, record, title))
    return found or _prose(text, sha256)


def _prose(text: str, sha256: str) -> dict[str, Passage]:
    """What a tool has said in words, as one passage, without the head of the snapshot."""
    start = text.find("\n\n") + 2
    end = len(text.rstrip())
    if start < 2 or end <= start:
        return {}
    blocks = [
        Block(kind="paragraph", start=start + found.start(), end=start + found.end())
        for found in _LINE.finditer(text[start:end])
    ]
    passage = Passage(document=sha256, start=start, end=end, text=text[start:end], blocks=tuple(blocks))
    return {f"text {sha256[:12]}": passage}


def _passage(text: str, sha256: str, record: RecordPlace, title: str) -> Passage:
    span = record.fields.get(title)
    named = text[span.start : span.end] if span else ""
    return Passage(
        document=sha256,
        start=record.start,
        end=record.end,
        text=text[record.start : record.end],
        headings=(named,) if named else (),
    )
