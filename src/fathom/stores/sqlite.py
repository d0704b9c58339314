"""Runs, journals, events, snapshots and reports in one SQLite file."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import zlib
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from fathom.errors import Conflict, Fenced, NotFound, UsageError
from fathom.events import Event, Failed, Finished, StoredEvent
from fathom.frozen import FrozenModel
from fathom.outcomes import in_thread
from fathom.ports import CallUsage, EndedRun, JournalEntry, News, RunRecord, RunStatus
from fathom.report import Claim, EvidenceEntry, FindingEntry, Report, SourceEntry
from fathom.sqlite_file import checksum, raw, room, sound, unpacked
from fathom.stores import pruning
from fathom.stores.database import RunDatabase, reads, writes
from fathom.stores.presence import Presence
from fathom.stores.schema import SCHEMA, VERSION

PACK_FROM = 256
"""Texts of fewer characters are stored as they are."""
IN_ONE_GO = 500_000
"""Reports of fewer characters are read in one go."""
_MANY: dict[str, type[FrozenModel]] = {
    "claims": Claim,
    "evidence": EvidenceEntry,
    "findings": FindingEntry,
    "sources": SourceEntry,
}
"""What a long report has many of."""
POLL_SECONDS = 0.25
"""How often a follower looks for events of another process."""
_RECORD = f"mark = checksum({raw('no, run_id, record')}), run_id, record"
_CALL = "run, path, request, seq, kind, answer, usage"
_CALL_MARK = f"checksum({raw(_CALL)}, seconds)"
_EVENT = "run, seq, at, event"
_SAID = "run, key, seq, said"
_EVENT_MARK = f"checksum({raw(_EVENT)})"


class SqliteRunStore:
    """The run store of one machine. Several processes may use the file at once; `acquire` settles who owns a run."""

    def __init__(self, path: Path) -> None:
        """Open the file, which is made when it is not there.

        Raises:
            StoreError: it cannot be used; the message names the file and what to do.
        """
        self.database = RunDatabase(path, SCHEMA, version=VERSION)
        self._presence = Presence(path.parent / "workers")
        self._seq: dict[int, int] = {}
        self._news: dict[str, asyncio.Event] = {}
        self._stirring = asyncio.Event()

    # ── Runs ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def create_run(self, run: RunRecord) -> None:
        """Store a new run (see `RunStore`)."""

        await self.database.write(lambda db: insert_run(db, run))

    async def run(self, run_id: str) -> RunRecord:
        """The run with that id, or with the only id that begins so."""

        def work(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
            return db.execute(
                f"SELECT run_id, {_RECORD} FROM runs WHERE substr(run_id, 1, ?) = ? ORDER BY run_id != ?, no LIMIT 4",
                (max(1, len(run_id)), run_id, run_id),
            ).fetchall()

        found = await self.database.read(work)
        if not found:
            raise NotFound(f"No run is named '{run_id}': `fathom runs` lists them.")
        if len(found) > 1 and found[0][0] != run_id:
            names = ", ".join(name for name, *_ in found[:3]) + (", …" if len(found) > 3 else "")
            raise NotFound(f"Several runs begin with '{run_id}': {names}. Give more of the id.")
        return _record(found[0][1:])

    async def runs(
        self,
        *,
        limit: int = 100,
        before: str | None = None,
        statuses: Collection[RunStatus] = (),
        text: str = "",
        thread: str = "",
        kb: str = "",
        pinned: bool | None = None,
    ) -> list[RunRecord]:
        """Newest first (see `RunStore`)."""

        def work(db: sqlite3.Connection) -> Iterator[RunRecord]:
            wanted, values = ["TRUE"], list[Any]()
            if before is not None:
                wanted.append("no < ?")
                values.append(number_of(db, before))
            if statuses:
                wanted.append(f"json_extract(record, '$.status') IN ({', '.join('?' * len(statuses))})")
                values += statuses
            if thread:
                wanted.append("? IN (run_id, json_extract(record, '$.sources.thread'))")
                values.append(thread)
            if kb:
                wanted.append("json_extract(record, '$.sources.kb') = ?")
                values.append(kb)
            if pinned is not None:
                wanted.append("coalesce(json_extract(record, '$.pinned'), 0) = ?")
                values.append(pinned)
            rows = db.execute(f"SELECT {_RECORD} FROM runs WHERE {' AND '.join(wanted)} ORDER BY no DESC", values)
            found = map(_record, rows)
            # compared here: SQLite knows the case of ASCII alone
            held = text.casefold()
            return islice((run for run in found if held in f"{run.query}\n{run.name}".casefold()), limit)

        return await self.database.read(lambda db: list(work(db)))

    @reads
    def counts(self, db: sqlite3.Connection) -> dict[RunStatus, int]:
        """How many runs there are of each status that any has."""
        return dict(db.execute("SELECT json_extract(record, '$.status'), count(*) FROM runs GROUP BY 1"))

    async def delete_run(self, run_id: str) -> None:
        """Remove a run with all that is only its own: answers and snapshots that another run uses stay."""

        await self.database.write(lambda db: pruning.remove(db, number_of(db, run_id)))

    async def prune(self, before: str, *, keep_reports: bool, dry_run: bool) -> tuple[list[str], int]:
        """Remove the runs that nobody has touched since `before` (see `RunStore`)."""

        def work(db: sqlite3.Connection) -> tuple[list[str], int]:
            free = room(db)
            old = pruning.prunable(db, before, keep_reports=keep_reports)
            old = [(no, run_id) for no, run_id in old if not self._presence.is_alive(owner_of(run_id))]
            for no, _ in old:
                row = db.execute("SELECT body FROM reports WHERE run = ?", (no,)).fetchone() if keep_reports else None
                kept = {source.sha256 for source in _report_of(_unpack(row[0])).sources} if row else None
                pruning.remove(db, no, report_with=kept)
            db.execute("DELETE FROM replies WHERE datetime(kept_at) < datetime(?)", (before,))
            done = [run_id for _, run_id in old], room(db) - free
            if dry_run:
                raise _Undone(done)
            return done

        try:
            return await self.database.write(work)
        except _Undone as undone:
            return undone.done

    @writes
    def acquire(self, db: sqlite3.Connection, run_id: str) -> int:
        """Become the owner of a run; earlier owners are fenced off."""
        no = number_of(db, run_id)
        if not self._presence.sign_on(owner_of(run_id)):
            raise under_way(run_id)
        self._seq.pop(no, None)  # another owner may have written since
        db.execute("UPDATE runs SET fence = fence + 1 WHERE no = ?", (no,))
        return int(db.execute("SELECT fence FROM runs WHERE no = ?", (no,)).fetchone()[0])

    def release(self, run_id: str) -> None:
        """Own the run no more: the next process need not wait until this one has ended."""
        self._presence.sign_off(owner_of(run_id))

    async def update_run(self, run_id: str, *, fence: int, **changes: Any) -> RunRecord:
        """Change fields of the record."""

        def work(db: sqlite3.Connection) -> RunRecord:
            no = _owned(db, run_id, fence)
            fields = record_of(db, no).model_dump()
            changed = RunRecord.model_validate({**fields, "updated_at": now(), **changes, "run_id": run_id})
            put_record(db, no, changed)
            return changed

        changed = await self.database.write(work)
        if "status" in changes:
            self._stir()
        return changed

    @writes
    def label(
        self, db: sqlite3.Connection, run_id: str, *, name: str | None = None, pinned: bool | None = None
    ) -> RunRecord:
        """Call a run otherwise, or pin it (see `RunStore`)."""
        no = number_of(db, run_id)
        said = {"name": name, "pinned": pinned}
        changed = record_of(db, no).model_copy(update={key: each for key, each in said.items() if each is not None})
        put_record(db, no, changed)
        return changed

    @writes
    def request_stop(self, db: sqlite3.Connection, run_id: str, *, wanted: bool = True) -> RunRecord:
        """Ask whoever carries the run out to finish early, or take that back."""
        no = number_of(db, run_id)
        run = record_of(db, no)
        if wanted and not run.is_active:  # it may have ended just now
            return run
        changed = run.model_copy(update={"stop_requested": wanted})
        put_record(db, no, changed)
        return changed

    @writes
    def direct(self, db: sqlite3.Connection, run_id: str, key: str, said: str) -> None:
        """Store what somebody tells a run that is under way; the first one stands."""
        no = number_of(db, run_id)
        if not record_of(db, no).is_active:
            raise Conflict(f"The run {run_id} is not under way: there is nothing to tell it.")
        if db.execute("SELECT 1 FROM directions WHERE run = ? AND key = ?", (no, key)).fetchone():
            raise Conflict(f"That was settled before: the run {run_id} keeps to what was said first.")
        (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM directions WHERE run = ?", (no,)).fetchone()
        row = (no, key, last + 1, said)
        db.execute(f"INSERT INTO directions ({_SAID}, mark) VALUES (?, ?, ?, ?, ?)", (*row, checksum(*row)))

    @reads
    def directions(self, db: sqlite3.Connection, run_id: str) -> dict[str, str]:
        """What the run was told, by key, in the order of being said."""
        rows = db.execute(
            f"SELECT mark = checksum({raw(_SAID)}), key, said FROM directions WHERE run = ? ORDER BY seq",
            (number_of(db, run_id),),
        )
        lost = f"What {run_id} was told is damaged: a backup of the file has it; else delete the run."
        return {row[0]: row[1] for row in (sound(row, lost) for row in rows)}

    # ── The journal ────────────────────────────────────────────────────────────────────────────────────────────────

    @writes
    def record(
        self,
        db: sqlite3.Connection,
        run_id: str,
        *,
        fence: int,
        path: str,
        kind: str,
        request: str,
        answer: str,
        seconds: float,
        usage: CallUsage | None = None,
    ) -> str:
        """Store the answer of a call, unless the path already has one for that request; return what is stored."""
        no = _owned(db, run_id, fence)
        stored = db.execute(
            "SELECT digest, body FROM journal JOIN answers ON answers.no = answer "
            "WHERE run = ? AND path = ? AND request = ?",
            (no, path, request),
        ).fetchone()
        if stored:
            return unpacked(stored[1], digest=stored[0], lost=_lost("An answer in the journal", run_id))
        entry = JournalEntry(
            seq=self._next(db, no), path=path, kind=kind, request=request, answer=answer, seconds=seconds, usage=usage
        )
        _insert_call(db, no, entry)
        return answer

    def _next(self, db: sqlite3.Connection, no: int) -> int:
        """The next number in a run's journal. Only the owner writes, so it is counted in memory."""
        if no not in self._seq:
            self._seq[no] = db.execute("SELECT coalesce(max(seq), 0) FROM journal WHERE run = ?", (no,)).fetchone()[0]
        self._seq[no] += 1
        return self._seq[no]

    @reads
    def journal(self, db: sqlite3.Connection, run_id: str) -> list[JournalEntry]:
        """Every call of the run, in order of completion."""
        rows = db.execute(
            f"SELECT mark = {_CALL_MARK}, seq, path, kind, request, digest, body, seconds, usage FROM journal "
            "LEFT JOIN answers ON answers.no = answer WHERE run = ? ORDER BY seq",
            (number_of(db, run_id),),
        )
        lost = _lost("An answer in the journal", run_id)
        return [
            JournalEntry(
                seq=seq,
                path=path,
                kind=kind,
                request=request,
                answer=unpacked(body, digest=digest, lost=lost),
                seconds=seconds,
                usage=usage and CallUsage.model_validate_json(usage),
            )
            for seq, path, kind, request, digest, body, seconds, usage in (sound(row, lost) for row in rows)
        ]

    @writes
    def mend(self, db: sqlite3.Connection, run_id: str) -> None:
        """Forget the calls and the events of a run that have rotted: they are made, and told, again."""
        no = number_of(db, run_id)
        db.execute(
            f"DELETE FROM journal WHERE run = ? AND (mark IS NOT {_CALL_MARK} "
            "OR NOT EXISTS (SELECT 1 FROM answers WHERE no = answer AND digest IS sha256(body)))",
            (no,),
        )
        db.execute(f"DELETE FROM events WHERE run = ? AND mark IS NOT {_EVENT_MARK}", (no,))

    @reads
    def reply(self, db: sqlite3.Connection, request: str) -> str | None:
        """The newest answer of any run, or else of none, to a model call with that digest; `None` without one."""
        row = db.execute(
            "SELECT body, answers.no FROM journal JOIN answers ON answers.no = answer JOIN runs ON runs.no = run "
            "WHERE request = ?1 AND usage IS NOT NULL AND kind != 'failed' AND digest = sha256(body) "
            "AND json_extract(record, '$.sources.imported') IS NULL UNION ALL "  # what others say that a model said
            "SELECT body, 0 FROM replies WHERE request = ?1 AND digest = sha256(body) ORDER BY 2 DESC LIMIT 1",
            (request,),
        ).fetchone()
        return _unpack(row[0]) if row else None

    async def keep_reply(self, request: str, answer: str) -> None:
        """Store the answer to a model call that belongs to no run."""
        row = (request, now(), hashlib.sha256(answer.encode("utf-8", "surrogatepass")).digest(), _pack(answer))
        await self.database.write(lambda db: db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row))

    # ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def emit(self, run_id: str, event: Event, *, fence: int) -> StoredEvent:
        """Number and store an event."""

        def work(db: sqlite3.Connection) -> StoredEvent:
            return insert_event(db, _owned(db, run_id, fence), run_id, event)

        stored = await self.database.write(work)
        if news := self._news.pop(run_id, None):
            news.set()
        self._stir()
        return stored

    @property
    def stirring(self) -> asyncio.Event:
        """Set, and replaced, whenever this process has stored an event or a status (see `RunStore`)."""
        return self._stirring

    def _stir(self) -> None:
        stirring, self._stirring = self._stirring, asyncio.Event()
        stirring.set()

    async def events(self, run_id: str, *, after: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """The run's events so far from the first one behind `after`, at most `limit`."""

        return await self.database.read(
            lambda db: _events(db, number_of(db, run_id), run_id, after=after, limit=-1 if limit is None else limit)
        )

    @reads
    def news(self, db: sqlite3.Connection, after: Mapping[str, int], *, limit: int) -> dict[str, News]:
        """What is new of several runs at once, in one look (see `RunStore`)."""
        rows = db.execute(
            "SELECT run_id, no, json_extract(record, '$.status'), "
            "(SELECT coalesce(max(seq), 0) FROM events WHERE run = no) "
            "FROM json_each(?) CROSS JOIN runs ON run_id = json_each.value",
            (json.dumps(list(after)),),
        ).fetchall()
        news = {}
        for run_id, no, status, last in rows:
            seen = after[run_id]
            events = _events(db, no, run_id, after=seen, limit=limit) if last > seen and limit else []
            news[run_id] = News(status, last, events)
        return news

    async def follow(self, run_id: str, *, after: int = 0) -> AsyncIterator[StoredEvent]:
        """The run's events as they come, until `Finished` or `Failed` and nothing behind it."""
        while True:
            news = self._news.setdefault(run_id, asyncio.Event())
            latest = None
            for latest in await self.events(run_id, after=after):
                after = latest.seq
                yield latest
            if latest and isinstance(latest.event, Finished | Failed):
                return
            with suppress(TimeoutError):  # an event of another process announces itself to nobody
                async with asyncio.timeout(POLL_SECONDS):
                    await news.wait()

    # ── Snapshots and reports ──────────────────────────────────────────────────────────────────────────────────────

    @writes
    def add_snapshot(self, db: sqlite3.Connection, run_id: str, sha256: str, text: str, *, fence: int) -> None:
        """Keep the text of a document for as long as the run is kept."""
        no = _owned(db, run_id, fence)
        _insert_snapshot(db, no, sha256, text)

    @reads
    def snapshot(self, db: sqlite3.Connection, sha256: str) -> str:
        """The text of a document that a run has used."""
        row = db.execute("SELECT body FROM snapshots WHERE sha256 = ?", (sha256,)).fetchone()
        if row is None:
            raise NotFound(f"No run has used a document {sha256[:12]}.")
        return unpacked(
            row[0],
            digest=sha256,
            lost=f"The text of the document {sha256[:12]}, as it was read, is damaged: a backup of "
            f"{self.database.path} has it; the reports that cite it stand.",
        )

    @reads
    def snapshots(self, db: sqlite3.Connection, run_id: str) -> list[str]:
        """Digests of the documents whose text is kept with the run, in order of digest."""
        rows = db.execute(
            "SELECT sha256 FROM run_snapshots JOIN snapshots ON no = snapshot WHERE run = ? ORDER BY sha256",
            (number_of(db, run_id),),
        )
        return [sha256 for (sha256,) in rows]

    @writes
    def save_report(self, db: sqlite3.Connection, run_id: str, report: Report, *, fence: int) -> None:
        """Store the run's report, in place of an earlier partial one."""
        _put_report(db, _owned(db, run_id, fence), report)

    @writes
    def adopt(self, db: sqlite3.Connection, ended: EndedRun) -> None:
        """Store a run that has ended elsewhere with all that it has, or nothing of it."""
        no = insert_run(db, ended.run)
        for entry in ended.journal:
            _insert_call(db, no, entry)
        for stored in ended.events:
            _insert_event(db, no, stored)
        for sha256, text in ended.snapshots():
            _insert_snapshot(db, no, sha256, text)
        _put_report(db, no, ended.report)

    async def report(self, run_id: str) -> Report:
        """The report of a run."""

        def work(db: sqlite3.Connection) -> str | bytes:
            one = f"SELECT mark = checksum({raw('run, body')}), body FROM reports WHERE run = ?"
            row = db.execute(one, (number_of(db, run_id),)).fetchone()
            if row is None:
                raise NotFound(f"The run {run_id} has no report yet: resume it to have one.")
            lost = f"The report of {run_id} is damaged: a replay of the run writes it again."
            body: str | bytes = sound(row, lost)[0]
            return body

        body = await self.database.read(work)
        return await in_thread(lambda: _report_of(_unpack(body)))  # the one that reads has other things to do

    async def close(self) -> None:
        """Write what is under way and let go of the file, and of every run."""
        await self.database.close()
        self._presence.close()


def owner_of(run_id: str) -> str:
    """The name under which the owner of a run is present."""
    return f"owner of {run_id}"


def under_way(run_id: str) -> Conflict:
    """Why a run is not taken up: its owner lives, and two would pay for the same calls."""
    return Conflict(f"The run {run_id} is under way in another process: `fathom show {run_id}` follows it.")


class _Undone(Exception):
    """Takes back a write that was only to show what it would do."""

    def __init__(self, done: tuple[list[str], int]) -> None:
        super().__init__(done)
        self.done = done


def record_of(db: sqlite3.Connection, no: int) -> RunRecord:
    """The record of a run's row."""
    return _record(db.execute(f"SELECT {_RECORD} FROM runs WHERE no = ?", (no,)).fetchone())


def _record(row: Sequence[Any]) -> RunRecord:
    lost = f"The record of {row[1]} is damaged: a backup of the file has it; else delete the run."
    return RunRecord.model_validate_json(sound(row, lost)[1])


def put_record(db: sqlite3.Connection, no: int, run: RunRecord) -> None:
    """Store a changed record."""
    record = run.model_dump_json()
    db.execute("UPDATE runs SET record = ?, mark = ? WHERE no = ?", (record, checksum(no, run.run_id, record), no))


def insert_run(db: sqlite3.Connection, run: RunRecord) -> int:
    """Store a new run; its row.

    Raises:
        UsageError: its id is taken.
    """
    if db.execute("SELECT 1 FROM runs WHERE run_id = ?", (run.run_id,)).fetchone():
        raise UsageError(f"A run {run.run_id} is there already: give the new one another id.")
    no = db.execute("INSERT INTO runs (run_id, record) VALUES (?, '{}')", (run.run_id,)).lastrowid or 0
    put_record(db, no, run)
    return no


def insert_event(db: sqlite3.Connection, no: int, run_id: str, event: Event) -> StoredEvent:
    """Number and store an event."""
    (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM events WHERE run = ?", (no,)).fetchone()
    stored = StoredEvent(run_id=run_id, seq=last + 1, at=now(), event=event)
    _insert_event(db, no, stored)
    return stored


def _insert_event(db: sqlite3.Connection, no: int, stored: StoredEvent) -> None:
    told = (no, stored.seq, stored.at, stored.event.model_dump_json())
    db.execute(f"INSERT INTO events ({_EVENT}, mark) VALUES (?, ?, ?, ?, ?)", (*told, checksum(*told)))


def _insert_call(db: sqlite3.Connection, no: int, entry: JournalEntry) -> None:
    digest = hashlib.sha256(entry.answer.encode()).digest()
    db.execute(  # an equal answer may have rotted since
        "INSERT INTO answers (digest, body) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET body = excluded.body",
        (digest, _pack(entry.answer)),
    )
    (number,) = db.execute("SELECT no FROM answers WHERE digest = ?", (digest,)).fetchone()
    told = entry.usage.model_dump_json() if entry.usage else None
    call = (no, entry.path, entry.request, entry.seq, entry.kind, number, told, float(entry.seconds))
    db.execute(
        f"INSERT INTO journal (mark, {_CALL}, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (checksum(*call), *call),
    )


def _insert_snapshot(db: sqlite3.Connection, no: int, sha256: str, text: str) -> None:
    kept = "SELECT 1 FROM snapshots WHERE sha256 = ?1 AND lower(hex(sha256(body))) = ?1"
    if not db.execute(kept, (sha256,)).fetchone():
        db.execute(
            "INSERT INTO snapshots (sha256, body) VALUES (?, ?) "
            "ON CONFLICT (sha256) DO UPDATE SET body = excluded.body",
            (sha256, _pack(text)),
        )
    db.execute(
        "INSERT OR IGNORE INTO run_snapshots VALUES (?, (SELECT no FROM snapshots WHERE sha256 = ?))", (no, sha256)
    )


def _put_report(db: sqlite3.Connection, no: int, report: Report) -> None:
    row = (no, _pack(report.model_dump_json()))
    db.execute("INSERT OR REPLACE INTO reports (run, body, mark) VALUES (?, ?, ?)", (*row, checksum(*row)))


def number_of(db: sqlite3.Connection, run_id: str) -> int:
    """The run's row.

    Raises:
        NotFound: no such run.
    """
    row = db.execute("SELECT no FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    if row is None:
        raise NotFound(f"No run is named '{run_id}': `fathom runs` lists them.")
    return int(row[0])


def _owned(db: sqlite3.Connection, run_id: str, fence: int) -> int:
    """The run's row, for its owner alone.

    Raises:
        Fenced: another owner has come since, or the run was deleted.
    """
    row = db.execute("SELECT no, fence FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    if row is None:
        raise Fenced(f"The run {run_id} is gone: it was deleted while it was at work.")
    if row[1] != fence:
        raise Fenced(f"Another process has taken over {run_id}: this one stops. `fathom show {run_id}` follows it.")
    return int(row[0])


def _events(db: sqlite3.Connection, no: int, run_id: str, *, after: int, limit: int) -> list[StoredEvent]:
    rows = db.execute(
        f"SELECT mark = {_EVENT_MARK}, seq, at, event FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?",
        (no, after, limit),
    )
    lost = _lost("An event", run_id)
    return [
        StoredEvent.model_validate_json(f'{{"run_id":"{run_id}","seq":{seq},"at":"{at}","event":{event}}}')
        for seq, at, event in (sound(row, lost) for row in rows)
    ]


def _lost(what: str, run_id: str) -> str:
    return f"{what} of {run_id} is damaged: resume the run, which does it again, or gives the report that is finished."


def _report_of(text: str) -> Report:
    """A stored report. One that is long is read piece by piece: in one go, every other thread would have to wait."""
    if len(text) < IN_ONE_GO:
        return Report.model_validate_json(text)
    parts = json.loads(text)
    pieces = {name: tuple(kind.model_validate(each) for each in parts.pop(name)) for name, kind in _MANY.items()}
    return Report.model_validate({**parts, **pieces})


def _pack(text: str) -> str | bytes:
    """Compressed when it pays."""
    return text if len(text) < PACK_FROM else zlib.compress(text.encode("utf-8", "surrogatepass"), 3)


def _unpack(body: str | bytes) -> str:
    return body if isinstance(body, str) else zlib.decompress(body).decode("utf-8", "surrogatepass")


def now() -> str:
    """ISO 8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
